// Puts the adapter of a host into a project or into the home directory, or takes it out again. Files of ours are
// written whole; of files that others share (settings, AGENTS.md) only our own part is changed.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { HOSTS } from "./hosts.mjs";

const HELP = `Usage: scripts/hosts/install HOST [DIR]
       scripts/hosts/install HOST --user

Puts the adapter of a host into the project DIR (default: the current directory), or with --user into your home
directory, for all projects. Files that you share with it are kept; only its own part of them is written. Give the
command again to renew it.

Hosts: ${Object.keys(HOSTS).join(", ")}

Options:
  --user      For all projects of this user
  --remove    Take the adapter out again
  -h, --help  Show this help

Exit status: 0 done, 2 wrong usage or a file that is not what it should be; then nothing was changed.
`;
const BEGIN = "<!-- okstra: begin -->", END = "<!-- okstra: end -->";

class Refusal extends Error {}

/** Returns a text of this folder with its placeholders filled in. */
function fill(name, values) {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  return text.replace(/\{\{(\w+)\}\}/g, (all, key) => {
    if (key === "relay") return fill("relay.md", values).trimEnd();
    return Object.hasOwn(values, key) ? values[key] : all; // {{args}} is the host's own
  });
}

/** Returns a shared text with our part in it, `null` for no part; what stands around it is kept. */
function withSection(path, before, section) {
  const [start, end] = [before.indexOf(BEGIN), before.indexOf(END)];
  if ((start < 0) !== (end < 0) || end < start) {
    throw new Refusal(
      `Cannot change "${path}": one of the lines "${BEGIN}" and "${END}" is missing`,
    );
  }
  const around = start < 0
    ? [before.trimEnd(), ""]
    : [before.slice(0, start).trimEnd(), before.slice(end + END.length).trim()];
  const parts = section === null
    ? around
    : [around[0], `${BEGIN}\n${section.trim()}\n${END}`, around[1]];
  return parts.filter((part) => part !== "").map((part) => `${part}\n`).join("\n");
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a group of hooks without ours, as a list: a group of ours alone goes. */
function withoutOurs(group) {
  if (!isObject(group) || !Array.isArray(group.hooks)) return [group];
  const hooks = group.hooks.filter((hook) => !JSON.stringify(hook).includes("/okstra-status"));
  return hooks.length === group.hooks.length
    ? [group]
    : hooks.length === 0
    ? []
    : [{ ...group, hooks }];
}

/** Returns shared settings with our hooks in the place of those that we put there before. */
function withHooks(path, before, ours) {
  let settings;
  try {
    settings = before.trim() === "" ? {} : JSON.parse(before);
  } catch {
    throw new Refusal(`Cannot change "${path}": it is not JSON`);
  }
  if (!isObject(settings) || !isObject(settings.hooks ?? {})) {
    throw new Refusal(`Cannot change "${path}": it holds no object "hooks"`);
  }
  const hooks = { ...settings.hooks };
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) {
      throw new Refusal(`Cannot change "${path}": hooks.${event} is no list`);
    }
    hooks[event] = groups.flatMap(withoutOurs);
    if (hooks[event].length === 0) delete hooks[event];
  }
  for (const [event, groups] of Object.entries(ours)) {
    hooks[event] = [...hooks[event] ?? [], ...groups];
  }
  const { hooks: _, ...rest } = settings;
  const next = Object.keys(hooks).length === 0 ? rest : { ...rest, hooks };
  return Object.keys(next).length === 0 ? "" : `${JSON.stringify(next, null, 2)}\n`;
}

/** Lists what is to be written: path → text; empty text: the file goes. */
function plan(host, place, root, isRemoval) {
  const read = (path) => existsSync(path) ? readFileSync(path, "utf8") : "";
  const values = { lead: host.lead, root: place.root, more: place.chapters };
  const changes = new Map();
  for (const [to, from] of Object.entries(place.files)) {
    changes.set(join(root, to), isRemoval ? "" : fill(from, values));
  }
  for (const [to, from] of Object.entries(place.sections)) {
    const path = join(root, to);
    changes.set(path, withSection(path, read(path), isRemoval ? null : fill(from, values)));
  }
  for (const [to, from] of Object.entries(place.hooks)) {
    const path = join(root, to);
    const ours = isRemoval
      ? {}
      : JSON.parse(fill(from, { ...values, root: JSON.stringify(place.root).slice(1, -1) })).hooks;
    changes.set(path, withHooks(path, read(path), ours));
  }
  return [...changes].filter(([path, text]) => read(path) !== text);
}

function write([path, text]) {
  if (text === "") {
    rmSync(path, { force: true });
    return console.log(`removed ${path}`);
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (text.startsWith("#!")) chmodSync(path, 0o755);
  console.log(`wrote ${path}`);
}

function main(words) {
  if (words.includes("-h") || words.includes("--help")) return process.stdout.write(HELP);
  const strange = words.find((word) =>
    word.startsWith("-") && !["--user", "--remove"].includes(word)
  );
  if (strange !== undefined) throw new Refusal(`Cannot take "${strange}": it is no option`);
  const [name, directory, ...rest] = words.filter((word) => !word.startsWith("-"));
  const isUser = words.includes("--user");
  if (name === undefined) throw new Refusal("Cannot install: no host is named");
  if (!Object.hasOwn(HOSTS, name)) {
    throw new Refusal(`Cannot install "${name}": there is no such host`);
  }
  if (rest.length > 0 || (isUser && directory !== undefined)) {
    throw new Refusal("Cannot install: there are too many places");
  }
  const host = HOSTS[name], place = isUser ? host.user : host.project;
  if (place === undefined) {
    throw new Refusal(`Cannot install ${name} with --user: it belongs into a project`);
  }
  const root = isUser ? homedir() : resolve(directory ?? ".");
  if (!existsSync(root)) throw new Refusal(`Cannot install into "${root}": it does not exist`);
  const changes = plan(host, place, root, words.includes("--remove"));
  changes.forEach(write);
  if (changes.length === 0) console.log("nothing to do");
  else if (!words.includes("--remove") && host.note) console.log(host.note);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(
    `install: error: ${error.message}\ninstall: hint: see scripts/hosts/install --help`,
  );
  process.exitCode = 2;
}
