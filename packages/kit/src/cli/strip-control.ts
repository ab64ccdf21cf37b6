// In this order: CSI; OSC, DCS, SOS, PM and APC strings to their end; any other escape; what is left of C0 and C1;
// direction overrides; line separators.
const UNSAFE =
  // deno-lint-ignore no-control-regex
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?|[\x00-\x1f\x7f-\x9f]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u2028\u2029]/g;

/**
 * Removes what a text could do to a terminal: control characters, escape sequences and changes of the writing
 * direction. Line breaks and tabs become spaces unless `keepLines` is set.
 */
export function stripControl(text: string, options: { keepLines?: boolean } = {}): string {
  return text.replace(UNSAFE, (match) => {
    if (match === "\n" || match === "\t") return options.keepLines ? match : " ";
    return match === "\u2028" || match === "\u2029" ? " " : "";
  });
}
