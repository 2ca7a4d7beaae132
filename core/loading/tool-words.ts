import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import type { FragmentMeta } from "../discovery/fragment.ts";
import type { LocaleText } from "../discovery/locale-texts.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { describedSchema } from "./parameter-texts.ts";
import type { ToolContract } from "./tool-contract.ts";

/** A tool as far as it is described. */
interface DescribedTool {
  readonly id: string;
  readonly candidate: Candidate;
}

/** A description with the example calls of the fragment that documents the tool. */
export interface ToolWords {
  /** Of the locale, else of the fragment, else of the module. */
  readonly description: string;
  readonly aliases: readonly string[];
  readonly examples: readonly { readonly say: string; readonly call: JsonObject }[];
}

/** What is said of the tools of a registry: by locales, by the fragments that document them, by their modules. */
interface WordsOfTools {
  words(entry: DescribedTool): ToolWords;
  aliases(entry: DescribedTool): readonly string[];
  /** Display path of the file that gives the description; undefined where none does. */
  describedIn(entry: DescribedTool): string | undefined;
  /** The parameters with the descriptions of the locale; the same object as long as words and schema are. */
  parameters(entry: DescribedTool, contract: ToolContract): JsonSchema | null;
  /** What is wrong with front matter, aliases and locales. */
  diagnostics(): readonly Diagnostic[];
}

/** What {@link createToolWords} looks at. */
interface ToolWordsParts {
  readonly view: View;
  entries(): readonly DescribedTool[];
  /** The contract of a tool, where it is known without running its module. */
  contractOf(entry: DescribedTool): ToolContract | undefined;
}

/** Nothing is read until it is asked for. */
export function createToolWords({ view, entries, contractOf }: ToolWordsParts): WordsOfTools {
  let fragments: Documented | undefined;
  const documented = (): Documented => {
    fragments ??= documentedIn(view, entries());
    return fragments;
  };

  /** What a model is told is watched. */
  const servedText = (local: LocaleText | undefined): string | undefined => {
    if (local) view.serve(local.candidate);
    return local?.text;
  };

  const parameters = ({ id }: DescribedTool, { parameters: from }: ToolContract): JsonSchema | null => {
    servedText(view.toolTexts.description(id));
    if (from === null) return null;
    const { described } = view.localeKeys();
    const ofTools = described.get(from) ?? new Map<string, JsonSchema>();
    const made = ofTools.get(id) ?? describedSchema(from, (path) => servedText(view.toolTexts.parameter(id, path)));
    described.set(from, ofTools.set(id, made));
    return made;
  };

  // Field by field: it is asked of every tool that is listed.
  const wordsOf = (entry: DescribedTool): ToolWords => {
    const fragment = documented().words.get(entry.id);
    // Of a root that is not trusted: what is known under its name is said of another file.
    if (entry.candidate.off) return { description: "", aliases: fragment?.aliases ?? [], examples: [] };
    const local = view.toolTexts.description(entry.id);
    return {
      description: local?.text || fragment?.description || contractOf(entry)?.description || "",
      aliases: fragment?.aliases ?? [],
      examples: fragment?.examples ?? [],
    };
  };

  const describedIn = (entry: DescribedTool): string | undefined => {
    if (entry.candidate.off) return undefined;
    const local = view.toolTexts.description(entry.id);
    if (local) return local.candidate.path;
    if (documented().words.get(entry.id)?.description) return view.documentOf(entry.id)?.path;
    return contractOf(entry)?.description ? entry.candidate.path : undefined;
  };

  return {
    words: wordsOf,
    aliases: ({ id }) => documented().words.get(id)?.aliases ?? [],
    describedIn,
    parameters,
    diagnostics: () => [...documented().found, ...view.localeKeys().diagnostics],
  };
}

/** What fragments say of tools. */
interface Documented {
  /** Of all that there are. */
  readonly tools: readonly string[];
  readonly words: ReadonlyMap<string, ToolWords>;
  readonly found: readonly Diagnostic[];
}

/** Made anew only where a document or the tools changed: a save of a module changes neither. */
function documentedIn(view: View, entries: readonly DescribedTool[]): Documented {
  const { derived } = view.documents();
  const known = derived.get(documentedIn) as Documented | undefined;
  const isOf = known?.tools.length === entries.length && entries.every(({ id }, at) => id === known.tools[at]);
  if (known && isOf) return known;
  const found: Diagnostic[] = [];
  const words = documentedWords(view, entries, found);
  const made: Documented = { tools: entries.map(({ id }) => id), words, found };
  derived.set(documentedIn, made);
  return made;
}

/**
 * The words of the fragments by tool id. An alias that is a tool's id or another tool's alias is refused and reported, also
 * where only capitals differ: lists of risk profiles do not count them, so it would get what they let the other tool do.
 */
function documentedWords(
  view: View,
  entries: readonly DescribedTool[],
  found: Diagnostic[],
): ReadonlyMap<string, ToolWords> {
  const ids = new Set(entries.map((entry) => entry.id));
  const owners = new Map([...ids].map((id) => [id.toLowerCase(), id]));
  const words = new Map<string, ToolWords>();
  for (const { id: name, winner } of view.catalog.list("fragment")) {
    if (!winner) continue;
    const { meta, diagnostics } = view.fragment(winner);
    found.push(...diagnostics);
    for (const id of meta.tools ?? [name]) {
      if (!ids.has(id) || (words.has(id) && name !== id)) continue;
      const aliases = (meta.aliases?.[id] ?? []).filter((alias) => {
        const taken = owners.get(alias.toLowerCase());
        if (taken === undefined || taken === id) {
          owners.set(alias.toLowerCase(), id);
          return true;
        }
        found.push(
          diagnostic("ALIAS_TAKEN", {
            file: winner.path,
            message: `the alias ${alias} of ${id} already means ${taken}`,
            hint: "Choose another alias.",
          }),
        );
        return false;
      });
      words.set(id, { description: meta.description ?? meta.summary ?? "", aliases, examples: examplesFor(meta, id) });
    }
  }
  return words;
}

function examplesFor(meta: FragmentMeta, id: string): ToolWords["examples"] {
  const examples = meta.examples ?? [];
  if ((meta.tools?.length ?? 1) === 1) return examples;
  return examples.flatMap(({ say, call }) =>
    call.tool_name === id ? [{ say, call: (call.tool_args ?? {}) as JsonObject }] : [],
  );
}
