// What the four wire formats have in common: the model behind them knows only this.

/** A tool that an agent offers: its name, and the names of its parameters. */
export interface OfferedTool {
  readonly name: string;
  readonly parameters: readonly string[];
}

/** One request to the model. */
export interface ModelRequest {
  readonly model: string;
  readonly isStreamed: boolean;
  readonly tools: readonly OfferedTool[];
  /** All that the user's side said, in order, without what tools returned. */
  readonly prompt: string;
  /** What the tools returned so far, in order. */
  readonly toolResults: readonly string[];
}

/** What the model answers: words, or one call of a tool. */
export type ModelAnswer =
  | { readonly kind: "text"; readonly text: string }
  | {
    readonly kind: "call";
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  };

/** An error as a provider tells it. */
export interface ModelError {
  readonly status: number;
  /** The provider's name of it in OpenAI's words; the other formats have their own. */
  readonly code: string;
  readonly message: string;
}

/** One wire format. */
export interface Wire {
  readonly name: string;
  /** Whether a path is that of a request to the model. */
  matches(path: string): boolean;
  /** Reads a request; the path tells the model in one of the formats. */
  read(body: Json, path: string): ModelRequest;
  /** The events of a streamed answer, whose last ones say that it is complete. */
  encode(answer: ModelAnswer, model: string, ids: IdSource): readonly StreamEvent[];
  /** The same answer as one document. */
  encodeWhole(answer: ModelAnswer, model: string, ids: IdSource): Json;
  encodeError(error: ModelError): Json;
  /** What a full context is called. */
  readonly overflow: ModelError;
}

/** One event of a stream: its data, and its name where the format has names. */
export interface StreamEvent {
  readonly name?: string;
  readonly data: Json | string;
}

/** Makes ids that are unique for the server. */
export type IdSource = (prefix: string) => string;

export type Json = Record<string, unknown>;

/** The tokens that every answer is said to have cost. */
export const TOKENS = { input: 100, cached: 10, output: 20, reasoning: 5 } as const;

/** Writes an event as a server does. */
export function formatEvent({ name, data }: StreamEvent): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
}

/** Cuts a text into pieces as a model streams it. */
export function inPieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,24}/gu) ?? [""];
}

/** Returns the objects of a list in a body that nobody vouches for. */
export function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value)
    ? value.filter((each): each is Json => typeof each === "object" && each !== null)
    : [];
}

/** Returns the text of a content: a text itself, or its parts that have one. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content).map((part) => typeof part.text === "string" ? part.text : "").join(
    "\n",
  );
}

/** Returns the names of a JSON Schema's properties. */
export function propertiesOf(schema: unknown): readonly string[] {
  const properties = (schema as Json | undefined)?.properties;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}
