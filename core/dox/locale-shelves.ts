import { compareText } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import { type FluentMessage, readFluent } from "../discovery/fluent.ts";
import { parameterKey, TOOLS_FILE, toolKey } from "../discovery/locale-keys.ts";
import { canonicalLocale } from "../discovery/locale-tag.ts";
import { contains } from "../discovery/paths.ts";
import type { View } from "../discovery/view.ts";
import { parametersOf } from "../loading/parameter-texts.ts";
import type { CheckedTool, CheckSubject } from "./subject.ts";

/** A `tools.ftl` of a shelf. */
export interface LocaleSource {
  /** Canonical. */
  readonly locale: string;
  /** Display path. */
  readonly file: string;
  readonly candidate: Candidate;
  /** In the order of the file; those that hold, with or without a text. */
  readonly messages: readonly FluentMessage[];
}

/** What a key describes. */
export interface LocaleSubject {
  readonly key: string;
  readonly tool: CheckedTool;
  /** Absent: the tool itself. */
  readonly parameter?: readonly string[];
  /** What fragment, module or schema say of it, in English. */
  readonly english: string | undefined;
}

/** The place of the descriptions of some tools: the `locales/` of a plugin, a profile, or the root. */
export interface LocaleShelf {
  /** Display path of the location: `usr/plugins/acme`, `.` for the root. */
  readonly path: string;
  readonly plugin: string | undefined;
  /** It comes with the product: what it describes, it describes completely. */
  readonly bundled: boolean;
  /** What is to be described, sorted by tool, then parameter. */
  readonly subjects: readonly LocaleSubject[];
  /** Sorted by locale. */
  readonly sources: readonly LocaleSource[];
}

/** The comment that marks a text as not translated yet. */
export const UNTRANSLATED = "untranslated";

/** Whether a message still has the text that it was filled with. */
export function isUntranslated({ comment }: Pick<FluentMessage, "comment">): boolean {
  return comment.split("\n").some((line) => line.trim() === UNTRANSLATED);
}

/**
 * The shelves of a root, sorted by path. Each tool that wins in some profile is described where it lies; the core tools of
 * the product, which has no `locales/` beside them, in the bundled plugin that is always on.
 */
export function localeShelves(subject: CheckSubject): readonly LocaleShelf[] {
  const tools = new Map<string, CheckedTool[]>();
  for (const tool of subject.tools) {
    const path = shelfOf(tool.candidate, subject);
    if (tool.own && path !== undefined) add(tools, path, tool);
  }
  const files = new Map<string, Candidate[]>();
  for (const candidate of localeFiles(subject.profiles.map(({ view }) => view))) {
    if (isOwn(subject, candidate)) add(files, candidate.layer.path, candidate);
  }
  const paths = [...new Set([...tools.keys(), ...files.keys()])].sort(compareText);
  return paths.map((path): LocaleShelf => {
    const described = tools.get(path) ?? [];
    const sources = (files.get(path) ?? []).flatMap((candidate) => sourceOf(candidate, subject));
    const [any] = [...sources, ...described].map(({ candidate }) => candidate);
    return {
      path,
      plugin: pluginAt(path, subject),
      bundled: any !== undefined && isBundled(subject, any),
      subjects: described.flatMap((tool) => subjectsOf(tool, subject)).sort(compareSubjects),
      sources: sources.sort((a, b) => compareText(a.locale, b.locale) || compareText(a.file, b.file)),
    };
  });
}

/** The `tools.ftl` of some views that are on, each once. */
export function localeFiles(views: readonly View[]): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { catalog } of views) {
    for (const { id, standings } of catalog.list("locale")) {
      if (!id.endsWith(`/${TOOLS_FILE}`)) continue;
      for (const { candidate } of standings) if (!candidate.off) found.set(candidate.file, candidate);
    }
  }
  return [...found.values()];
}

/** By tool, its description first, then by parameter. */
export function compareSubjects(a: LocaleSubject, b: LocaleSubject): number {
  return (
    compareText(a.tool.id, b.tool.id) ||
    Number(a.parameter !== undefined) - Number(b.parameter !== undefined) ||
    compareText(a.key, b.key)
  );
}

/** What is to be said of one tool. The parameters of a tool that does not load are not known. */
function subjectsOf(tool: CheckedTool, { fragments }: CheckSubject): readonly LocaleSubject[] {
  const { id, contract } = tool;
  const fragment = fragments.find(({ tools, meta }) => meta.description && tools.includes(tool));
  const english = fragment?.meta.description ?? contract?.description;
  const parameters = parametersOf(contract?.parameters ?? null).map(({ path: parameter, description }) => ({
    key: parameterKey(id, parameter),
    tool,
    parameter,
    english: description,
  }));
  return [{ key: toolKey(id), tool, english }, ...parameters];
}

function sourceOf(candidate: Candidate, { files }: CheckSubject): readonly LocaleSource[] {
  const locale = canonicalLocale(candidate.id.slice(0, -TOOLS_FILE.length - 1));
  const text = files.read(candidate.path);
  if (locale === undefined || text === undefined) return [];
  const { messages } = readFluent(text);
  return [{ locale, file: candidate.path, candidate, messages: messages.filter(({ repeated }) => !repeated) }];
}

/** Display path of the location whose `locales/` describes a tool. */
function shelfOf(candidate: Candidate, subject: CheckSubject): string | undefined {
  const { layer } = candidate;
  if (layer.rank !== 8 || !isBundled(subject, candidate)) return layer.path;
  const plugins = subject.profiles.flatMap(({ view }) => view.plugins);
  return plugins.find(({ alwaysEnabled, origin }) => alwaysEnabled && origin === "home")?.path;
}

function pluginAt(path: string, { profiles }: CheckSubject): string | undefined {
  for (const { view } of profiles) {
    const found = view.plugins.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    if (found) return found.id;
  }
  return undefined;
}

/** Whether whoever asks for the check can mend it. */
function isOwn({ root }: CheckSubject, { file, path }: Candidate): boolean {
  return contains(root, file) || !path.startsWith("/");
}

function isBundled({ root, home }: CheckSubject, { file }: Candidate): boolean {
  return contains(home, file) && !contains(`${root}/usr`, file);
}

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
