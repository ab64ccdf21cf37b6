import { UsageError } from "./usage-error.ts";

const LAST_SECOND = 253402300799; // 9999-12-31T23:59:59Z

/**
 * Returns the time that `SOURCE_DATE_EPOCH` fixes, or `undefined` if it is unset or empty.
 *
 * @throws {UsageError} If it is not a whole number of seconds since 1970.
 */
export function readSourceDate(io: { env(name: string): string | undefined }): Date | undefined {
  const text = io.env("SOURCE_DATE_EPOCH");
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,12}$/.test(text) || Number(text) > LAST_SECOND) {
    throw new UsageError(`Cannot read SOURCE_DATE_EPOCH as a time: got "${text}"`, {
      hint: "Set it to whole seconds since 1970, or unset it",
    });
  }
  return new Date(Number(text) * 1000);
}
