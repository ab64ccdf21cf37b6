import * as v from "valibot";
import { OkstraError } from "./errors.ts";
import { formatPointer } from "./json-pointer.ts";
import type { WritePolicy } from "./write-policy.ts";

const texts = v.array(v.string());

const schema = v.looseObject({
  role: v.string(),
  projectRoot: v.pipe(v.string(), v.minLength(1)),
  sourcePolicy: v.looseObject({
    allowedRoot: v.nullable(v.string()),
    plannedPaths: texts,
    plannedPathsDeclared: v.boolean(),
  }),
  artifactPaths: texts,
  auxiliaryRoots: texts,
  precision: v.string(),
});

/**
 * Returns a write policy that was stored with an invocation.
 *
 * @throws {OkstraError} `bad-write-policy` with every problem, if it is none
 */
export function parseWritePolicy(invocationRef: string, value: unknown): WritePolicy {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new OkstraError(
    "bad-write-policy",
    `Cannot use the write policy of ${invocationRef}: it has not the shape of one`,
    {
      issues: result.issues.map((issue) => ({
        pointer: formatPointer(
          ["writePolicy", ...(issue.path ?? []).map((item) => item.key as string | number)],
        ),
        message: issue.message,
      })),
    },
  );
}
