import { isBlank } from "@okstra/manifest-io/blank";

/** Where the prompt of a run stands whose words could not even be taken apart; `prompt` is `null` if nowhere. */
export interface PromptWord {
  readonly prompt: string | null;
  /** The positions that are there; none in the form with a command after `--`. */
  readonly positionals: readonly string[];
}

/** Options that the next word belongs to. */
const VALUED: readonly string[] = [
  "--errors",
  "--idle-timeout",
  "--invocation-metadata",
  "--presentation",
  "--prompt",
  "--provider",
  "--result",
  "--session-id",
  "--total-timeout",
];

/**
 * Finds the prompt among words of which some are wrong, so that their refusal can be recorded.
 *
 * Words behind an option that nobody knows may be its value: only positions before it are believed.
 */
export function findPromptWord(words: readonly string[]): PromptWord {
  const positionals: string[] = [];
  let named = "", isLost = false;
  for (let i = 0; i < words.length && words[i] !== "--"; i++) {
    const word = words[i]!, isOption = word.length > 1 && word.startsWith("-");
    const [name = "", ...joined] = isOption ? word.split("=") : [];
    if (isOption && VALUED.includes(name)) {
      const value = joined.length > 0 ? joined.join("=") : words[++i] ?? "";
      if (name === "--prompt") named = value;
    } else if (isOption) isLost = true;
    else if (!isLost) positionals.push(word);
  }
  const prompt = positionals.length > 0 ? positionals[2] ?? "" : named;
  return { prompt: isBlank(prompt) || prompt === "-" ? null : prompt, positionals };
}
