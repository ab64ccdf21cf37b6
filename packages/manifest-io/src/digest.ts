import type * as NodeCrypto from "node:crypto";
import { canonicalJson } from "./canonical-json.ts";

let loaded: typeof NodeCrypto | undefined;
const crypto = () => loaded ??= process.getBuiltinModule("node:crypto");

/** Digest of no bytes. */
export const EMPTY_DIGEST =
  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Shape of a digest: `sha256:` and 64 lower-case hexadecimal digits. */
export const DIGEST_PATTERN = /^sha256:[0-9a-f]{64}$/;

/** Returns the SHA-256 digest of bytes, or of a text as UTF-8, as `sha256:<hex>`. */
export function digestBytes(data: Uint8Array | string): string {
  const { hash, createHash } = crypto();
  // In one call it takes half the time, which counts where thousands of short texts are digested.
  const hex = hash?.("sha256", data, "hex") ?? createHash("sha256").update(data).digest("hex");
  return `sha256:${hex}`;
}

/** The digest of bytes, which can be continued without reading them again. */
export interface OpenDigest {
  readonly digest: string;
  /** Returns the digest of the bytes and further ones behind them. */
  digestWith(more: Uint8Array): string;
}

/** Returns the digest of bytes that may become longer. */
export function openDigest(bytes: Uint8Array): OpenDigest {
  const hash = crypto().createHash("sha256").update(bytes);
  return {
    digest: `sha256:${hash.copy().digest("hex")}`,
    digestWith: (more) => `sha256:${hash.copy().update(more).digest("hex")}`,
  };
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
