import { type App, type Argument, type Command, loadCommands, type Option } from "./command.ts";
import { COMMON_OPTIONS } from "./parse.ts";

const WIDTH = 100;

const EXITS: Readonly<Record<number, string>> = {
  0: "done",
  2: "wrong usage, or an input that must be changed",
  3: "the lock is held or the revision is stale; trying again is sensible",
  4: "a failure of the file system or of a process",
  70: "a defect of the tool",
};

/** Returns the help of a tool. */
export async function formatAppHelp(app: App): Promise<string> {
  const rows = Object.entries(await loadCommands(app)).map(([name, command]): [string, string] => [
    [name, ...(command.args ?? []).map(formatArgument)].join(" "),
    command.summary,
  ]);
  rows.push(["completions bash|zsh|fish", "Print a completion script for a shell"]);
  return section(`Usage: ${app.name} COMMAND [OPTION]...`, [app.summary]) +
    section("Commands", formatRows(rows)) +
    section(
      "Options",
      formatRows([["-h, --help", "Show this help"], ["--version", "Show the version"]]),
    ) +
    section(
      "Environment",
      formatRows([
        ["OKSTRA_RUN", "Path of the run manifest, where --run-manifest is not given"],
        [
          "SOURCE_DATE_EPOCH",
          "Seconds since 1970; fixes every time that is written and sets durations to 0",
        ],
      ]),
    ) +
    `Run '${app.name} COMMAND --help' for the options, files and exit statuses of a command.\n`;
}

/** Returns the help of the commands that share a first word. */
export async function formatGroupHelp(app: App, first: string): Promise<string> {
  const rows = Object.entries(await loadCommands(app))
    .filter(([name]) => name.startsWith(`${first} `))
    .map(([name, command]): [string, string] => [name, command.summary]);
  return section(`Usage: ${app.name} ${first} SUB-COMMAND [OPTION]...`, []) +
    section("Commands", formatRows(rows)) +
    `Run '${app.name} ${first} SUB-COMMAND --help' for more.\n`;
}

/** Returns the help of one command: usage, options with defaults, a worked example, files and exit statuses. */
export function formatCommandHelp(app: App, name: string, command: Command): string {
  const words = [
    app.name,
    name,
    "[OPTION]...",
    ...(command.args ?? []).map(formatArgument),
    ...(command.passthrough ? ["-- WORD..."] : []),
  ];
  const options: Record<string, Option> = { ...command.options, ...COMMON_OPTIONS };
  const exits = Object.entries({ ...commonExits(command), ...command.exits });
  return section(`Usage: ${words.join(" ")}`, wrap(command.summary, WIDTH)) +
    (command.details ? `${paragraphs(command.details)}\n\n` : "") +
    section("Options", formatRows(Object.entries(options).map(formatOption))) +
    section("Example", command.example.trim().split("\n").map((line) => `  ${line}`)) +
    section("Exit status", formatRows(exits.map(([status, meaning]) => [status, meaning]))) +
    section("Reads", formatList(command.reads)) +
    section("Writes", formatList(command.writes)).trimEnd() + "\n";
}

/** Returns the statuses that a command can end with, whatever it does; only who writes needs a lock. */
function commonExits({ writes = [], options }: Command): Readonly<Record<number, string>> {
  if (writes.length > 0 || Object.hasOwn(options, "lock-timeout")) return EXITS;
  const { 3: _, ...others } = EXITS;
  return others;
}

function section(title: string, lines: readonly string[]): string {
  const colon = title.startsWith("Usage") ? "\n\n" : ":\n";
  return `${title}${lines.length ? colon : "\n"}${lines.map((line) => `${line}\n`).join("")}\n`;
}

function formatList(items: readonly string[] | undefined): string[] {
  return items?.length ? items.map((item) => `  ${item}`) : ["  nothing"];
}

function formatArgument(argument: Argument): string {
  const name = argument.many ? `${argument.name}...` : argument.name;
  return argument.optional ? `[${name}]` : name;
}

function formatOption([name, option]: [string, Option]): [string, string] {
  const short = option.short ? `-${option.short}, ` : "";
  if (option.type === "boolean") {
    const state = option.default ? " (default: on)" : "";
    return [`${short}--${option.default ? "[no-]" : ""}${name}`, option.help + state];
  }
  const value = option.value ?? option.choices?.join("|") ??
    (option.type === "number" ? "N" : "TEXT");
  const remarks = [
    ...(option.required ? ["required"] : []),
    ...(option.multiple ? ["may be repeated"] : []),
    ...(option.value && option.choices ? [`one of ${option.choices.join(", ")}`] : []),
    ...(option.default === undefined || option.default === ""
      ? []
      : [`default: ${option.default}`]),
  ];
  const remark = remarks.length ? ` (${remarks.join("; ")})` : "";
  return [`${short}--${name} ${value}`, option.help + remark];
}

function formatRows(rows: readonly (readonly [string, string])[]): string[] {
  const column = Math.min(36, Math.max(...rows.map(([left]) => left.length)) + 4);
  return rows.flatMap(([left, right]) => {
    const [first = "", ...more] = wrap(right, WIDTH - column);
    const rest = more.map((line) => " ".repeat(column) + line);
    return left.length + 4 <= column
      ? [`  ${left}`.padEnd(column) + first, ...rest]
      : [`  ${left}`, " ".repeat(column) + first, ...rest];
  });
}

function paragraphs(text: string): string {
  return text.trim().split(/\n\s*\n/).map((paragraph) =>
    wrap(paragraph.replace(/\s+/g, " "), WIDTH).join("\n")
  ).join("\n\n");
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}
