/** Makes a text's line breaks line feeds, and characters that could deceive a reader visible, as `⟨U+202E⟩`. */
export function showHidden(text: string): string {
  // Control characters but line feed and tab; what is not seen but changes how other text is seen, such as marks of the
  // writing direction (joiners are left, since scripts and signs need them); halves of surrogate pairs; line separators.
  const hidden = /[^\P{Cc}\n\t]|(?![\u200c\u200d])\p{Cf}|[\p{Cs}\p{Zl}\p{Zp}]/gu;
  return text.replace(/\r\n?/g, "\n").replace(hidden, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    return `⟨U+${code}⟩`;
  });
}
