import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { frozenJson, type Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import { isMapping } from "./fields.ts";
import { setOwn } from "./merge.ts";

/** The variables of the process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a variable's name begins with when it is a setting of this plugin: `TOOLROOM_FILES__` for `_files`. */
function environmentPrefix(plugin: string): string {
  const name = (plugin.startsWith("_") ? plugin.slice(1) : plugin).toUpperCase();
  return `TOOLROOM_${/[^A-Z0-9_]/u.test(name) ? name.replaceAll(/[^A-Z0-9_]/gu, "_") : name}__`;
}

/**
 * The settings that the environment gives a plugin: `TOOLROOM_<PLUGIN>__<KEY>__<SUB>=value`. Each part is
 * matched to the plugin's own key without regard to case, and is lower case where there is none. A value that
 * is JSON is read as such, anything else is text.
 *
 * @param under the settings from files, for the spelling of keys
 */
export function environmentConfig(plugin: string, env: Environment, under: JsonObject): JsonObject {
  const prefix = environmentPrefix(plugin);
  let values: JsonObject = {};
  for (const name of Object.keys(env)
    .filter((key) => key.startsWith(prefix) && key.length > prefix.length)
    .sort()) {
    const text = env[name];
    if (text === undefined) continue;
    values = put(values, { path: name.slice(prefix.length).split("__"), value: parseValue(text), under });
  }
  return values;
}

/** A plugin that may read variables. */
export interface Claimant {
  readonly id: string;
  /** Display path. */
  readonly path: string;
}

/** Plugins whose variables cannot be told apart: none of them gets any, and it is an error as soon as one is set. */
export function environmentClashes(
  plugins: readonly Claimant[],
  env: Environment,
): { readonly clashing: ReadonlySet<string>; readonly diagnostics: readonly Diagnostic[] } {
  const clashing = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  const owners = new Map<string, Claimant>();
  const nested: (readonly [Claimant, string])[] = [];
  const clash = (first: Claimant, second: Claimant) => {
    clashing.add(first.id).add(second.id);
    diagnostics.push(clashDiagnostic(first, second, env));
  };
  for (const plugin of plugins) {
    const prefix = environmentPrefix(plugin.id);
    const owner = owners.get(prefix);
    if (owner) clash(owner, plugin);
    else owners.set(prefix, plugin);
    if (prefix.indexOf("__") < prefix.length - 2) nested.push([plugin, prefix]);
  }
  // `TOOLROOM_A__B__X` is X of a plugin a__b, or X under b of a plugin a.
  for (const [plugin, prefix] of nested) {
    for (let end = prefix.indexOf("__"); end < prefix.length - 2; end = prefix.indexOf("__", end + 1)) {
      const outer = owners.get(prefix.slice(0, end + 2));
      if (outer) clash(outer, plugin);
    }
  }
  return { clashing, diagnostics };
}

function clashDiagnostic(first: Claimant, second: Claimant, env: Environment): Diagnostic {
  const prefix = environmentPrefix(second.id);
  const set = Object.keys(env).some((name) => name.startsWith(prefix));
  const message = `the plugins ${first.id} and ${second.id} both read ${prefix}…, so neither of them does`;
  const hint = "Rename one of the two, or set the values in usr/plugins/<name>/config.yaml.";
  return diagnostic("SETTINGS_ENV_CLASH", { severity: set ? "error" : "warning", file: second.path, message, hint });
}

interface Putting {
  readonly path: readonly string[];
  readonly value: Json;
  readonly under: Json | undefined;
}

function put(values: JsonObject, { path, value, under }: Putting): JsonObject {
  const [part = "", ...rest] = path;
  const known = isMapping(under)
    ? Object.keys(under).find((key) => key.toUpperCase() === part.toUpperCase())
    : undefined;
  const key = known ?? part.toLowerCase();
  const copy: Record<string, Json> = { ...values };
  if (rest.length === 0) setOwn(copy, key, value);
  else {
    const inner = Object.hasOwn(values, key) ? values[key] : undefined;
    const below = known === undefined || !isMapping(under) ? undefined : under[known];
    setOwn(copy, key, put(isMapping(inner) ? inner : {}, { path: rest, value, under: below }));
  }
  return copy;
}

function parseValue(text: string): Json {
  try {
    const json = frozenJson(JSON.parse(text));
    return "value" in json ? json.value : text;
  } catch {
    // Not JSON: the text itself is the value.
    return text;
  }
}
