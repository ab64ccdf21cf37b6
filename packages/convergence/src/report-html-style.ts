import { markup } from "./markup.ts";

/** The style of a report's page: both colour schemes, long words broken, keyboard focus visible, printable. */
export const REPORT_STYLE = markup`<style>
:root {
  color-scheme: light dark;
  --page: #fbfbf9; --card: #ffffff; --text: #1c1e21; --faint: #565c66; --line: #d8dbe0; --link: #0b57b0;
  --agree: #16653a; --disagree: #a3161a; --unsure: #7a4d00; --absent: #565c66; --mark: #eef1f5;
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161a; --card: #1c1f25; --text: #e7e9ec; --faint: #a4abb6; --line: #383d46; --link: #8db9f5;
    --agree: #7fd3a0; --disagree: #ff9d98; --unsure: #ecc06d; --absent: #a4abb6; --mark: #282c34;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; padding: 0 1rem 4rem; max-width: 76rem; background: var(--page); color: var(--text);
  overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { margin: 1.5rem 0 .25rem; font-size: 1.75rem; }
h2 { margin: 2.5rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.3rem; }
h3 { margin: 2rem 0 .25rem; font-size: 1.1rem; }
h4 { margin: 0; font-size: 1rem; }
a { color: var(--link); }
:focus-visible { outline: .2rem solid var(--link); outline-offset: .15rem; border-radius: .15rem; }
.skip { position: absolute; inset: 0 auto auto -100rem; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: 0; z-index: 3; }
.faint, .none { color: var(--faint); }
.result { margin: 0; font-size: 1.1rem; }
nav ul, .classes { display: flex; flex-wrap: wrap; gap: .5rem 1rem; margin: 1rem 0; padding: 0; list-style: none; }
.classes a { display: block; min-width: 8rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .4rem;
  background: var(--card); color: inherit; text-decoration: none; }
.classes a:hover { border-color: var(--link); }
.classes b { display: block; font-size: 1.4rem; line-height: 1.2; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); }
.matrix { max-height: 80vh; overflow: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
tr:last-child > * { border-bottom: 0; }
thead th { background: var(--mark); font-weight: 600; }
.matrix thead th { position: sticky; top: 0; z-index: 2; }
.matrix tbody th { position: sticky; left: 0; z-index: 1; background: var(--card); min-width: 14rem; max-width: 22rem;
  font-weight: 400; }
.matrix thead th:first-child { left: 0; z-index: 3; }
.matrix td { min-width: 8.5rem; }
.matrix td > span:not(.class) { display: block; }
.scroll th, .scroll td { min-width: 6.5rem; }
.figures { width: fit-content; }
.worker { min-width: 8rem; max-width: 14rem; }
.agree, .supplement { color: var(--agree); }
.disagree { color: var(--disagree); font-weight: 600; }
.unverified { color: var(--unsure); }
.absent { color: var(--absent); font-style: italic; }
.class { display: inline-block; padding: 0 .45rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8rem;
  white-space: nowrap; }
.class.full-consensus, .class.partial-consensus { color: var(--agree); }
.class.contested, .class.refuted { color: var(--disagree); }
.class.worker-unique, .class.withdrawn { color: var(--unsure); }
.finding { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card);
  content-visibility: auto; contain-intrinsic-size: auto 16rem; }
.finding:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
.facts { margin: .35rem 0; color: var(--faint); font-size: .9rem; }
.text { white-space: pre-wrap; unicode-bidi: isolate; }
p.text { margin: .5rem 0; }
code, .text.code { font: .85rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
details { margin: .5rem 0; }
summary { cursor: pointer; width: fit-content; color: var(--link); }
.votes td:last-child { width: 60%; }
.evidence { padding-left: 1.25rem; }
@media (max-width: 40rem) {
  .votes thead { position: absolute; clip-path: inset(50%); }
  .votes tr, .votes td { display: block; width: auto; border: 0; padding: .1rem 0; }
  .votes td:not(:last-child) { display: inline-block; margin-inline-end: .6rem; }
  .votes td:last-child { width: auto; }
  .votes tr { padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
}
@media print {
  body { max-width: none; }
  nav, .skip { display: none; }
  .matrix { max-height: none; overflow: visible; }
  .finding { break-inside: avoid; }
  details::details-content { display: block; content-visibility: visible; }
}
</style>`;
