import type { DiagnosticCode } from "../diagnostics.ts";
import { nearest } from "../sdk/nearest.ts";
import { POINTS } from "../sdk/points.ts";

/** What can be found in a layer. */
export type Kind = "tool" | "fragment" | "prompt" | "extension" | "profile" | "plugin" | "skill" | "locale";

/** A tool's id: what `tools/<id>.ts` may be called. Names with `__` belong to tools that appear at run time. */
const TOOL_ID = /^(?!.*__)[a-z][a-z0-9_]{0,63}$/u;

/** Which directory of a layer holds a kind, and which of its files are of that kind. One row per kind. */
export interface Convention {
  readonly kind: Kind;
  /** Below the layer's directory. */
  readonly directory: string;
  /**
   * `files`: `<directory>/<file>`; `groups`: `<directory>/<group>/<file>`; `places`: each directory in it is
   * one of the kind, whether it has a definition file or not.
   */
  readonly shape: "files" | "groups" | "places";
  /** The id of a file, or undefined when it is not of this kind. `group` is empty for `files`. */
  id(file: string, group: string): string | undefined;
  /** Why an id cannot be used, or undefined. */
  refuse?(id: string): Refusal | undefined;
  /** Files of one id are joined, key by key: none replaces another, and none collides. */
  readonly joined?: true;
  /** Of `places`: the files that define one, the preferred first. */
  readonly definitions?: readonly string[];
}

/** Why an id cannot be used: as an author is told. */
export interface Refusal {
  readonly code: DiagnosticCode;
  readonly reason: string;
  readonly hint: string;
}

/** The table of conventions. A new kind is a new row. */
export const CONVENTIONS: Readonly<Record<Kind, Convention>> = {
  tool: { kind: "tool", directory: "tools", shape: "files", id: toolStem, refuse: refuseToolId },
  fragment: { kind: "fragment", directory: "prompts", shape: "files", id: fragmentName },
  prompt: { kind: "prompt", directory: "prompts", shape: "files", id: promptName },
  extension: { kind: "extension", directory: "extensions", shape: "groups", id: extensionName, refuse: refusePoint },
  skill: { kind: "skill", directory: "skills", shape: "groups", id: skillName },
  locale: { kind: "locale", directory: "locales", shape: "groups", id: localeName, joined: true },
  profile: {
    kind: "profile",
    joined: true,
    directory: "agents",
    shape: "places",
    id: never,
    definitions: ["agent.yaml", "agent.json"],
  },
  plugin: { kind: "plugin", directory: "plugins", shape: "places", id: never, definitions: ["plugin.yaml"] },
};

/** Every kind, in the order of the table. */
export const KINDS: readonly Kind[] = Object.values(CONVENTIONS).map(({ kind }) => kind);

/** Whether a word is a {@link Kind}. */
export function isKind(word: string): word is Kind {
  return Object.hasOwn(CONVENTIONS, word);
}

/** The file that makes a directory a skill. */
const SKILL_FILE = "SKILL.md";

const MODULE_EXTENSIONS: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"]);
const FRAGMENT = "agent.system.tool.";
/** Documents about a directory, not content of it. */
const DOCUMENTS: ReadonlySet<string> = new Set(["AGENTS.md", "CLAUDE.md", "README.md"]);

/** The name of a module without its extension; undefined for other files, declarations, tests and dot files. */
function moduleStem(file: string): string | undefined {
  const dot = file.lastIndexOf(".");
  if (dot <= 0 || !MODULE_EXTENSIONS.has(file.slice(dot)) || file.startsWith(".")) return undefined;
  const stem = file.slice(0, dot);
  return stem.endsWith(".d") || stem.endsWith(".test") ? undefined : stem;
}

/** A leading `_` marks a helper of the tools beside it. */
function toolStem(file: string): string | undefined {
  return file.startsWith("_") ? undefined : moduleStem(file);
}

function refuseToolId(id: string): Refusal | undefined {
  if (TOOL_ID.test(id)) return undefined;
  const rule =
    "a tool is named by a lower-case letter, then up to 63 lower-case letters, digits and single underscores";
  return { code: "TOOL_NAME_INVALID", reason: `${rule}; found ${id}`, hint: "Rename the file." };
}

/** Nothing would ever run there, and its author would not notice. */
function refusePoint(id: string): Refusal | undefined {
  const point = id.slice(0, id.indexOf("/"));
  if (Object.hasOwn(POINTS, point)) return undefined;
  const meant = nearest(point, Object.keys(POINTS));
  const hint = `Rename the directory${meant === undefined ? "" : `: did you mean ${meant}?`} The author's guide lists the points.`;
  return { code: "EXTENSION_POINT_UNKNOWN", reason: `there is no extension point ${point}`, hint };
}

function fragmentName(file: string): string | undefined {
  if (!file.startsWith(FRAGMENT) || !isMarkdown(file)) return undefined;
  return file.slice(FRAGMENT.length, -".md".length) || undefined;
}

function promptName(file: string): string | undefined {
  return fragmentName(file) === undefined && isMarkdown(file) ? file : undefined;
}

function isMarkdown(file: string): boolean {
  return file.endsWith(".md") && !file.startsWith(".") && !file.endsWith(".dox.md") && !DOCUMENTS.has(file);
}

function extensionName(file: string, point: string): string | undefined {
  const stem = moduleStem(file);
  return stem && `${point}/${stem}`;
}

function skillName(file: string, skill: string): string | undefined {
  return file === SKILL_FILE ? skill : undefined;
}

function localeName(file: string, locale: string): string | undefined {
  return file.endsWith(".ftl") && !file.startsWith(".") ? `${locale}/${file}` : undefined;
}

function never(): undefined {
  return undefined;
}
