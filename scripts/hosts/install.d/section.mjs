// Our part of a Markdown file that others write, too. It stands between two lines, and the first of them names the
// files through which it was put there: CLAUDE.md and GEMINI.md may be links to one AGENTS.md, and what they share goes
// with the last of them.
//
// One end of line before the part and one after it are ours, so that what stood there before comes back to the byte. A
// part at the very beginning tells that the file was made for it.

const MARK = /^<!-- okstra: (begin|end)(?: ([^\r\n]*?))? -->[ \t]*(\r?\n|\r?(?![^]))/gm;

/** Lists our parts of a text; throws if it holds half of one. */
function listParts(text) {
  const marks = [...text.matchAll(MARK)];
  const isWhole = marks.every(([, kind], i) => kind === (i % 2 === 0 ? "begin" : "end"));
  if (!isWhole || marks.length % 2 === 1) {
    throw new Error('one of the lines "okstra: begin" and "okstra: end" is missing');
  }
  return marks.filter((_, i) => i % 2 === 0).map((begin, i) => {
    const end = marks[2 * i + 1];
    const names = (begin[2] ?? "").split(" ").filter((name) => name !== "");
    return { from: begin.index, to: end.index + end[0].length, names, eol: begin[3] };
  });
}

/** Cuts a part out, with the end of line before it. */
function cut(text, { from, to, eol }) {
  const head = text.slice(0, from);
  return head.slice(0, head.endsWith(eol) ? -eol.length : undefined) + text.slice(to);
}

function formatPart(section, names, eol) {
  const lines = [
    `<!-- okstra: begin ${names.join(" ")} -->`,
    section.trim(),
    "<!-- okstra: end -->",
  ];
  return `${lines.join("\n")}\n`.replaceAll("\n", eol);
}

/** Returns a text (`null`: no file) with our part in it once: where it was, else at the end. */
export function addSection(text, section, name, leadsHere = () => true) {
  if (text === null) return formatPart(section, [name], "\n");
  const [first, ...others] = listParts(text);
  if (first === undefined) {
    const eol = text.includes("\r\n") ? "\r\n" : "\n";
    return text + eol + formatPart(section, [name], eol);
  }
  const known = [first, ...others].flatMap(({ names }) => names).filter(leadsHere);
  const part = formatPart(section, [...new Set([...known, name])], first.eol);
  const tail = others.reduceRight(cut, text);
  return tail.slice(0, first.from) + part + tail.slice(first.to);
}

/** Returns a text without our part, `null` if the file was made for it; `users` are those who still need it. */
export function removeSection(text, name, leadsHere = () => true) {
  const parts = listParts(text);
  if (parts.length === 0) return { text, users: [] };
  const known = new Set(parts.flatMap(({ names }) => names));
  const users = [...known].filter((user) => user !== name && leadsHere(user));
  if (users.length > 0) {
    const [{ from, names }] = parts;
    const begin = `<!-- okstra: begin ${users.join(" ")} -->`;
    if (!names.includes(name)) return { text, users };
    return { text: text.slice(0, from) + begin + text.slice(text.indexOf("-->", from) + 3), users };
  }
  const rest = parts.reduceRight(cut, text);
  return { text: rest === "" && parts[0].from === 0 ? null : rest, users };
}
