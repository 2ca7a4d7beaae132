import type { Json } from "../../sdk/json.ts";
import type { JsonObject } from "../../sdk/result.ts";
import type { ToolDefinition, ToolExample } from "../model.ts";
import type { Entity, EntityKind } from "./entity.ts";
import type { Lexicon } from "./lexicon.ts";
import { isEnum, propertyOf } from "./schema.ts";
import { SIGN_RANGES } from "./script.ts";
import { analyse, isWord, type Token, type Utterance, unitOf, unitToken } from "./text.ts";

/** A place in an example whose text became an argument; another question has another text there. */
export interface Slot {
  readonly param: string;
  readonly start: number;
  readonly end: number;
  readonly kind: EntityKind;
  /** True where the argument is a list of all such values. */
  readonly list: boolean;
  /** The tokens beside it, by which the place is found again. */
  readonly left: Token | undefined;
  readonly right: Token | undefined;
  /** The Chinese signs that touch it, two at most on each side. */
  readonly before: string;
  readonly after: string;
  readonly unit: string | undefined;
}

/** A number argument that the example works out of two numbers: `limit` of "lines 10 to 20". */
interface Span {
  readonly param: string;
  /** The slot of the first number. */
  readonly base: string;
  readonly left: Token | undefined;
  /** What is added to the difference: 1 where both ends count. */
  readonly plus: number;
}

/** One example, taken apart. */
export interface ParsedExample {
  readonly utterance: Utterance;
  /** Its words outside the slots, without stop words. */
  readonly words: readonly Token[];
  readonly constants: JsonObject;
  readonly slots: readonly Slot[];
  readonly spans: readonly Span[];
  /** Words (in lower case) without which a question does not mean this: those that became constants, such as an encoding. */
  readonly needs: readonly string[];
}

/** Takes an example apart; undefined where its call belongs to another tool. */
export function parseExample(example: ToolExample, tool: ToolDefinition, lexicon: Lexicon): ParsedExample | undefined {
  const call = callOf(example.call, tool.name);
  if (!call) return undefined;
  const isConstant = (param: string) => isEnum(propertyOf(tool.parameters, param));
  const utterance = analyseExample(example.say, { call, isConstant }, lexicon);
  const parsed: { constants: Record<string, Json>; slots: Slot[]; spans: Span[]; needs: string[] } = {
    constants: {},
    slots: [],
    spans: [],
    needs: [],
  };
  for (const [param, value] of Object.entries(call)) {
    const slot = isConstant(param) ? undefined : findSlot(utterance, param, value);
    if (slot) parsed.slots.push(slot);
    else if (typeof value !== "number") {
      parsed.constants[param] = value;
      parsed.needs.push(...neededWords(utterance, value));
    }
  }
  // Numbers last: what one is worked out from has to be a slot already.
  for (const [param, value] of Object.entries(call)) {
    if (typeof value !== "number" || parsed.slots.some((slot) => slot.param === param)) continue;
    const span = findSpan(utterance, { param, value }, parsed.slots);
    if (span) parsed.spans.push(span);
    else parsed.constants[param] = value;
  }
  const words = utterance.tokens.filter(
    (token) => isWord(token) && !parsed.slots.some((slot) => token.start < slot.end && token.end > slot.start),
  );
  return { utterance, words, ...parsed };
}

/** The token before a place. Two numbers with only a stroke between them read as "from … to …". */
export function leftOf(utterance: Utterance, start: number): Token | undefined {
  const left = utterance.tokens.findLast(({ end }) => end <= start);
  const stroke = left?.entity?.kind === "number" && /^\s*[-–—~～]\s*$/.test(utterance.text.slice(left.end, start));
  return left && stroke ? { term: "~to", role: "light", start: left.end, end: start } : left;
}

function callOf(call: JsonObject, tool: string): JsonObject | undefined {
  const { tool_name: name, tool_args: args } = call;
  if (typeof name !== "string" || typeof args !== "object" || args === null || Array.isArray(args)) return call;
  const [id, method] = name.split(":");
  if (id !== tool) return undefined;
  return method === undefined ? (args as JsonObject) : { action: method, ...(args as JsonObject) };
}

function findSlot(utterance: Utterance, param: string, value: Json): Slot | undefined {
  const entities = utterance.tokens.flatMap(({ entity }) => entity ?? []);
  if (Array.isArray(value)) {
    const items = value.map((item) => entities.find((entity) => entity.value === item));
    const [first] = items;
    const same = first && items.every((item) => item?.kind === first.kind);
    return same ? entitySlot(utterance, { param, list: true }, first) : undefined;
  }
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const entity = entities.find((item) => item.value === value || String(item.value) === value);
  return entity && entitySlot(utterance, { param, list: false }, entity);
}

/** The example with its wordy values set apart, so that the words beside them are read right. */
function analyseExample(
  say: string,
  { call, isConstant }: { call: JsonObject; isConstant(param: string): boolean },
  lexicon: Lexicon,
): Utterance {
  const plain = analyse(say, lexicon);
  const given = Object.entries(call).flatMap(([param, value]): Entity[] => {
    if (typeof value !== "string" || value === "" || isConstant(param)) return [];
    if (plain.tokens.some(({ entity }) => String(entity?.value) === value)) return [];
    const start = say.toLowerCase().indexOf(value.toLowerCase());
    return start < 0 ? [] : [{ kind: "text", value, start, end: start + value.length }];
  });
  return given.length === 0 ? plain : analyse(say, lexicon, given);
}

function entitySlot(utterance: Utterance, slot: Pick<Slot, "param" | "list">, entity: Entity): Slot {
  const unit = entity.kind === "number" ? unitOf(utterance, entity) : undefined;
  // The unit belongs to the value: "3 days" is as good as "5 seconds".
  const end = (entity.kind === "number" ? unitToken(utterance, entity)?.end : undefined) ?? entity.end;
  return slotAt(utterance, { ...slot, kind: entity.kind, unit }, entity.start, end);
}

function slotAt(
  utterance: Utterance,
  slot: Omit<Slot, "left" | "right" | "start" | "end" | "before" | "after">,
  start: number,
  end: number,
): Slot {
  const right = utterance.tokens.find((token) => token.start >= end && token.term !== "的");
  const before = SIGNS_BEFORE.exec(utterance.text.slice(0, start))?.[0] ?? "";
  const after = SIGNS_AFTER.exec(utterance.text.slice(end))?.[0] ?? "";
  return { ...slot, start, end, left: leftOf(utterance, start), right, before, after };
}

const SIGNS_BEFORE = new RegExp(`[${SIGN_RANGES}]{0,2}$`);
const SIGNS_AFTER = new RegExp(`^[${SIGN_RANGES}]{0,2}`);

function findSpan(
  utterance: Utterance,
  wanted: { param: string; value: number },
  slots: readonly Slot[],
): Span | undefined {
  const numbers = utterance.tokens.flatMap(({ entity }) => (typeof entity?.value === "number" ? [entity] : []));
  const [first, second] = numbers;
  const base = slots.find((slot) => slot.kind === "number");
  if (numbers.length !== 2 || !first || !second || !base) return undefined;
  const plus = wanted.value - (Number(second.value) - Number(first.value));
  if (plus !== 0 && plus !== 1) return undefined;
  return { param: wanted.param, base: base.param, left: leftOf(utterance, second.start), plus };
}

/** The example's words that are the constant itself. Words of a family have paraphrases, so they are not insisted on. */
function neededWords(utterance: Utterance, value: Json): string[] {
  if (typeof value !== "string") return [];
  const token = utterance.tokens.find(
    ({ start, end }) => utterance.text.slice(start, end).toLowerCase() === value.toLowerCase(),
  );
  const paraphrased = token?.term.startsWith("~") && token.role !== "tie";
  return token && !paraphrased ? [value.toLowerCase()] : [];
}
