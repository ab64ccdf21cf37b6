/** Cuts bytes into their lines, without line feeds, and what stands behind the last of them. */
export function splitLines(bytes: Uint8Array): {
  readonly lines: readonly Uint8Array[];
  readonly rest: Uint8Array;
} {
  const lines: Uint8Array[] = [];
  let from = 0;
  for (;;) {
    const end = bytes.indexOf(0x0a, from);
    if (end < 0) return { lines, rest: bytes.subarray(from) };
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
}

/** Decodes bytes; `null` if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  const content = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  // The replacement character stands for bytes that are no text, or for itself. Deciding that is slow, and rarely due.
  if (!content.includes("\uFFFD")) return content;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
