import { posix } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import { factsOf, type ToolFaces, type ToolFacts } from "./faces.ts";
import { createReader } from "./reader.ts";
import type { CheckedTool, CheckSubject } from "./subject.ts";

/** What a check is told of the files since a commit. */
export interface Change {
  /** The commit as the person named it. */
  readonly since: string;
  /** Display paths of what was changed, added and deleted. */
  readonly files: ReadonlySet<string>;
  /** Of every tool that lies in the root. */
  readonly faces: ReadonlyMap<CheckedTool, ToolFaces>;
  /** What the tools were then, by display path: of those whose code changed. Undefined: it did not load. */
  readonly before: ReadonlyMap<string, ToolFacts | undefined>;
}

/**
 * Whether a finding belongs to a change: its file changed, or another face of the same tool did, or the file does not
 * exist, belongs to no tool, and something beside it changed.
 */
export function scopeOf(
  { files: disk }: CheckSubject,
  { files, faces }: Pick<Change, "files" | "faces">,
): (item: Diagnostic) => boolean {
  const inScope = new Set(files);
  const faced = new Set<string>();
  for (const own of faces.values()) {
    const all = allOf(own);
    for (const file of all) faced.add(file);
    if (all.some((file) => files.has(file))) for (const file of all) inScope.add(file);
  }
  const directories = new Set([...files].map((file) => posix.dirname(file)));
  return ({ file }) => {
    if (file === undefined || inScope.has(file)) return true;
    return !faced.has(file) && directories.has(posix.dirname(file)) && disk.read(file) === undefined;
  };
}

function allOf({ code, documents, fragments, tests }: ToolFaces): readonly string[] {
  return [...code, ...documents, ...fragments, ...tests];
}

/** The tools whose code changed: the module, or something that it imports relatively. */
export function touchedTools({ files, faces }: Pick<Change, "files" | "faces">): readonly CheckedTool[] {
  return [...faces].flatMap(([tool, { code }]) => (code.some((file) => files.has(file)) ? [tool] : []));
}

/**
 * The rule of the same change: where the contract of a tool is another than it was, or the tool is new, its document,
 * its fragment and its tests are part of the change. A change of code alone that leaves the contract as it was passes.
 */
export function sameChange(subject: CheckSubject, change: Change): readonly Diagnostic[] {
  const reader = createReader(subject.files);
  return touchedTools(change).flatMap((tool) => {
    const { contract, file } = tool;
    if (!contract) return [];
    const isNew = !change.before.has(file);
    const before = change.before.get(file);
    if (!isNew && !before) return [unknownBefore(tool, change)];
    const differences = before ? differencesOf(before, factsOf(reader, { file, contract })) : ["it is new"];
    if (differences.length === 0) return [];
    const { documents = [], fragments = [], tests = [] } = change.faces.get(tool) ?? {};
    return Object.entries({ document: documents, fragment: fragments, tests }).flatMap(([face, files]) => {
      const hidden = face === "fragment" && contract.role === "fallback";
      if (hidden || files.some((file) => change.files.has(file))) return [];
      return [leftBehind(tool, { face, files, differences, since: change.since })];
    });
  });
}

function leftBehind(
  { file, id }: CheckedTool,
  {
    face,
    files,
    differences,
    since,
  }: { face: string; files: readonly string[]; differences: readonly string[]; since: string },
): Diagnostic {
  const [first] = files;
  return diagnostic("CONTRACT_CHANGED_ALONE", {
    file: first ?? file,
    message: `the contract of ${id} (${file}) is not what it was at ${since}: ${differences.join("; ")}; expected its ${face} in the same change, found it untouched`,
    hint: files.length === 0 ? `Write its ${face}.` : `Bring ${files.join(" or ")} up to date.`,
  });
}

function unknownBefore({ file, id }: CheckedTool, { since }: Change): Diagnostic {
  return diagnostic("CONTRACT_BEFORE_UNKNOWN", {
    file,
    message: `${id} could not be loaded as it was at ${since}, so nobody can say whether its contract changed`,
    hint: "Look yourself whether its document, its fragment and its tests belong to the change.",
  });
}

/** What of a contract is another, in words; wording apart: descriptions are not part of it. */
function differencesOf(before: ToolFacts, after: ToolFacts): readonly string[] {
  const was = before.contract;
  const is = after.contract;
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ["parameters", withoutWords(was.parameters), withoutWords(is.parameters)],
    ["output", withoutWords(was.output ?? null), withoutWords(is.output ?? null)],
    ["risk", was.risk, is.risk],
    ["sends", [...was.sends].sort(), [...is.sends].sort()],
    ["parallel", was.parallel, is.parallel],
    ["untrusted", was.untrusted, is.untrusted],
    ["timeoutMs", was.timeoutMs ?? null, is.timeoutMs ?? null],
    ["role", was.role ?? null, is.role ?? null],
    ["breakLoop", before.breakLoop, after.breakLoop],
    ["error codes", before.codes, after.codes],
  ];
  return rows.flatMap(([name, old, now]) => {
    const [from, to] = [JSON.stringify(old), JSON.stringify(now)];
    if (from === to) return [];
    if (name === "parameters" || name === "output") return [`${name}${changedKeys(old, now)}`];
    return [`${name} ${from} → ${to}`];
  });
}

/** A schema without what only people read, its keys sorted, so that a mere rearrangement is no difference. */
function withoutWords(value: unknown, names = false): Json {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item));
  if (typeof value !== "object" || value === null) return (value ?? null) as Json;
  const kept = Object.entries(value).filter(([key]) => names || !WORDS.has(key));
  kept.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    kept.map(([key, item]) => [
      key,
      key === "required" && !names ? [...(item as string[])].sort() : withoutWords(item, !names && MAPS.has(key)),
    ]),
  );
}

const WORDS: ReadonlySet<string> = new Set(["description", "title", "examples", "$schema", "$comment"]);
/** Keywords whose keys are names, not keywords. */
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** ` (path is gone, file is new)`, or nothing where the keys are the same. */
function changedKeys(before: unknown, after: unknown): string {
  const keys = (schema: unknown) => Object.keys((schema as { properties?: object } | null)?.properties ?? {});
  const [old, now] = [keys(before), keys(after)];
  const words = [
    ...old.filter((key) => !now.includes(key)).map((key) => `${key} is gone`),
    ...now.filter((key) => !old.includes(key)).map((key) => `${key} is new`),
  ];
  return words.length > 0 ? ` (${words.join(", ")})` : "";
}
