import { OkstraError } from "./errors.ts";

/** The canonical roles and the seconds without progress after which such a worker is ended; `null`: never. */
export const ROLES = {
  leader: null,
  analyser: 600,
  researcher: 600,
  critic: 600,
  planner: 900,
  designer: 900,
  implementer: 1500,
  executor: 1500,
  verifier: 1500,
  "report-writer": 900,
  translator: 900,
} as const;
export type Role = keyof typeof ROLES;

/** What an invocation asks of its worker, and the role that does such work. */
export const DUTIES = {
  "lead": "leader",
  "discussion-analysis": "analyser",
  "requirements-analysis": "analyser",
  "analysis": "analyser",
  "design-authoring": "designer",
  "implementation-planning": "planner",
  "implementation": "implementer",
  "implementation-executor": "executor",
  "implementation-verifier": "verifier",
  "final-verification": "verifier",
  "release-planning": "planner",
  "source-research": "researcher",
  "convergence-reverify": "analyser",
  "coverage-critique": "critic",
  "report-authoring": "report-writer",
  "translation": "translator",
} as const satisfies Record<string, Role>;
export type Duty = keyof typeof DUTIES;

/** The duty of the first assignment, by task type. */
export const ANALYSIS_DUTY_BY_TASK_TYPE = {
  "discussion": "discussion-analysis",
  "requirements": "requirements-analysis",
  "analysis": "analysis",
  "design": "design-authoring",
  "implementation-planning": "implementation-planning",
  "implementation": "implementation",
  "final-verification": "final-verification",
  "release": "release-planning",
} as const satisfies Record<string, Duty>;

/**
 * Returns the canonical role that a duty belongs to.
 *
 * @throws {OkstraError} `unknown-duty`
 */
export function roleForDuty(duty: string): Role {
  if (Object.hasOwn(DUTIES, duty)) return DUTIES[duty as Duty];
  throw new OkstraError("unknown-duty", `Cannot find the role of duty "${duty}": no such duty`, {
    hint: `use one of ${Object.keys(DUTIES).join(", ")}`,
  });
}

/**
 * Accepts a canonical role id and nothing else.
 *
 * @throws {OkstraError} `unknown-role`; the hint lists the eleven ids
 */
export function normalizeRole(role: string): Role {
  if (Object.hasOwn(ROLES, role)) return role as Role;
  throw new OkstraError("unknown-role", `Cannot use "${role}" as a role: no such role`, {
    hint: `use one of ${Object.keys(ROLES).join(", ")}`,
  });
}

/** Returns the role and duty catalogue as the text whose digest an invocation carries. */
export function catalogText(): string {
  return `${JSON.stringify({ roles: ROLES, duties: DUTIES })}\n`;
}
