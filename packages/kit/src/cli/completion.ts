import { type App, type Io, loadCommands, type Option } from "./command.ts";
import { COMMON_OPTIONS } from "./parse.ts";
import { UsageError } from "./usage-error.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** Options that may stand in place of a command. */
const OWN_OPTIONS = new Map([["help", "Show this help"], ["version", "Show the version"]]);

/** A command as the scripts need it. */
interface Entry {
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly (readonly [string, Option])[];
}

/**
 * Prints the completion script of a shell.
 *
 * @throws {UsageError} If the shell is not one of bash, zsh and fish.
 */
export async function runCompletions(
  app: App,
  words: readonly string[],
  io: Io,
): Promise<number> {
  const [shell, extra] = words;
  if (shell === "--help" || shell === "-h") {
    io.out(
      `Usage: ${app.name} completions bash|zsh|fish\n\nPrints a completion script for a shell.\n\n` +
        `Example:\n  eval "$(${app.name} completions bash)"\n`,
    );
    return 0;
  }
  if (shell === undefined) throw new UsageError(`A shell is missing: ${SHELLS.join(", ")}`);
  if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}"`);
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish") {
    throw new UsageError(`Unknown shell "${shell}": must be one of ${SHELLS.join(", ")}`, {
      unknown: { word: shell, known: SHELLS },
    });
  }
  io.out(await formatCompletions(app, shell));
  return 0;
}

/** Returns the completion script of a shell. */
export async function formatCompletions(
  app: App,
  shell: (typeof SHELLS)[number],
): Promise<string> {
  const entries: Entry[] = Object.entries(await loadCommands(app)).map(([name, command]) => ({
    words: name.split(" "),
    summary: command.summary,
    options: Object.entries({ ...command.options, ...COMMON_OPTIONS }),
  }));
  return { bash: formatBash, zsh: formatZsh, fish: formatFish }[shell](app, entries);
}

/** Returns the words that may follow `before`, each with what it means. */
function nextWords(entries: readonly Entry[], before: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { words, summary } of entries) {
    if (before.some((word, i) => words[i] !== word)) continue;
    const next = words[before.length];
    if (next !== undefined && !found.has(next)) {
      found.set(next, words.length === before.length + 1 ? summary : `${next} ...`);
    }
  }
  return found;
}

function groupWords(entries: readonly Entry[]): string[] {
  return [
    ...new Set(entries.filter(({ words }) => words.length > 1).map(({ words }) => words[0]!)),
  ];
}

function flagsOf(options: Entry["options"]): string[] {
  return options.flatMap(([name, option]) =>
    option.type === "boolean" && option.default ? [`--${name}`, `--no-${name}`] : [`--${name}`]
  );
}

function formatBash(app: App, entries: readonly Entry[]): string {
  const id = `_${app.name.replace(/\W/g, "_")}`;
  const top = [
    ...nextWords(entries, []).keys(),
    "completions",
    ...[...OWN_OPTIONS.keys()].map((name) => `--${name}`),
  ];
  const groups = groupWords(entries).map((word) =>
    `    ${word}) [[ $COMP_CWORD -eq 2 ]] && words='${
      [...nextWords(entries, [word]).keys()].join(" ")
    }';;`
  );
  const flags = entries.map(({ words, options }) =>
    `    '${words.join(" ")}') flags='${flagsOf(options).join(" ")}';;`
  );
  const choices = entries.flatMap(({ words, options }) =>
    options.filter(([, option]) => option.choices).map(([name, option]) =>
      `    '${words.join(" ")}:--${name}') choices='${option.choices!.join(" ")}';;`
    )
  );
  return `# bash completion of ${app.name}
${id}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local one="\${COMP_WORDS[1]-}" two="\${COMP_WORDS[2]-}" name words='' flags='' choices=''
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W '${top.join(" ")}' -- "$cur"))
    return
  fi
  case "$one" in
    completions) words='bash zsh fish';;
${groups.join("\n")}
  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  name="$one"
  case "$one" in
    ${groupWords(entries).join("|") || "''"}) name="$one $two";;
  esac
  if [[ $prev == = ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ $cur == = ]]; then prev="\${COMP_WORDS[COMP_CWORD-1]}" cur=''; fi
  case "$name:$prev" in
${choices.join("\n")}
  esac
  if [[ -n $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$cur"))
    return
  fi
  case "$name" in
${flags.join("\n")}
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur")); fi
}
complete -o default -F ${id} ${app.name}
`;
}

function quoteZsh(text: string): string {
  return `'${text.replace(/[\\[\]:]/g, "\\$&").replaceAll("'", "'\\''")}'`;
}

function formatZsh(app: App, entries: readonly Entry[]): string {
  const id = `_${app.name}`; // the name of the file too, if it is put into $fpath
  const describe = (words: Map<string, string>): string =>
    [...words].map(([word, help]) => quoteZsh(word).slice(0, -1) + ":" + quoteZsh(help).slice(1))
      .join(" ");
  const top = nextWords(entries, []).set("completions", "Print a completion script for a shell");
  const groups = groupWords(entries).map((word) =>
    `    ${word})
      if (( CURRENT == 3 )); then
        words_of_group=(${describe(nextWords(entries, [word]))})
        _describe -t commands 'sub-command' words_of_group
        return
      fi
      name="$words[2] $words[3]"
      ;;`
  );
  const cases = entries.map(({ words, options }) => {
    const specs = options.flatMap(([name, option]) => {
      const help = option.help.replace(/[\\[\]:]/g, "\\$&").replaceAll("'", "'\\''");
      const value = option.type === "boolean"
        ? ""
        : `:${option.value ?? name}:${option.choices ? `(${option.choices.join(" ")})` : "_files"}`;
      const repeat = option.multiple ? "*" : "";
      const spec = (flag: string): string => `'${repeat}${flag}[${help}]${value}'`;
      return option.type === "boolean" && option.default
        ? [spec(`--${name}`), spec(`--no-${name}`)]
        : option.type === "boolean"
        ? [spec(`--${name}`)]
        : [spec(`--${name}=`)];
    });
    return `    '${words.join(" ")}') _arguments -s ${specs.join(" ")} '*:file:_files';;`;
  });
  return `#compdef ${app.name}
${id}() {
  local -a tool_words words_of_group
  local name="$words[2]"
  if (( CURRENT == 2 )) && [[ $PREFIX == -* ]]; then
    tool_words=(${describe(new Map([...OWN_OPTIONS].map(([name, help]) => [`--${name}`, help])))})
    _describe -o 'option' tool_words
    return
  fi
  if (( CURRENT == 2 )); then
    tool_words=(${describe(top)})
    _describe -t commands 'command' tool_words
    return
  fi
  case "$words[2]" in
    completions) compadd bash zsh fish; return;;
${groups.join("\n")}
  esac
  case "$name" in
${cases.join("\n")}
  esac
}
if [[ "\${funcstack[1]-}" == ${id} ]]; then ${id} "$@"; else compdef ${id} ${app.name}; fi
`;
}

function quoteFish(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

function formatFish(app: App, entries: readonly Entry[]): string {
  const lines = [`# fish completion of ${app.name}`];
  const top = nextWords(entries, []).set("completions", "Print a completion script for a shell");
  for (const [word, help] of top) {
    lines.push(
      `complete -c ${app.name} -n __fish_use_subcommand -f -a ${word} -d ${quoteFish(help)}`,
    );
  }
  for (const [name, help] of OWN_OPTIONS) {
    lines.push(
      `complete -c ${app.name} -n __fish_use_subcommand -f -l ${name} -d ${quoteFish(help)}`,
    );
  }
  lines.push(
    `complete -c ${app.name} -n '__fish_seen_subcommand_from completions' -f -a 'bash zsh fish'`,
  );
  for (const word of groupWords(entries)) {
    const next = nextWords(entries, [word]);
    const unseen = `__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${
      [...next.keys()].join(" ")
    }`;
    for (const [second, help] of next) {
      lines.push(`complete -c ${app.name} -n '${unseen}' -f -a ${second} -d ${quoteFish(help)}`);
    }
  }
  for (const { words, options } of entries) {
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    for (const [name, option] of options) {
      const value = option.type === "boolean"
        ? ""
        : option.choices
        ? ` -x -a ${quoteFish(option.choices.join(" "))}`
        : " -r";
      const short = option.short ? ` -s ${option.short}` : "";
      const describe = (flag: string) =>
        `complete -c ${app.name} -n '${seen}' -l ${flag}${value} -d ${quoteFish(option.help)}`;
      lines.push(describe(`${name}${short}`));
      if (option.type === "boolean" && option.default) lines.push(describe(`no-${name}`));
    }
  }
  return `${lines.join("\n")}\n`;
}
