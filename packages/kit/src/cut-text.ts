/** How long the parts are into which a text is cut; one that is no longer stays whole. */
export const PART_LENGTH = 1 << 20;

/**
 * Cuts a text into parts of about {@linkcode PART_LENGTH} units, none of which ends between the halves of a surrogate pair: as bytes one
 * behind the other they are those of the text, and all of them at once would take several times its memory.
 */
export function* cutText(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = at + PART_LENGTH;
    const isHigh = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    yield text.slice(at, at = isHigh ? end + 1 : end);
  }
}
