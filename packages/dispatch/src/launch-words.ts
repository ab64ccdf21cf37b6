/** Exit status of a launch that found its attempt claimed, or that could not claim it. */
const UNCLAIMED_STATUS = 75;

// Whoever makes the claim owns the attempt: this shell, or a dispatcher that gives the attempt up. It is written under a
// name of its own and then linked, which fails where there is a claim, so that a claim that is there is whole. The number
// of this process stays that of the wrapper, which replaces it; its start time is field 22 of what Linux says, counted
// behind the name, which may hold blanks. No variable of the worker may be touched, so ours have names of their own.
const SCRIPT = `
if read -r okstra_born 2>/dev/null </proc/$$/stat; then
  okstra_born=\${okstra_born##*) } okstra_n=3
  while [ $okstra_n -lt 22 ]; do okstra_born=\${okstra_born#* } okstra_n=$((okstra_n + 1)); done
  okstra_born=\${okstra_born%% *}
else
  okstra_born=$(LC_ALL=C TZ=UTC ps -o lstart= -p $$)
fi
okstra_path=\${PATH-}
{
  cd -- "$2" && printf '%s\\n' "$$ $okstra_born" "\${CMUX_SURFACE_ID-}" >"$1.$$" || exit ${UNCLAIMED_STATUS}
  PATH=\${PATH:+$PATH:}/usr/bin:/bin
  ln -- "$1.$$" "$1" || { rm -f -- "$1.$$"; exit ${UNCLAIMED_STATUS}; }
  rm -f -- "$1.$$"
} 2>/dev/null
PATH=$okstra_path
unset okstra_born okstra_n okstra_path
shift 2
exec "$@"
`;

/** What a claim says when a dispatcher made it, so that nothing will ever start. */
export const WITHDRAWN = "withdrawn";

/**
 * Returns the words that claim an attempt and then become its wrapper; of all that try, one does.
 *
 * @param claimPath file that is created with the number and start time of the process
 */
export function launchWords(
  claimPath: string,
  directory: string,
  command: readonly string[],
): readonly string[] {
  return ["/bin/sh", "-c", SCRIPT, "okstra-launch", claimPath, directory, ...command];
}

/** What a claim says. */
export type Claim =
  | { readonly kind: "none" | "withdrawn" | "unreadable" }
  | {
    readonly kind: "started";
    readonly pid: number;
    /** `null`: it could not be read. */
    readonly startTime: string | null;
    /** Lasting id of the cmux surface around it; empty: none. One without a place of its own has its caller's. */
    readonly surface: string;
  };

/** Reads the text of a claim. */
export function parseClaim(text: string): Claim {
  const [line = "", surface = ""] = text.split("\n").map((line) => line.trim());
  if (line === WITHDRAWN) return { kind: "withdrawn" };
  const match = /^(\d{1,10})(?:\s+(.+))?$/.exec(line);
  if (match === null) return { kind: "unreadable" };
  return {
    kind: "started",
    pid: Number(match[1]),
    startTime: match[2] ?? null,
    surface: /^[\w.:-]{1,100}$/.test(surface) ? surface : "",
  };
}
