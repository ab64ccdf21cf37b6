/**
 * Writes an argument so that tmux takes it as it is: a semicolon at the end of an argument would end the command.
 */
export function escapeArgument(argument: string): string {
  return argument.endsWith(";") ? `${argument.slice(0, -1)}\\;` : argument;
}

/** Writes a text so that tmux does not expand it where it expects a format; `#(…)` would even be run by a shell. */
export function escapeFormat(text: string): string {
  return text.replaceAll("#", "##");
}

/** How a pane is to be named, marked and filled. */
export interface PaneSetup {
  /** Such as `%5`. */
  readonly paneId: string;
  readonly title: string;
  /** Options of the pane by name, each with a leading `@`. */
  readonly tags: Readonly<Record<string, string>>;
  /** Variables of the pane's process; `null` takes one away. */
  readonly variables: Readonly<Record<string, string | null>>;
  readonly command: readonly string[];
}

/**
 * Returns the words of one tmux call that fills a pane and tells the number of its process.
 *
 * Everything that the pane is to keep is set before its process starts, so that an early end is not missed. `env` stands
 * before the command because tmux hands a single word to a shell.
 */
export function paneSetupWords(setup: PaneSetup): readonly string[] {
  const { paneId, title, tags, variables, command } = setup;
  const set = Object.entries(variables).flatMap(([name, value]) =>
    value === null ? [] : ["-e", `${name}=${value}`]
  );
  const unset = Object.entries(variables).flatMap(([name, value]) =>
    value === null ? ["-u", name] : []
  );
  const commands = [
    ["set-option", "-p", "-t", paneId, "remain-on-exit", "on"],
    ...Object.entries(tags).map((tag) => ["set-option", "-p", "-t", paneId, ...tag]),
    ["select-pane", "-t", paneId, "-T", escapeFormat(title)],
    ["respawn-pane", "-k", "-t", paneId, ...set, "--", "env", ...unset, ...command],
    ["display-message", "-p", "-t", paneId, "#{pane_id} #{pane_pid}"],
  ];
  return commands.flatMap((words, at) => [
    ...(at === 0 ? [] : [";"]),
    ...words.map((word, i) => i === 0 ? word : escapeArgument(word)),
  ]);
}

/** What tmux says about a pane. */
export type PaneState =
  | { readonly kind: "absent" }
  | { readonly kind: "alive" }
  /** The number belongs to a pane of something else now. */
  | { readonly kind: "foreign" }
  | {
    readonly kind: "dead";
    readonly status: number | null;
    readonly signal: string | null;
  };

/** Format of the answer that {@linkcode parsePaneState} reads. */
export const PANE_STATE_FORMAT =
  "#{pane_id} #{pane_dead} [#{pane_dead_status}] [#{pane_dead_signal}] #{@okstra_run} #{@okstra_dispatch}";

/**
 * Reads what tmux answered about a pane. For a pane that is not there it answers with an empty line and status 0.
 *
 * @param mark the run and the dispatch that the pane must carry; dispatches of several runs have the same name, and after
 *   a restart of the server so have their panes
 */
export function parsePaneState(answer: string, paneId: string, mark: string): PaneState {
  const match = /^(%\d+) ([01]?) \[(\d*)\] \[([A-Za-z0-9]*)\] ?(.*)$/s.exec(answer.trim());
  if (match === null || match[1] !== paneId) return { kind: "absent" };
  if (match[5] !== mark) return { kind: "foreign" };
  if (match[2] !== "1") return { kind: "alive" };
  return {
    kind: "dead",
    status: match[3] === "" ? null : Number(match[3]),
    signal: match[4] === "" ? null : match[4]!,
  };
}
