import { ToolError } from "../sdk/errors.ts";
import { type Json, toPointer } from "../sdk/json.ts";
import { nearest } from "../sdk/nearest.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { UnknownKey } from "./examine.ts";
import { exampleOf } from "./example.ts";
import { jsonType } from "./schema-rules.ts";

/** One thing that is wrong with a value. */
export interface Fault {
  /** JSON pointer (RFC 6901); empty for the value itself. */
  readonly pointer: string;
  readonly kind: "unknown" | "missing" | "invalid";
  /** In a few words: `integer`, `one of "a", "b"`; for an unknown key the keys that are known there. */
  readonly expected: string;
  /** In a few words: `boolean true`, `nothing`. */
  readonly received: string;
  /** The known key that an unknown one was most likely meant to be. */
  readonly nearest?: string;
}

/** More would bury the first. */
const MAX_FAULTS = 5;
const MAX_SHOWN = 40;

/** The fault of a key that the schema does not know. */
export function unknownFault({ path, known }: UnknownKey, value: unknown): Fault {
  const meant = nearest(String(path.at(-1)), known);
  return {
    pointer: toPointer(path),
    kind: "unknown",
    expected: known.length === 0 ? "no key" : known.map((key) => JSON.stringify(key)).join(", "),
    received: describeValue(valueAt(value, path)),
    ...(meant === undefined ? {} : { nearest: meant }),
  };
}

/** The fault of a value that is not what it should be, or is not there. */
export function valueFault(path: readonly PropertyKey[], expected: string, value: unknown): Fault {
  const found = valueAt(value, path);
  const kind = found === undefined ? "missing" : "invalid";
  return { pointer: toPointer(path), kind, expected, received: describeValue(found) };
}

/** Each place once: what alternatives expect there is joined by "or". Unknown keys come first, as they explain missing ones. */
export function mergeFaults(faults: readonly Fault[]): readonly Fault[] {
  const byPlace = new Map<string, Fault>();
  for (const fault of faults) {
    const before = byPlace.get(fault.pointer);
    if (!before) byPlace.set(fault.pointer, fault);
    else if (before.kind !== "unknown" && !before.expected.split(" or ").includes(fault.expected)) {
      byPlace.set(fault.pointer, { ...before, expected: `${before.expected} or ${fault.expected}` });
    }
  }
  const merged = [...byPlace.values()];
  return [...merged.filter(({ kind }) => kind === "unknown"), ...merged.filter(({ kind }) => kind !== "unknown")];
}

/**
 * The refusal of a call's arguments, in words that a model can act on.
 * @param tool the tool's id
 * @param faults at least one
 */
export function argumentsError(tool: string, faults: readonly Fault[], schema: JsonSchema): ToolError {
  const shown = faults.slice(0, MAX_FAULTS).map(describeFault);
  const more = faults.length > MAX_FAULTS ? [`and ${faults.length - MAX_FAULTS} more`] : [];
  return new ToolError("INVALID_PARAM", `the arguments of ${tool} do not fit: ${[...shown, ...more].join("; ")}`, {
    pointer: faults[0]?.pointer ?? "",
    hint: `The shape is ${exampleOf(schema)}. Mend the arguments; do not resend the identical call.`,
    data: { faults: faults.slice(0, MAX_FAULTS) },
  });
}

/** `/path: expected string, received nothing` */
export function describeFault({ pointer, kind, expected, received, nearest: meant }: Fault): string {
  const place = pointer || "the arguments";
  if (kind === "unknown") {
    const instead = meant === undefined ? `, expected ${expected}` : `, did you mean ${JSON.stringify(meant)}?`;
    return `${place} is not known${instead}`;
  }
  if (kind === "missing") return `${place} is missing: expected ${expected}`;
  return `${place}: expected ${expected}, received ${received}`;
}

/** Type and beginning of a value: `string "abc…"`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const type = jsonType(value);
  if (type === "null") return "null";
  if (type === "array") return `array of ${(value as readonly unknown[]).length}`;
  if (type === "object") return "object";
  // A program may hand over what JSON does not know: a bigint, a function, a symbol.
  const text = type === "string" ? JSON.stringify(value) : String(value);
  return `${type} ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): Json | undefined {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<PropertyKey, unknown>)[key];
  }
  return found as Json | undefined;
}
