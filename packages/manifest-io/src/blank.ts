/** Tells whether a text shows nothing to its reader, so that it says nothing. */
export function isBlank(text: string): boolean {
  // Most texts begin with what can be seen, and all else about reading one would take less time than making a pattern.
  if (text === "") return true;
  const first = text.charCodeAt(0);
  if (first > 0x20 && first < 0x7f) return false;
  // White space, and characters that show nothing: controls, marks of the writing direction, joiners, fillers.
  return /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);
}
