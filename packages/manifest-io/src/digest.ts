import type * as NodeCrypto from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

const crypto = (): typeof NodeCrypto => process.getBuiltinModule("node:crypto");

/** Digest of no bytes. */
export const EMPTY_DIGEST =
  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Shape of a digest: `sha256:` and 64 lower-case hexadecimal digits. */
export const DIGEST_PATTERN = /^sha256:[0-9a-f]{64}$/;

/** Returns the SHA-256 digest of bytes, or of a text as UTF-8, as `sha256:<hex>`. */
export function digestBytes(data: Uint8Array | string): string {
  return `sha256:${crypto().createHash("sha256").update(data).digest("hex")}`;
}

/** Returns the digest of bytes that come in parts; a part may be overwritten once the next one is asked for. */
export function digestChunks(chunks: Iterable<Uint8Array>): string {
  const hash = crypto().createHash("sha256");
  for (const chunk of chunks) hash.update(chunk);
  return `sha256:${hash.digest("hex")}`;
}

/** Returns the digest of a value's canonical form. */
export function digestJson(value: unknown): string {
  return digestBytes(canonicalJson(value));
}
