/** The agent command lines that are tested with, by name. */
export const AGENTS: Readonly<
  Record<string, {
    readonly version: string;
    readonly packages: readonly string[];
    readonly program: string;
    readonly node?: { readonly name: string; readonly spec: string } | null;
  }>
>;
/** Those that are installed without being named. */
export const DEFAULT_AGENTS: readonly string[];
/** Returns the folder below which agents are installed. */
export function agentsFolder(env?: Readonly<Record<string, string | undefined>>): string;
/** Returns the folder of one agent's pinned version; its program is `bin/NAME` in it. */
export function agentFolder(
  name: string,
  env?: Readonly<Record<string, string | undefined>>,
): string;
