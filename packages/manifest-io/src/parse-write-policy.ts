import * as v from "valibot";
import { defineKind, validateShape } from "./document-kind.ts";
import { OkstraError } from "./errors.ts";
import { object } from "./schemas/common.ts";
import type { WritePolicy } from "./write-policy.ts";

const texts = v.array(v.string());

const writePolicy = defineKind(
  "write-policy",
  "write policy",
  object({
    role: v.string(),
    projectRoot: v.pipe(v.string(), v.minLength(1)),
    sourcePolicy: object({
      allowedRoot: v.nullable(v.string()),
      plannedPaths: texts,
      plannedPathsDeclared: v.boolean(),
    }),
    artifactPaths: texts,
    auxiliaryRoots: texts,
    precision: v.string(),
  }),
);

/**
 * Returns a write policy that was stored with an invocation.
 *
 * @throws {OkstraError} `bad-write-policy` with every problem, if it is none
 */
export function parseWritePolicy(invocationRef: string, value: unknown): WritePolicy {
  const issues = validateShape(writePolicy, value);
  if (issues.length === 0) return value as WritePolicy;
  throw new OkstraError(
    "bad-write-policy",
    `Cannot use the write policy of ${invocationRef}: it has not the shape of one`,
    {
      issues: issues.map((issue) => ({ ...issue, pointer: `/writePolicy${issue.pointer ?? ""}` })),
      hint: "no tool writes such a policy: prepare a new invocation with names of its own",
    },
  );
}
