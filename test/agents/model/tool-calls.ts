import type { ModelAnswer, OfferedTool } from "./wire.ts";

/** Tools that write a file: the names of their parameters for path and content. */
const WRITERS: readonly (readonly [name: string, path: string, content: string])[] = [
  ["Write", "file_path", "content"],
  ["write", "path", "content"],
  ["write", "filePath", "content"],
  ["write_file", "file_path", "content"],
  ["create", "path", "file_text"],
];

/** Tools that run a command of the shell, and the name of the parameter for it. */
const SHELLS: readonly (readonly [name: string, command: string])[] = [
  ["exec_command", "cmd"],
  ["Bash", "command"],
  ["bash", "command"],
  ["run_shell_command", "command"],
  ["shell_command", "command"],
];

/**
 * Calls the tool by which an agent writes a file: its own for that, else its shell. `null` if it offers neither, as in
 * the requests by which an agent finds a title for its session.
 */
export function callWriter(
  tools: readonly OfferedTool[],
  path: string,
  content: string,
): ModelAnswer | null {
  for (const [name, pathKey, contentKey] of WRITERS) {
    if (tools.some((tool) => tool.name === name && tool.parameters.includes(pathKey))) {
      return { kind: "call", name, args: { [pathKey]: path, [contentKey]: content } };
    }
  }
  const quoted = `'${path.replaceAll("'", `'\\''`)}'`;
  const mark = "END_OF_RESULT";
  return callShell(tools, `cat >${quoted} <<'${mark}'\n${content.replace(/\n?$/, "\n")}${mark}\n`);
}

/** Calls the tool by which an agent runs a command; `null` if it offers none. */
export function callShell(tools: readonly OfferedTool[], command: string): ModelAnswer | null {
  for (const [name, key] of SHELLS) {
    const tool = tools.find((tool) => tool.name === name);
    if (tool === undefined) continue;
    const optional: Record<string, unknown> = {
      description: "do what the task needs",
      is_background: false,
    };
    const more = Object.entries(optional).filter(([name]) => tool.parameters.includes(name));
    return { kind: "call", name, args: { [key]: command, ...Object.fromEntries(more) } };
  }
  return null;
}
