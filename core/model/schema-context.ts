import type { JsonSchema } from "../sdk/schema.ts";
import type { SchemaProfile } from "./schema-profiles.ts";
import {
  REFUSAL_RULES,
  REWRITE_RULES,
  type RefusalRule,
  type RewriteRule,
  type SchemaRefusal,
  type SchemaRewrite,
} from "./schema-rules.ts";
import { escaped, isNode, type SchemaWalk } from "./schema-walk.ts";

/** Where in a schema something stands, as its author wrote it, and how it was come to. */
export interface Place {
  readonly pointer: string;
  /** 1 for the top. */
  readonly depth: number;
  /** The references that lead here. */
  readonly references: ReadonlySet<string>;
}

/** The top of a schema. */
export const TOP: Place = { pointer: "", depth: 1, references: new Set() };

/** What fitting one schema to one profile keeps. */
export interface FitContext {
  readonly profile: SchemaProfile;
  /** Writes down a rewrite, each once. @param what the keyword, or what is meant else */
  note(rule: RewriteRule, place: Place, what?: string): void;
  refuse(rule: RefusalRule, pointer: string, what: string): void;
  /** The place of a schema that stands inside another. @param levels how much deeper it is; default 1 */
  inside(place: Place, value: unknown, levels?: number): Place;
  /** What a reference inside this schema refers to. */
  resolve(reference: string): { readonly value: unknown; readonly pointer: string } | undefined;
  /** Counts one schema more. @returns false when there are too many */
  count(): boolean;
  /** Grows with every rewrite that may admit more. */
  readonly changes: number;
  /** From now on what refers to a definition may admit more than its author wrote. */
  widen(): void;
  /** Tells that a definition is referred to. */
  refer(): void;
  readonly rewrites: readonly SchemaRewrite[];
  readonly refusals: readonly SchemaRefusal[];
}

/** Schemas that refer to each other may grow without bounds. */
const MAX_NODES = 5_000;

/** Rewrites after which a schema admits the same values. */
const SAME: ReadonlySet<RewriteRule> = new Set<RewriteRule>([
  ...(["annotation", "older-draft", "reference", "items", "types", "all-of", "description"] as const),
]);

/** Begins fitting. */
export function createFitContext(root: JsonSchema, profile: SchemaProfile, walk: SchemaWalk): FitContext {
  const rewrites = new Map<string, SchemaRewrite>();
  const refusals: SchemaRefusal[] = [];
  let nodes = 0;
  let changes = 0;
  let widened = false;
  return {
    profile,
    note(rule, { pointer }, what) {
      if (!SAME.has(rule)) changes++;
      const { words } = REWRITE_RULES[rule];
      const message = what === undefined ? words : `${what} ${words}`;
      rewrites.set(`${pointer} ${rule} ${what}`, { pointer, rule, message });
    },
    refuse(rule, pointer, what) {
      refusals.push({ pointer, rule, message: `${what} ${REFUSAL_RULES[rule]}` });
    },
    inside({ pointer, depth, references }, value, levels = 1) {
      const own = isNode(value) ? walk.places.get(value) : undefined;
      return { pointer: own ?? pointer, depth: depth + levels, references };
    },
    resolve: (reference) => (walk.embedded ? undefined : resolveIn(root, reference)),
    count() {
      nodes++;
      return nodes <= MAX_NODES;
    },
    get changes() {
      return changes;
    },
    widen() {
      widened = true;
    },
    refer() {
      if (widened) changes++;
    },
    get rewrites() {
      return [...rewrites.values()];
    },
    refusals,
  };
}

/** Only JSON pointers are followed. */
function resolveIn(root: JsonSchema, reference: string): { value: unknown; pointer: string } | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  const tokens = reference.split("/").slice(1).map(decoded);
  for (const token of tokens) {
    if (token === undefined || typeof value !== "object" || value === null || !Object.hasOwn(value, token)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[token];
  }
  if (typeof value !== "boolean" && !isNode(value)) return undefined;
  return { value, pointer: tokens.map((token) => `/${escaped(token ?? "")}`).join("") };
}

function decoded(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // No reference of a schema that validates either.
    return undefined;
  }
}
