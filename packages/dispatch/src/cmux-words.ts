import { quoteWord } from "@okstra/kit/command-line";

/** A terminal to open as a tab of the workspace that the caller belongs to. */
export interface SurfaceRequest {
  readonly workspace: string;
  readonly directory: string;
  /** Script that the terminal becomes. */
  readonly scriptPath: string;
}

/** Returns the words that open a terminal which becomes a script; nothing is typed by us. */
export function openSurfaceWords(request: SurfaceRequest): readonly string[] {
  return [
    "new-surface",
    "--type",
    "terminal",
    "--workspace",
    request.workspace,
    "--working-directory",
    request.directory,
    "--focus",
    "false",
    "--command",
    `exec /bin/sh ${quoteWord(request.scriptPath)}`,
  ];
}

/** Returns the surface that an answer such as `OK surface:7 pane:2 workspace:1` names; `null` if it names none. */
export function parseSurface(answer: string): string | null {
  return /^OK(?:\s.*)?\s(surface:\d+)(?:\s|$)/.exec(answer.trim())?.[1] ?? null;
}

/** Returns the words that ask which surface a name stands for. */
export function identifyWords(workspace: string, surface: string): readonly string[] {
  return [
    "identify",
    "--json",
    "--id-format",
    "both",
    "--workspace",
    workspace,
    "--surface",
    surface,
  ];
}

/** Where a caller is, as `identify` tells; what it does not tell is empty. */
export interface CallerFacts {
  readonly workspaceId: string;
  readonly workspaceRef: string;
  readonly surfaceId: string;
  readonly surfaceRef: string;
}

/**
 * Reads the caller of an `identify` answer; `null` if it is none.
 *
 * Only the caller counts: what is focused is what the user looks at.
 */
export function parseCaller(answer: string): CallerFacts | null {
  try {
    const caller = (JSON.parse(answer) as { caller?: Record<string, unknown> } | null)?.caller;
    if (typeof caller !== "object" || caller === null) return null;
    const text = (key: string) => typeof caller[key] === "string" ? caller[key].trim() : "";
    return {
      workspaceId: text("workspace_id"),
      workspaceRef: text("workspace_ref"),
      surfaceId: text("surface_id"),
      surfaceRef: text("surface_ref"),
    };
  } catch {
    return null;
  }
}

/** How loud a line of the sidebar is. */
export type SidebarLevel = "info" | "progress" | "success" | "warning" | "error";

const LEVELS: Readonly<Record<string, SidebarLevel>> = {
  "worker-dispatched": "progress",
  "worker-result-collected": "success",
  "worker-retry-scheduled": "warning",
  "worker-failed": "error",
};

/** What the sidebar shows of an event. */
export interface SidebarEntry {
  readonly level: SidebarLevel;
  readonly text: string;
  /** `null`: nobody needs to be called. */
  readonly notice: { readonly title: string; readonly body: string } | null;
}

/** Writes an event for the sidebar; a failure also calls the user. */
export function formatSidebarEntry(
  type: string,
  details: Readonly<Record<string, unknown>>,
  taskType: string,
): SidebarEntry {
  const text = (key: string) => {
    const value = details[key];
    return typeof value === "string" ? value.trim() : "";
  };
  const worker = text("workerId") || "worker";
  const word = type.startsWith("worker-") ? type.slice("worker-".length) : type;
  return {
    level: LEVELS[type] ?? "info",
    text: `${worker}: ${word}`,
    notice: type !== "worker-failed" ? null : {
      title: `okstra — ${taskType}`,
      body: `${worker}: ${text("reason") || "no reason was recorded"}`,
    },
  };
}
