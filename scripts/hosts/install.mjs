// Puts the adapter of a host into the project or into the home directory, or takes it out again. Files of ours are
// written whole; of files that others share (settings, AGENTS.md) only our own part is changed. What install.d/ does:
// files.mjs looks at the files, plan.mjs decides, and files.mjs writes.
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { HOSTS } from "./hosts.mjs";
import { applyChanges, look } from "./install.d/files.mjs";
import { planChanges } from "./install.d/plan.mjs";

const HELP = `Usage: scripts/hosts/install HOST [DIR]
       scripts/hosts/install HOST --user

Puts the adapter of a host into the project DIR (default: the current directory), or with --user into your home
directory, for all projects. Files that you share with it are kept; only its own part of them is written. Give the
command again to renew it.

Hosts: ${Object.keys(HOSTS).join(", ")}

Options:
  --user      For all projects of this user
  --remove    Take the adapter out again; your files become what they were before
  --force     Overwrite files that have the name of one of okstra's and are not, or were changed
  -h, --help  Show this help

Exit status: 0 done, 1 a file could not be written, what was done before is undone, 2 wrong usage or a file that is not
what it should be; then nothing was changed.
`;

class Refusal extends Error {
  constructor(message, hint = "scripts/hosts/install --help") {
    super(message);
    this.hint = hint;
  }
}

/** Returns a text of this folder with its placeholders filled in. */
function fill(name, values) {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  return text.replace(/\{\{(\w+)\}\}/g, (all, key) => {
    if (key === "relay") return fill("relay.md", values).trimEnd();
    return Object.hasOwn(values, key) ? values[key] : all; // {{args}} is the host's own
  });
}

/** Lists what an installation consists of: path, kind, and content. */
function listWanted({ lead }, { root: place, files, sections, hooks, chapters }, root) {
  const values = { lead, root: place, more: chapters };
  const list = (kind, table, read) =>
    Object.entries(table).map(([to, from]) => ({
      kind,
      path: join(root, to),
      content: read(from),
    }));
  const inJson = JSON.stringify(place).slice(1, -1);
  return [
    ...list("file", files, (name) => fill(name, values)),
    ...list("section", sections, (name) => fill(name, values)),
    ...list("hooks", hooks, (name) => JSON.parse(fill(name, { ...values, root: inJson })).hooks),
  ];
}

/** Reads the command line; what it returns is what `run` needs. */
function readWords(words) {
  let parsed;
  try {
    const flag = { type: "boolean", default: false };
    parsed = parseArgs({
      args: words,
      allowPositionals: true,
      options: { user: flag, remove: flag, force: flag, help: { ...flag, short: "h" } },
    });
  } catch (error) {
    throw new Refusal(`Cannot read the arguments: ${error.message.replace(/[.]( .*)?$/s, "")}`);
  }
  const { values: { user, remove, force, help }, positionals: [name, directory, ...rest] } = parsed;
  if (help) return null;
  const known = `one of ${Object.keys(HOSTS).join(", ")}`;
  if (name === undefined) throw new Refusal("Cannot install: no host is named", known);
  if (!Object.hasOwn(HOSTS, name)) {
    throw new Refusal(`Cannot install "${name}": there is no such host`, known);
  }
  if (rest.length > 0) throw new Refusal("Cannot install: more than one folder is named");
  if (user && directory !== undefined) {
    throw new Refusal(
      `Cannot install into "${directory}" with --user: that is your home directory`,
    );
  }
  if (force && remove) {
    throw new Refusal("Cannot use --force with --remove: what is not okstra's is kept");
  }
  const { [user ? "user" : "project"]: place } = HOSTS[name];
  if (place === undefined) {
    throw new Refusal(
      user
        ? `Cannot install ${name} with --user: it belongs into a project`
        : `Cannot install ${name} into a project: it belongs into your home directory`,
      user ? `scripts/hosts/install ${name} DIR` : `scripts/hosts/install ${name} --user`,
    );
  }
  if (directory === "") {
    throw new Refusal(
      'Cannot install into "": it names no folder',
      `for the current directory leave it out: scripts/hosts/install ${name}`,
    );
  }
  const root = user ? homedir() : resolve(directory ?? ".");
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Refusal(`Cannot install into "${root}": there is no such folder`);
  }
  return { name, place, root, isRemoval: remove, isForced: force };
}

function run({ name, place, root, isRemoval, isForced }) {
  const items = listWanted(HOSTS[name], place, root)
    .map((wanted) => ({ wanted, state: look(wanted.path) }));
  const { changes, kept, problems } = planChanges(items, { host: name, isRemoval, isForced });
  if (problems.length > 0) {
    const lines = problems.map(({ path, problem }) => `Cannot change "${path}": ${problem}`);
    throw new Refusal(
      lines.join("\ninstall: error: "),
      "nothing was changed; mend that, and give the command again",
    );
  }
  applyChanges(changes);
  for (const { path, link, after } of changes) {
    const at = link === null ? path : `${link}, to which ${path} leads`;
    console.log(after === null ? `removed ${at}` : `wrote ${at}`);
  }
  for (const { path, reason } of kept) console.log(`kept ${path}: ${reason}`);
  if (changes.length === 0 && kept.length === 0) console.log("nothing to do");
  else if (!isRemoval && HOSTS[name].note) console.log(HOSTS[name].note);
}

try {
  const words = readWords(process.argv.slice(2));
  if (words === null) process.stdout.write(HELP);
  else run(words);
} catch (error) {
  const isRefusal = error instanceof Refusal;
  if (!isRefusal && typeof error.code !== "string" && error.changed === undefined) throw error;
  const hint = isRefusal
    ? error.hint
    : (error.changed ?? []).length === 0
    ? "nothing was changed; mend that, and give the command again"
    : `these files were changed and could not be brought back: ${error.changed.join(", ")}`;
  const at = error.at === undefined ? "Cannot install" : `Cannot change "${error.at}"`;
  const message = isRefusal ? error.message : `${at}: ${error.message}`;
  console.error(`install: error: ${message}\ninstall: hint: ${hint}`);
  process.exitCode = isRefusal ? 2 : 1;
}
