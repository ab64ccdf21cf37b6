// The words of the scripts of this repository.
import process from "node:process";
import { parseArgs } from "node:util";

/**
 * Parses the words of a script as `parseArgs` does; wrong ones are told as the tools tell them, and `null` is returned
 * with the exit status set to 2. `numbers` names the options that are whole numbers from 1 up.
 */
export function parseWords(script, config, numbers = []) {
  let words;
  const hint = config.options?.help === undefined ? undefined : `scripts/${script} --help`;
  try {
    words = parseArgs(config);
  } catch (error) {
    if (!/^ERR_PARSE_ARGS/.test(error.code ?? "")) throw error;
    return refuseWords(
      script,
      `Cannot read the arguments: ${error.message.replace(/[.](\s.*)?$/s, "")}`,
      hint,
    );
  }
  const wrong = numbers.find((name) => !isCount(words.values[name]));
  if (wrong === undefined) return words;
  return refuseNumber(script, words.values[wrong], ` as --${wrong}`, hint);
}

/** Parses words that are numbers from 1 up, as `parseWords` does; without any these are the `usual` ones. */
export function parseCounts(script, usual) {
  const words = parseWords(script, { allowPositionals: true });
  if (words === null) return null;
  const wrong = words.positionals.find((word) => !isCount(word));
  if (wrong !== undefined) return refuseNumber(script, wrong, "");
  return words.positionals.length > 0 ? words.positionals.map(Number) : usual;
}

/** Returns words of which each has to be one of the `known` ones; else as `parseWords`. */
export function parseNames(script, words, known) {
  const unknown = words.filter((word) => !known.includes(word));
  if (unknown.length === 0) return words;
  const state = `Cannot take "${unknown.join('", "')}": there is no such name`;
  return refuseWords(script, state, `one of ${known.join(", ")}`);
}

const isCount = (word) => /^[1-9][0-9]{0,8}$/.test(word);

const refuseNumber = (script, word, role, hint) =>
  refuseWords(script, `Cannot take "${word}"${role}: it is no whole number from 1 up`, hint);

/** Tells that a script cannot take its words, sets the exit status to 2, and returns `null`. */
export function refuseWords(script, message, hint = `head scripts/${script}`) {
  console.error(`${script}: error: ${message}\n${script}: hint: ${hint}`);
  process.exitCode = 2;
  return null;
}

/** For scripts that do their work at their top: ends the process if there are no words. */
export function need(words) {
  if (words === null) process.exit();
  return words;
}
