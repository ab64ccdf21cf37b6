// Our hooks in settings that others write, too. The text is changed and not written anew, so that what stood there
// before comes back to the byte.
//
// What we make begins with a line of its own behind the bracket. What was there and empty gets ours right behind its
// bracket, by which it is known as the user's when ours goes, and stays.

/** Finds where each value of a JSON text begins and ends; the text is known to be right. */
function scan(text) {
  let at = 0;
  const skip = () => {
    while (/\s/.test(text[at] ?? "")) at++;
  };
  const scanWord = () => {
    if (text[at] !== '"') { while (/[^\s,\]}]/.test(text[at] ?? "")) at++; }
    else {
      for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
      at++;
    }
  };
  const scanValue = () => {
    const value = { from: at, to: 0, kind: text[at], children: [] };
    if (!"{[".includes(value.kind)) scanWord();
    else {
      at++;
      skip();
      while (!"}]".includes(text[at])) {
        value.children.push(scanChild(value.kind === "{"));
        skip();
        if (text[at] === ",") at++;
        skip();
      }
      at++;
    }
    return { ...value, to: at };
  };
  const scanChild = (isMember) => {
    const from = at;
    let key = null;
    if (isMember) {
      scanWord();
      key = JSON.parse(text.slice(from, at));
      skip();
      at++;
      skip();
    }
    const value = scanValue();
    return { from, to: value.to, key, value };
  };
  skip();
  return scanValue();
}

/** As JSON.parse has it: of members of one name the last counts. */
const member = (value, key) => value?.children.findLast((child) => child.key === key)?.value;

const isEmpty = (text) => /^[ \t\r\n]*$/.test(text ?? "");
const eolOf = (text) => text.includes("\r\n") ? "\r\n" : "\n";

/** Throws if a text is no settings, or if our hooks find no place in it. */
function check(text, events) {
  let settings;
  try {
    settings = JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(settings)) throw new Error("it is not a JSON object");
  const { hooks = {} } = settings;
  if (!isObject(hooks)) throw new Error('"hooks" in it is no object');
  const strange = events.find((event) => !Array.isArray(hooks[event] ?? []));
  if (strange !== undefined) throw new Error(`hooks.${strange} in it is no list`);
}

/** Returns settings (`null`: no file) with our hooks at the end of each event, and nowhere else. */
export function addHooks(before, hooks) {
  let text = before === null ? null : removeHooks(before, commandsOf(hooks));
  const eol = eolOf(text ?? ""), unit = /\n([ \t]+)\S/.exec(text ?? "")?.[1] ?? "  ";
  const format = (value, depth) =>
    JSON.stringify(value, null, unit).replaceAll("\n", eol + unit.repeat(depth));
  if (isEmpty(text)) return (text === null ? "" : text + eol) + format({ hooks }, 0) + eol;
  check(text, Object.keys(hooks));
  const insert = ({ from, children }, piece, depth) => {
    const last = children.at(-1);
    const place = last?.to ?? from + 1;
    const lead = last === undefined ? "" : `,${eol}${unit.repeat(depth)}`;
    text = text.slice(0, place) + lead + piece + text.slice(place);
  };
  const findEvent = (event) => member(member(scan(text), "hooks"), event);
  if (member(scan(text), "hooks") === undefined) {
    insert(scan(text), `"hooks": ${format(hooks, 1)}`, 1);
    return text;
  }
  for (const [event, groups] of Object.entries(hooks)) {
    if (findEvent(event) === undefined) {
      insert(member(scan(text), "hooks"), `"${event}": ${format(groups, 2)}`, 2);
    } else groups.forEach((group) => insert(findEvent(event), format(group, 3), 3));
  }
  return text;
}

/** Lists the commands of hooks. */
export function commandsOf(hooks) {
  return Object.values(hooks).flat().flatMap((group) => group.hooks.map(({ command }) => command));
}

/** Returns settings without the hooks of exactly these commands; `null` if the file was made for them. */
export function removeHooks(before, commands) {
  if (isEmpty(before)) return before;
  check(before, []);
  let text = before;
  for (;;) {
    const way = findHook(text, commands);
    if (way === null) return text;
    // A group without hooks goes; what is around it goes if it was made for it and holds nothing else.
    const isMadeFor = ([value]) =>
      value.children.length === 1 && /^\r?\n/.test(text.slice(value.from + 1));
    let depth = 4;
    if (way[4][0].children.length === 1) depth = 2;
    while (depth < 4 && depth >= 0 && isMadeFor(way[depth])) depth--;
    if (depth < 0) return withoutAll(text);
    const [{ children }, child] = way[depth], at = children.indexOf(child);
    const from = at > 0 ? children[at - 1].to : child.from;
    const to = at > 0 || children.length === 1 ? child.to : children[1].from;
    text = text.slice(0, from) + text.slice(to);
  }
}

/** Finds one hook of ours: pairs of a value and its child, from the settings to the list that holds it. */
function findHook(text, commands) {
  const isOurs = ({ value }) => {
    const command = value.kind === "{" ? member(value, "command") : undefined;
    return command?.kind === '"' &&
      commands.includes(JSON.parse(text.slice(command.from, command.to)));
  };
  const root = scan(text);
  const named = root.children.findLast(({ key }) => key === "hooks");
  for (const event of named?.value.kind === "{" ? named.value.children : []) {
    for (const group of event.value.kind === "[" ? event.value.children : []) {
      const list = group.value.children.findLast(({ key }) => key === "hooks");
      const hook = list?.value.kind === "[" ? list.value.children.find(isOurs) : undefined;
      if (hook === undefined) continue;
      return [
        [root, named],
        [named.value, event],
        [event.value, group],
        [group.value, list],
        [list.value, hook],
      ];
    }
  }
  return null;
}

/** Returns what stood in the file before settings were put into it. */
function withoutAll(text) {
  const { from, to } = scan(text), eol = eolOf(text);
  const head = text.slice(0, from), tail = text.slice(to);
  if (head === "" && tail.trim() === "") return null;
  return head.slice(0, head.endsWith(eol) ? -eol.length : undefined) +
    tail.slice(tail.startsWith(eol) ? eol.length : 0);
}
