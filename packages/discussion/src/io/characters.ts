import { Buffer, isAscii } from "node:buffer";
import type { Characters } from "../line-reader.ts";

/** Returns bytes as characters, one of each: a copy, where decoding them would cost more than hashing them. */
export function readCharacters(bytes: Uint8Array): Characters {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return { content, isAscii: isAscii(bytes) };
}
