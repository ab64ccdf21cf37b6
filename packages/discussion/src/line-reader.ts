import { compareText } from "@okstra/manifest-io/json-text";
import {
  COMMON_FIELDS,
  RECORD_KINDS,
  recordFieldNames,
  type RecordKind,
} from "@okstra/manifest-io/schemas/discussion-record";
import { FACT_FIELDS, FACT_LISTS } from "./fact.ts";

/** The bytes of a record file as characters, one of each: decoding a few fields costs less than decoding everything. */
export interface Characters {
  readonly content: string;
  /** Whether the fields need no decoding. */
  readonly isAscii: boolean;
}

/**
 * Reads lines of a record file one by one and makes no record of them.
 *
 * It takes from a line what a fact needs and looks at nothing else. So it must be given lines only of which it is known
 * that a tool of ours wrote them. One object serves all lines, since there may be very many.
 */
export interface LineReader {
  /** Reads the line that begins at a place; false if it is not as lines of ours are, which then has to be told why. */
  read(at: number): boolean;
  /** The kind of the record in the line that was read last. */
  readonly kind: RecordKind;
  /** Returns a field of that line; `undefined` if the record does not have it. */
  readonly field: (name: string) => unknown;
}

const KIND_KEY = '"kind":"';

/** Opens a reader of the lines of a record file. */
export function openLineReader({ content, isAscii }: Characters): LineReader {
  const layouts = new Map<string, Layout | null>();
  let layout: Layout | null = null, values: RegExpExecArray | null = null;
  const layoutOf = (word: string): Layout | null => {
    const known = layouts.get(word);
    if (known !== undefined) return known;
    const kind = RECORD_KINDS.find((kind) => kind === word);
    const made = kind === undefined ? null : makeLayout(kind);
    layouts.set(word, made);
    return made;
  };
  return {
    read(at) {
      // Records of a kind often stand together, and the layout of another kind soon fails.
      values = layout === null ? null : match(layout.head, content, at);
      if (values !== null) return true;
      const wordAt = content.indexOf(KIND_KEY, at) + KIND_KEY.length;
      layout = layoutOf(content.slice(wordAt, content.indexOf('"', wordAt)));
      values = layout === null ? null : match(layout.head, content, at);
      return values !== null;
    },
    get kind() {
      if (layout === null) throw new Error("no line was read");
      return layout.kind;
    },
    field(name) {
      const group = layout?.groupOf.get(name);
      if (group === undefined) throw new Error(`a ${layout?.kind} is not read for its ${name}`);
      const inside = values?.[group];
      if (inside === undefined) return undefined;
      const text = isAscii ? inside : decodeCharacters(inside);
      if (FACT_LISTS.has(name)) return JSON.parse(`[${text}]`);
      return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
    },
  };
}

/** Where the fields of a kind of record stand. */
interface Layout {
  readonly kind: RecordKind;
  /** Matches a line from its beginning to the last field that is needed. */
  readonly head: RegExp;
  readonly groupOf: ReadonlyMap<string, number>;
}

const TEXT = String.raw`[^"\\]*(?:\\.[^"\\]*)*`;
/** Lists hold names and the like; one with a bracket in a text is read in full, like everything that is not as usual. */
const LIST = String.raw`[^\]]*`;
const VALUE = String.raw`(?:"${TEXT}"|\[${LIST}\]|[^,"[{}]+)`;

function makeLayout(kind: RecordKind): Layout {
  const names = [...COMMON_FIELDS, ...recordFieldNames(kind)].sort(compareText)
    .filter((name) => name !== "recordedAt" && name !== "digest");
  const groups = names.filter((name) => FACT_FIELDS[kind].includes(name));
  const last = names.findLastIndex((name) => name === "kind" || groups.includes(name));
  const head = names.slice(0, last + 1).map((name, index) => {
    const key = `${index === 0 ? "\\{" : ","}"${name}":`;
    if (name === "kind") return key + JSON.stringify(kind);
    const group = FACT_LISTS.has(name) ? `\\[(${LIST})\\]` : `"(${TEXT})"`;
    const field = key + (groups.includes(name) ? group : VALUE);
    return COMMON_FIELDS.includes(name) ? field : `(?:${field})?`;
  });
  return {
    kind,
    head: new RegExp(head.join(""), "y"),
    groupOf: new Map(groups.map((name, index) => [name, index + 1])),
  };
}

/** Decodes bytes that were made characters. */
function decodeCharacters(characters: string): string {
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(characters)) return characters;
  return new TextDecoder().decode(Uint8Array.from(characters, (byte) => byte.charCodeAt(0)));
}

// A text of millions of escapes is too much for the engine.
function match(head: RegExp, content: string, at: number): RegExpExecArray | null {
  head.lastIndex = at;
  try {
    return head.exec(content);
  } catch {
    return null;
  }
}
