import { createRequire } from "node:module";
import type { BaseNode, Junk, Message, Resource } from "@fluent/syntax";

/** A place in a text: `line` and `column` from 1. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** One message of a Fluent file. Terms (`-name = …`) are not among them. */
export interface FluentMessage extends TextPosition {
  readonly key: string;
  /** The finished text, formatted without arguments. Absent: it cannot be had, `fault` says why. */
  readonly text?: string;
  readonly fault?: string;
  /** The comment right above it, without its `#`. */
  readonly comment: string;
  /** What it refers to, sorted, each once: `$variable`, `-term`, `message`. */
  readonly placeholders: readonly string[];
  /** Whether an earlier message of the file has the same key: then that one holds. */
  readonly repeated: boolean;
  /** Names of its attributes. */
  readonly attributes: readonly string[];
  /** Where it stands in the text, from its comment to the end of its last line, without the line break. */
  readonly start: number;
  readonly end: number;
}

/** What {@link readFluent} finds. */
export interface FluentFile {
  /** In the order of the file. */
  readonly messages: readonly FluentMessage[];
  /** What does not parse. Each costs itself only. */
  readonly faults: readonly (TextPosition & { readonly message: string })[];
}

/**
 * Reads a Fluent text: one parser for places and comments, one bundle for finished texts. Both packages are loaded at the
 * first text that is read, since what a file says is kept in the index and most starts read none.
 *
 * References are looked up in the same text.
 */
export function readFluent(text: string): FluentFile {
  const { FluentParser, Visitor } = load("@fluent/syntax") as typeof import("@fluent/syntax");
  const { FluentBundle, FluentResource } = load("@fluent/bundle") as typeof import("@fluent/bundle");
  const resource: Resource = new FluentParser({ withSpans: true }).parse(text);
  // Marks of direction around values are of no use to a model.
  const bundle = new FluentBundle("en", { useIsolating: false });
  bundle.addResource(new FluentResource(text));
  const positionOf = positions(text);
  const seen = new Set<string>();

  const placeholdersOf = (message: Message): readonly string[] => {
    const names = new Set<string>();
    class Names extends Visitor {
      visitVariableReference({ id }: { id: { name: string } }): void {
        names.add(`$${id.name}`);
      }
      visitTermReference({ id }: { id: { name: string } }): void {
        names.add(`-${id.name}`);
      }
      visitMessageReference({ id }: { id: { name: string } }): void {
        names.add(id.name);
      }
    }
    if (message.value) new Names().visit(message.value);
    return [...names].sort();
  };

  const finished = (key: string): Pick<FluentMessage, "text" | "fault"> => {
    const pattern = bundle.getMessage(key)?.value;
    if (pattern === null || pattern === undefined) return { fault: "it has no text of its own" };
    const errors: Error[] = [];
    const made = bundle.formatPattern(pattern, null, errors);
    return errors[0] ? { fault: errors[0].message } : { text: made };
  };

  const messageOf = (message: Message): FluentMessage => {
    const { id, comment, attributes } = message;
    const key = id.name;
    const repeated = seen.has(key);
    seen.add(key);
    return {
      key,
      ...(repeated ? {} : finished(key)),
      ...positionOf(spanOf(id).start),
      comment: comment?.content ?? "",
      placeholders: placeholdersOf(message),
      repeated,
      attributes: attributes.map(({ id: name }) => name.name),
      ...spanOf(message),
    };
  };

  const messages: FluentMessage[] = [];
  const faults: FluentFile["faults"][number][] = [];
  for (const entry of resource.body) {
    if (entry.type === "Message") messages.push(messageOf(entry as Message));
    else if (entry.type === "Junk") faults.push(faultOf(entry as Junk, positionOf));
  }
  return { messages, faults };
}

function load(name: string): unknown {
  return createRequire(import.meta.url)(name);
}

function spanOf({ span }: BaseNode & { span?: { start: number; end: number } }): { start: number; end: number } {
  return { start: span?.start ?? 0, end: span?.end ?? 0 };
}

/** The fault is where the entry begins: where the parser noticed may be lines further down. */
function faultOf(junk: Junk, positionOf: (offset: number) => TextPosition): FluentFile["faults"][number] {
  const [first] = junk.annotations;
  const begin = junk.content.split(/\r?\n/u)[0]?.trim() ?? "";
  const shown = JSON.stringify(begin.length > 60 ? `${begin.slice(0, 59)}…` : begin);
  const reason = (first?.message ?? "expected a message").replace(/^Expected/u, "expected").replace(/\.$/u, "");
  return { ...positionOf(spanOf(junk).start), message: `${reason}; found ${shown}` };
}

function positions(text: string): (offset: number) => TextPosition {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const after = starts.findIndex((start) => start > offset);
    const line = after < 0 ? starts.length : after;
    return { line, column: offset - (starts[line - 1] as number) + 1 };
  };
}
