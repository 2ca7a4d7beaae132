import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import { isDocument, parseDataFile } from "./data-file.ts";
import type { FileReader, Parsed } from "./derived.ts";
import { childOf, type DirNode, hasFile } from "./dir-node.ts";
import { describe, isMapping } from "./fields.ts";
import { merge } from "./merge.ts";
import type { PluginPlace } from "./plugins.ts";
import type { OverrideScope } from "./toggles.ts";

/** The settings files of a plugin, in its own directory and in the scopes that override it. */
const CONFIG_FILES = ["config.yaml", "config.json"] as const;
const DEFAULTS_FILE = "default_config.yaml";

/** Where the settings of one plugin come from. */
export interface ConfigSources {
  /**
   * Directories of overrides, highest first: project and profile, project, user and profile, profile (of
   * plugins, then `agents/<P>/`), user (`usr/plugins/`).
   */
  readonly scopes: readonly OverrideScope[];
  readonly reader: FileReader;
  /** Values from the environment, which lie over everything. */
  readonly environment: JsonObject;
}

/**
 * The settings of a plugin, merged key by key, highest first: environment, project and profile, project, user
 * and profile, profile, user, the plugin's own `config.yaml` or `config.json`, `default_config.yaml`.
 */
export function pluginConfig(plugin: PluginPlace, sources: ConfigSources): Parsed<JsonObject> {
  const diagnostics: Diagnostic[] = [];
  const own: OverrideScope = { path: plugin.path, directory: plugin.directory, node: plugin.node };
  let merged: JsonObject = {};
  const lay = (found: Parsed<JsonObject> | undefined): void => {
    if (!found) return;
    merged = merge(merged, found.value);
    diagnostics.push(...found.diagnostics);
  };
  lay(readFile(own, DEFAULTS_FILE, sources.reader));
  lay(readConfig(own, sources.reader));
  for (const scope of sources.scopes.toReversed()) {
    const node = childOf(scope.node, plugin.id);
    if (!node || node === plugin.node) continue;
    lay(readConfig(within(scope, plugin.id, node), sources.reader));
  }
  return { value: merge(merged, sources.environment), diagnostics };
}

function within(scope: OverrideScope, id: string, node: DirNode): OverrideScope {
  return { path: `${scope.path}/${id}`, directory: `${scope.directory}/${id}`, node };
}

function readConfig(place: OverrideScope, reader: FileReader): Parsed<JsonObject> | undefined {
  const [name, second] = CONFIG_FILES.filter((file) => hasFile(place.node, file));
  if (name === undefined) return undefined;
  const found = readFile(place, name, reader);
  if (!found || second === undefined) return found;
  const message = `expected one settings file, found ${name} and ${second}; ${name} holds`;
  const both = diagnostic("SETTINGS_INVALID", {
    severity: "warning",
    file: `${place.path}/${second}`,
    message,
    hint: "Delete one of the two.",
  });
  return { value: found.value, diagnostics: [...found.diagnostics, both] };
}

function readFile(
  { node, directory, path }: OverrideScope,
  name: string,
  reader: FileReader,
): Parsed<JsonObject> | undefined {
  if (!hasFile(node, name)) return undefined;
  return reader.derive<JsonObject>({ node, name, file: `${directory}/${name}`, shown: path }, parseConfig, {});
}

function parseConfig(text: string, file: string): Parsed<JsonObject> {
  const document = parseDataFile(text, { file, invalid: "SETTINGS_INVALID" });
  if (!isDocument(document)) return { value: {}, diagnostics: [document] };
  const { value } = document;
  if (isMapping(value)) return { value, diagnostics: [] };
  if (value === null) return { value: {}, diagnostics: [] };
  const message = `expected a mapping of keys to values, found ${describe(value as Json)}`;
  return { value: {}, diagnostics: [diagnostic("SETTINGS_INVALID", { file, line: 1, message })] };
}
