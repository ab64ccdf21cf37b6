import { describe, it } from "node:test";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { command, type Option } from "./command.ts";
import { parseWords } from "./parse.ts";
import { UsageError } from "./usage-error.ts";

const options = {
  name: { type: "string", short: "n", help: "" },
  tone: { type: "string", choices: ["polite", "plain"], default: "plain", help: "" },
  tag: { type: "string", multiple: true, help: "" },
  count: { type: "number", short: "c", default: 2, min: 1, max: 9, integer: true, help: "" },
  ratio: { type: "number", help: "" },
  loud: { type: "boolean", short: "l", help: "" },
  end: { type: "boolean", short: "e", default: true, help: "" },
} as const satisfies Record<string, Option>;

const base = { summary: "", example: "", run: () => {} };
const sample = command({ ...base, args: [{ name: "FILE", optional: true, many: true }], options });

function parse(...words: string[]) {
  return parseWords(sample, words);
}

function refusal(...words: string[]): UsageError {
  return assertThrows(() => parse(...words), UsageError);
}

describe("parseWords()", () => {
  it("fills in defaults, false and empty lists", () => {
    assertEquals(parse().values, {
      name: undefined,
      tone: "plain",
      tag: [],
      count: 2,
      ratio: undefined,
      loud: false,
      end: true,
      errors: "text",
      help: false,
    });
  });

  it("takes a value apart, joined, and after a short name", () => {
    for (const words of [["--name", "Ada"], ["--name=Ada"], ["-n", "Ada"]]) {
      assertEquals(parse(...words).values["name"], "Ada");
    }
    assertEquals(parse("--name=").values["name"], "");
    assertEquals(parse("--name=a=b").values["name"], "a=b");
  });

  it("takes grouped short flags, the last with a value", () => {
    const { values } = parse("-lec", "3");
    assertEquals([values["loud"], values["end"], values["count"]], [true, true, 3]);
  });

  it("refuses a value inside a group", () => {
    const error = refusal("-lc3");
    assertEquals(error.message, 'Option "-c" takes a value, but stands inside "-lc3"');
    assertStringIncludes(error.hint ?? "", "--count=VALUE");
  });

  it("collects a repeatable option in order", () => {
    assertEquals(parse("--tag", "b", "--tag=a").values["tag"], ["b", "a"]);
  });

  it("refuses another option twice, also as its negation", () => {
    assertEquals(refusal("--name", "a", "-n", "b").message, 'Option "-n" is given more than once');
    assertEquals(refusal("--end", "--no-end").message, 'Option "--no-end" is given more than once');
  });

  it("negates booleans only", () => {
    assertEquals(parse("--no-end").values["end"], false);
    assertEquals(refusal("--no-name").message, 'Unknown option "--no-name"');
    assertEquals(refusal("--no-end=1").message, 'Option "--no-end" takes no value');
  });

  it("takes words after -- as arguments", () => {
    assertEquals(parse("a", "--", "--name", "-l").args, ["a", "--name", "-l"]);
  });

  it("keeps words after -- apart for a command that passes them on", () => {
    const wrap = command({ ...base, args: [{ name: "FILE" }], passthrough: true });
    const { args, rest } = parseWords(wrap, ["f", "--", "ls", "-l", "--", "x"]);
    assertEquals([args, rest], [["f"], ["ls", "-l", "--", "x"]]);
  });

  it("takes - as an argument and as a value", () => {
    assertEquals(parse("-").args, ["-"]);
    assertEquals(parse("--name", "-").values["name"], "-");
  });

  it("guesses nothing: neither abbreviations nor values that look like options", () => {
    assertEquals(refusal("--nam", "x").message, 'Unknown option "--nam"');
    const error = refusal("--name", "--loud");
    assertEquals(error.message, 'Option "--name" needs a value, but "--loud" follows');
    assertStringIncludes(error.hint ?? "", "--name=--loud");
    assertEquals(parse("--name", "- a text").values["name"], "- a text");
    assertEquals(refusal("--name").message, 'Option "--name" needs a value');
  });

  it("checks numbers", () => {
    assertEquals(parse("--count", "9").values["count"], 9);
    assertEquals(parse("--ratio", "-1.5").values["ratio"], -1.5);
    const cases = [
      [["--count", "10"], 'Option "--count" must be a whole number from 1 to 9: got "10"'],
      [["--count", "1.5"], 'Option "--count" must be a whole number from 1 to 9: got "1.5"'],
      [["--count="], 'Option "--count" must be a whole number from 1 to 9: got ""'],
      [["--ratio", "1e3"], 'Option "--ratio" must be a number: got "1e3"'],
      [["--ratio", "Infinity"], 'Option "--ratio" must be a number: got "Infinity"'],
      [["--ratio", "0x10"], 'Option "--ratio" must be a number: got "0x10"'],
    ] as const;
    for (const [words, message] of cases) assertEquals(refusal(...words).message, message);
  });

  it("checks choices", () => {
    assertEquals(parse("--tone", "polite").values["tone"], "polite");
    const error = refusal("--tone", "polit");
    assertEquals(error.message, 'Option "--tone" must be one of polite, plain: got "polit"');
    assertEquals(error.unknown?.known, ["polite", "plain"]);
  });

  it("does not take names of the object prototype as options", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      assertEquals(refusal(`--${name}`).message, `Unknown option "--${name}"`);
    }
  });

  it("names the group of an unknown letter", () => {
    assertEquals(refusal("-lx").message, 'Unknown option "-x" in "-lx"');
  });

  it("counts arguments", () => {
    const two = command({ ...base, args: [{ name: "FROM" }, { name: "TO", optional: true }] });
    assertEquals(parseWords(two, ["a"]).args, ["a"]);
    assertEquals(
      assertThrows(() => parseWords(two, []), UsageError).message,
      "Argument FROM is missing",
    );
    assertEquals(
      assertThrows(() => parseWords(two, ["a", "b", "c"]), UsageError).message,
      'Unexpected argument "c"',
    );
  });

  it("demands required options, but not beside --help", () => {
    const strict = command({
      ...base,
      args: [{ name: "FILE" }],
      options: { worker: { type: "string", required: true, help: "" } },
    });
    assertEquals(
      assertThrows(() => parseWords(strict, ["f"]), UsageError).message,
      'Option "--worker" is missing',
    );
    assertEquals(parseWords(strict, ["--help"]).values["help"], true);
  });

  it("infers the types of the values", () => {
    command({
      ...base,
      options,
      run: ({ values }) => {
        const tone: "polite" | "plain" = values.tone;
        const tags: string[] = values.tag;
        const count: number = values.count;
        const ratio: number | undefined = values.ratio;
        // @ts-expect-error the option has no default, so its value may be absent
        const name: string = values.name;
        return [tone, tags, count, ratio, name].length;
      },
    });
  });
});
