import { canonicalJson } from "./canonical-json.ts";
import { createDigester, type OpenDigest } from "./digester.ts";

export type { OpenDigest };

/** Digest of no bytes. */
export const EMPTY_DIGEST =
  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Shape of a digest: `sha256:` and 64 lower-case hexadecimal digits. */
export const DIGEST_PATTERN = /^sha256:[0-9a-f]{64}$/;

// Under Deno the first touch of node:crypto takes as long as an empty program, and as the library for about so many
// bytes. Node has it in 4 ms.
const digester = createDigester("Deno" in globalThis ? 1_000_000 : 0);

/** Returns the SHA-256 digest of bytes, or of a text as UTF-8, as `sha256:<hex>`. */
export function digestBytes(data: Uint8Array | string): string {
  return digester.digestBytes(data);
}

/** Returns the digest of bytes that may become longer. */
export function openDigest(bytes: Uint8Array): OpenDigest {
  return digester.openDigest(bytes);
}

/** Returns the digest of bytes that come in parts; a part may be overwritten once the next one is asked for. */
export function digestChunks(chunks: Iterable<Uint8Array>): string {
  return digester.digestChunks(chunks);
}

/** Returns the digest of a value's canonical form. */
export function digestJson(value: unknown): string {
  return digestBytes(canonicalJson(value));
}
