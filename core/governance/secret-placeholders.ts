import { ToolError } from "../sdk/errors.ts";
import { type Json, toPointer } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";

/** What asks for a secret in an argument. Names are matched in any case. */
const PLACEHOLDER = /§§secret\(\s*([A-Za-z_][A-Za-z0-9_]*)\s*\)/g;
const MARK = "§§secret(";

/** The secrets as they are put in. */
export interface KnownSecrets {
  /** By name in upper case. */
  readonly values: ReadonlyMap<string, string>;
  /** Names that texts show but that arguments may not ask for: of the host's own environment. */
  readonly withheld: ReadonlySet<string>;
}

interface Unknown {
  readonly name: string;
  readonly pointer: string;
}

/**
 * Puts values in for their placeholders, in every string at any depth; keys stay as they are, and a value is never
 * looked into. Frozen, and the same object where there is no placeholder.
 *
 * @throws ToolError SECRET_UNKNOWN, which lists the names there are
 */
export function revealSecrets(args: JsonObject, secrets: KnownSecrets): JsonObject {
  const unknown: Unknown[] = [];
  const revealed = reveal(args, [], (text, path) =>
    text.replace(PLACEHOLDER, (placeholder, name: string) => {
      const value = secrets.values.get(name.toUpperCase());
      if (value === undefined) unknown.push({ name, pointer: toPointer(path) });
      return value ?? placeholder;
    }),
  );
  if (unknown.length > 0) throw unknownSecrets(unknown, secrets);
  return revealed as JsonObject;
}

type Put = (text: string, path: readonly (string | number)[]) => string;

function reveal(value: Json, path: (string | number)[], put: Put): Json {
  if (typeof value === "string") return value.includes(MARK) ? put(value, path) : value;
  if (typeof value !== "object" || value === null) return value;
  const inner = (key: string | number, item: Json): Json => {
    path.push(key);
    const made = reveal(item, path, put);
    path.pop();
    return made;
  };
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item, index) => inner(index, item));
    return items.every((item, index) => item === value[index]) ? value : Object.freeze(items);
  }
  const given = value as JsonObject;
  let changed: [string, Json][] | undefined;
  for (const key of Object.keys(given)) {
    const item = given[key] as Json;
    const made = inner(key, item);
    if (made === item) continue;
    changed ??= [];
    changed.push([key, made]);
  }
  return changed ? Object.freeze(Object.fromEntries([...Object.entries(given), ...changed])) : value;
}

function unknownSecrets(unknown: readonly Unknown[], { values, withheld }: KnownSecrets): ToolError {
  const names = [...new Set(unknown.map(({ name }) => name))];
  const available = [...values.keys()].sort();
  const missing = names.filter((name) => !withheld.has(name.toUpperCase()));
  const kept = names.filter((name) => !missing.includes(name));
  const parts = [
    ...(missing.length > 0 ? [`there is no secret ${missing.join(", ")}`] : []),
    ...(kept.length > 0 ? [`${kept.join(", ")} belongs to the host's own environment and is not given to tools`] : []),
    available.length > 0 ? `available: ${available.join(", ")}` : "none is set",
  ];
  const hint =
    available.length > 0
      ? "Ask for one of these as §§secret(NAME), or say which one is missing."
      : "A person can add secrets to usr/secrets.env.";
  const pointer = unknown[0]?.pointer ?? "";
  return new ToolError("SECRET_UNKNOWN", parts.join("; "), { pointer, hint, data: { unknown: names, available } });
}
