/** The hooks of settings: event → groups. */
export type Hooks = Readonly<Record<string, readonly { readonly hooks: readonly unknown[] }[]>>;
export function addHooks(before: string | null, hooks: Hooks): string;
export function removeHooks(before: string | null, commands: readonly string[]): string | null;
export function commandsOf(hooks: Hooks): string[];
