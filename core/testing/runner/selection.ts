import { compareText, type DiagnosticCode } from "../../diagnostics.ts";
import { isNamedFor, ownTests, testsOfTools } from "../../dox/tests-of-tools.ts";
import { filesOf } from "../../host/check-files.ts";
import type { Host } from "../../host.ts";
import { HostError } from "../../sdk/errors.ts";
import { nearest } from "../../sdk/nearest.ts";

/** What `toolroom test` is to run. All lists are sorted and hold each item once; paths are display paths. */
export interface Selection {
  /** Test files that are there. */
  readonly files: readonly string[];
  /** Modules of tools that no test runs. */
  readonly untested: readonly string[];
  /** Directories of the root's plugins, whose `AGENTS.md` may list commands; those of the package's are not for this root. */
  readonly plugins: readonly string[];
}

interface Found {
  readonly id: string;
  readonly file: string;
  /** The directory of its plugin. */
  readonly plugin: string | undefined;
}

/**
 * Finds what a word means: a plugin by its directory name, else a tool by its id in any profile. Without a word, all
 * plugins of `usr/plugins/`.
 * @throws HostError USAGE for a word that is neither
 */
export async function selectTests(host: Host, word: string | undefined): Promise<Selection> {
  const files = filesOf(host.root);
  const plugins = host.items("plugin").map(({ id, file }) => ({ id, directory: directoryOf(file) }));
  const tools = await allTools(host);
  const asked = plugins.filter(({ id, directory }) => (word === undefined ? isPersons(directory) : id === word));
  if (word === undefined || asked.length > 0) {
    const directories = asked.map(({ directory }) => directory);
    const inside = tools.filter(({ file }) => directories.some((directory) => file.startsWith(`${directory}/`)));
    const tests = testsOfTools(inside, files);
    return {
      files: sorted([
        ...directories.flatMap((directory) => ownTests(`${directory}/plugin.yaml`, files)),
        ...[...tests.values()].flat(),
      ]),
      untested: inside.flatMap(({ file }) => (tests.get(file)?.length ? [] : [file])),
      plugins: directories.filter(isOfRoot),
    };
  }
  const named = tools.filter(({ id }) => id === word);
  if (named.length === 0)
    throw unknownWord(
      word,
      [...plugins, ...tools].map(({ id }) => id),
    );
  const tests = testsOfTools(named, files);
  const testsOf = (tool: Found): readonly string[] => [
    ...(tests.get(tool.file) ?? []),
    ...ownTests(tool.file, files).filter((file) => isNamedFor(file, tool) && isAlone(tool, named, file)),
  ];
  return {
    files: sorted(named.flatMap(testsOf)),
    untested: named.flatMap((tool) => (testsOf(tool).length > 0 ? [] : [tool.file])),
    plugins: sorted(named.flatMap(({ plugin }) => plugin ?? [])).filter(isOfRoot),
  };
}

/** A file's name says which tool it tests where only one of that name lies near. */
function isAlone(tool: Found, named: readonly Found[], file: string): boolean {
  return named.every((other) => other === tool || !file.startsWith(directoryOf(directoryOf(other.file))));
}

async function allTools(host: Host): Promise<readonly Found[]> {
  const found = new Map<string, Found>();
  for (const { id: profile } of host.items("profile", { hidden: true })) {
    const { tools } = await host.list({ profile });
    for (const { name: id, file, layer, plugin } of tools) {
      found.set(file, { id, file, plugin: plugin === null ? undefined : pluginDirectory(layer.path) });
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.file, b.file));
}

/** `usr/plugins/x/agents/p` → `usr/plugins/x` */
function pluginDirectory(layer: string): string {
  return layer.replace(/\/agents\/[^/]+$/u, "");
}

function directoryOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf("/")));
}

function isOfRoot(directory: string): boolean {
  return /^(?:usr|plugins)\//u.test(directory);
}

function isPersons(directory: string): boolean {
  return directory.startsWith("usr/plugins/");
}

function sorted(list: readonly string[]): readonly string[] {
  return [...new Set(list)].sort(compareText);
}

function unknownWord(word: string, known: readonly string[]): HostError {
  const close = nearest(word, known);
  const hint = close === undefined ? "toolroom list shows the tools" : `did you mean ${close}?`;
  return new HostError("USAGE" satisfies DiagnosticCode, `expected a plugin or a tool, found "${word}"; ${hint}`, {
    kind: "usage",
  });
}
