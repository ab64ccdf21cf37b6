/** The style of the page: two colour schemes, no font or image from elsewhere. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fff;
  --card: #f6f7f9;
  --ink: #1b1f24;
  --quiet: #57606a;
  --line: #d0d7de;
  --link: #0a58ca;
  --good: #116329;
  --bad: #a40e26;
  --warn: #7a4b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c;
    --card: #1d2229;
    --ink: #e6e9ee;
    --quiet: #a3adb8;
    --line: #3a424d;
    --link: #79b8ff;
    --good: #6fd48a;
    --bad: #ff9492;
    --warn: #f0c069;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  padding: 1rem;
  max-width: 60rem;
  background: var(--page);
  color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif;
}
a { color: var(--link); }
main a { white-space: nowrap; }
a:focus-visible, summary:focus-visible { outline: 0.2rem solid var(--link); outline-offset: 0.1rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
h1 { font-size: 1.6rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 0.5rem; }
h4 { font-size: 0.95rem; margin: 0.75rem 0 0.25rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; list-style: none; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.75rem 1rem; margin: 0.75rem 0; }
article:target, li:target { outline: 0.15rem solid var(--link); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; margin: 0.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.text {
  border-left: 0.2rem solid var(--line);
  padding-left: 0.75rem;
  margin: 0.5rem 0;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  unicode-bidi: plaintext;
}
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 1rem; }
.sides ul { padding-left: 1.1rem; margin: 0; }
.badge { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: 0 0.6rem; font-size: 0.85rem; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
.quiet { color: var(--quiet); }
.timeline { list-style: none; padding: 0; }
.timeline li { padding: 0.15rem 0; overflow-wrap: anywhere; }
.timeline time { color: var(--quiet); font-variant-numeric: tabular-nums; }
code { overflow-wrap: anywhere; }
@media print { nav, .skip { display: none; } article { break-inside: avoid; } }
`;
