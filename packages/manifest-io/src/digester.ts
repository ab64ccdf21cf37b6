import type * as NodeCrypto from "node:crypto";
import { cutText, PART_LENGTH } from "@okstra/kit/cut-text";
import { hash as sha256, SHA256 } from "@stablelib/sha256";

/** The digest of bytes, which can be continued without reading them again. */
export interface OpenDigest {
  readonly digest: string;
  /** Returns the digest of the bytes and further ones behind them. */
  digestWith(more: Uint8Array): string;
}

/** What computes SHA-256 digests, as `sha256:<hex>`. */
export interface Digester {
  digestBytes(data: Uint8Array | string): string;
  openDigest(bytes: Uint8Array): OpenDigest;
  digestChunks(chunks: Iterable<Uint8Array>): string;
}

/**
 * Creates what computes digests: with a library as long as all that was digested is less than so many bytes, and with
 * `node:crypto` from then on, which is faster once it is loaded.
 */
export function createDigester(libraryBytes: number): Digester {
  let digestedBytes = 0, loaded: typeof NodeCrypto | undefined;
  const isFew = (sizeBytes: number) => !loaded && (digestedBytes += sizeBytes) < libraryBytes;
  const crypto = () => loaded ??= process.getBuiltinModule("node:crypto");
  return {
    digestBytes(data) {
      if (isFew(data.length)) return formatDigest(sha256(toBytes(data)));
      const { hash, createHash } = crypto();
      if (typeof data === "string" && data.length > PART_LENGTH) {
        const whole = createHash("sha256");
        for (const part of cutText(data)) whole.update(part);
        return `sha256:${whole.digest("hex")}`;
      }
      // In one call it takes half the time, which counts where thousands of short texts are digested.
      const hex = hash?.("sha256", data, "hex") ?? createHash("sha256").update(data).digest("hex");
      return `sha256:${hex}`;
    },
    openDigest(bytes) {
      if (isFew(bytes.length)) {
        const hash = new SHA256().update(bytes), state = hash.saveState();
        return {
          digest: formatDigest(hash.digest()),
          digestWith: (more) =>
            formatDigest(new SHA256().restoreState(state).update(more).digest()),
        };
      }
      const hash = crypto().createHash("sha256").update(bytes);
      return {
        digest: `sha256:${hash.copy().digest("hex")}`,
        digestWith: (more) => `sha256:${hash.copy().update(more).digest("hex")}`,
      };
    },
    digestChunks(chunks) {
      const hash = crypto().createHash("sha256"); // nobody knows how many will come
      for (const chunk of chunks) hash.update(chunk);
      return `sha256:${hash.digest("hex")}`;
    },
  };
}

function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

function formatDigest(bytes: Uint8Array): string {
  return `sha256:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
