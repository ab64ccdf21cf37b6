/** Tells whether a text shows nothing to its reader, so that it says nothing. */
export function isBlank(text: string): boolean {
  // Most texts are told apart by this, which is made sooner than the pattern below.
  if (/[!-~]/.test(text)) return false;
  // White space, and characters that show nothing: controls, marks of the writing direction, joiners, fillers.
  return /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);
}
