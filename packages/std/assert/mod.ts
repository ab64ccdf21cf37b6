// Stand-in for jsr:@std/assert where JSR cannot be reached: the part of its API that these tests use.
import nodeAssert from "node:assert/strict";

/** Asserts that a value is truthy. */
export function assert(expr: unknown, msg?: string): asserts expr {
  nodeAssert.ok(expr, msg);
}

/** Asserts deep, strict equality. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  nodeAssert.deepEqual(actual, expected, msg);
}

/** Asserts that two values are not deeply, strictly equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  nodeAssert.notDeepEqual(actual, expected, msg);
}

/** Asserts that a text contains another. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  nodeAssert.ok(
    actual.includes(expected),
    msg ?? `expected ${JSON.stringify(actual)} to contain ${JSON.stringify(expected)}`,
  );
}

/** Asserts that a text matches a pattern. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  nodeAssert.match(actual, expected, msg);
}

type ErrorClass<E> = abstract new (...args: never[]) => E;

function checkThrown<E>(error: unknown, wanted: ErrorClass<E> | undefined, text: string): E {
  nodeAssert.ok(error instanceof (wanted ?? Error), `threw ${error}`);
  assertStringIncludes((error as Error).message, text);
  return error as E;
}

/** Asserts that a function throws, and returns what it threw. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  wanted?: ErrorClass<E>,
  msgIncludes = "",
): E {
  try {
    fn();
  } catch (error) {
    return checkThrown(error, wanted, msgIncludes);
  }
  throw new nodeAssert.AssertionError({ message: "expected the function to throw" });
}

/** Asserts that a promise is rejected, and resolves to the reason. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  wanted?: ErrorClass<E>,
  msgIncludes = "",
): Promise<E> {
  try {
    await fn();
  } catch (error) {
    return checkThrown(error, wanted, msgIncludes);
  }
  throw new nodeAssert.AssertionError({ message: "expected the promise to be rejected" });
}
