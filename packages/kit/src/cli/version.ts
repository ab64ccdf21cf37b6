/** The version of all tools; that of `deno.json` and `package.json`. */
export const VERSION = "0.1.0";
