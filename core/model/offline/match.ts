import MiniSearch from "minisearch";
import { compareText } from "../../diagnostics.ts";
import type { JsonObject } from "../../sdk/result.ts";
import type { ToolDefinition } from "../model.ts";
import { type ParsedExample, parseExample } from "./examples.ts";
import { type Filling, fill } from "./fill.ts";
import { createLexicon, type Lexicon, meaningOf } from "./lexicon.ts";
import { propertiesOf } from "./schema.ts";
import { createWeights, type IndexedTool, isSpoiled, likeness, type Weights } from "./score.ts";
import { analyse, contentTerms, type Utterance } from "./text.ts";

/** What the offline model makes of a question. */
export interface Match {
  /** The call, when the question clearly asks for one. */
  readonly call?: { readonly tool: ToolDefinition; readonly args: JsonObject; readonly like: string };
  /** The tool that would fit, and what the question does not say. */
  readonly incomplete?: { readonly tool: ToolDefinition; readonly missing: readonly string[] };
  /** The closest tools, best first. */
  readonly closest: readonly ToolDefinition[];
}

/** Finds the tool that a plain question asks for. Holds the index of one set of tools. */
export interface Matcher {
  match(question: string): Match;
}

/** A fit below this is a guess. */
const CLEAR = 0.55;
/** The best tool has to be so much better than the next. */
const MARGIN = 1.2;
/** Two ways to fill the arguments are alike above this ratio of their fits. */
const ALIKE = 0.97;
/** Below this a tool is not even close. */
const CLOSE = 0.12;
/** So many documents of the index are looked at; a tool has about ten. */
const MAX_HITS = 60;
/** Longer texts, in characters, are no plain questions, and of a description no more is read. */
const MAX_LENGTH = 1000;
/** A question with more values than this is a list of something. */
const MAX_VALUES = 20;
/** Builds the index of some tools. Those with a role are the host's own and are not matched. */
export function createMatcher(tools: readonly ToolDefinition[]): Matcher {
  const lexicon = createLexicon();
  const indexed = tools.filter(({ role }) => role === undefined).map((tool) => indexTool(tool, lexicon));
  const search = buildSearch(indexed);
  const weights = createWeights(indexed);
  return {
    match(text) {
      if (text.length > MAX_LENGTH) return { closest: [] };
      const question = analyse(text, lexicon);
      if (question.tokens.filter(({ entity }) => entity).length > MAX_VALUES) return { closest: [] };
      const found = search(contentTerms(question));
      // Where no word is known, the values of the question still tell which tools could take them.
      const hits = found.length > 0 ? found : [...indexed.keys()].slice(0, MAX_HITS);
      const fits = hits.map((index) => fitTool(question, indexed[index] as IndexedTool, { weights, lexicon }));
      return decide(fits.sort((a, b) => rank(b) - rank(a)));
    },
  };
}

function indexTool(tool: ToolDefinition, lexicon: Lexicon): IndexedTool {
  const plain = (tool.examples ?? []).filter(({ say }) => say.length <= MAX_LENGTH);
  const examples = plain.flatMap((example) => parseExample(example, tool, lexicon) ?? []);
  const words = `${tool.name.replaceAll("_", " ")}. ${tool.description}`.slice(0, MAX_LENGTH);
  const described = contentTerms(analyse(words, lexicon));
  const parameters = Object.keys(propertiesOf(tool.parameters)).map(
    (name) => meaningOf(lexicon, name.toLowerCase()).term,
  );
  const said = examples.flatMap((example) => example.words.map(({ term }) => term));
  return {
    tool,
    examples,
    described,
    vocabulary: new Set([...described, ...parameters, ...said]),
    said: new Set(examples.length === 0 ? described : [...parameters, ...said]),
  };
}

/** The indices of the tools that share terms with a question, best first, by the search library. */
function buildSearch(tools: readonly IndexedTool[]): (terms: readonly string[]) => number[] {
  const split = (text: string) => text.split("\n");
  const index = new MiniSearch<{ id: number; tool: number; terms: string }>({
    fields: ["terms"],
    storeFields: ["tool"],
    tokenize: split,
    processTerm: (term) => term,
  });
  let id = 0;
  for (const [tool, { described, examples }] of tools.entries()) {
    const documents = [described, ...examples.map(({ words }) => words.map(({ term }) => term))];
    index.addAll(documents.map((terms) => ({ id: id++, tool, terms: terms.join("\n") })));
  }
  return (terms) => {
    const hits = index.search(terms.join("\n"), { combineWith: "OR" }).slice(0, MAX_HITS);
    return [...new Set(hits.map((hit) => hit.tool as number))];
  };
}

interface Fit {
  readonly tool: ToolDefinition;
  /** 0 to 1; 0 where something in the question speaks against the tool. */
  readonly score: number;
  /** The score with nothing counted against it, to name the closest tools by. */
  readonly closeness: number;
  readonly filling: Filling;
  readonly like: string;
}

/** The best fit of a tool over its examples; without examples over its description. */
function fitTool(question: Utterance, indexed: IndexedTool, tools: { weights: Weights; lexicon: Lexicon }): Fit {
  const { tool, examples } = indexed;
  const variants: (ParsedExample | undefined)[] = examples.length > 0 ? [...examples] : [undefined];
  const fits = variants.map((example) => {
    const options = { parameters: tool.parameters, example, siblings: examples, lexicon: tools.lexicon };
    const filling = fill(question, options);
    const closeness = likeness(question, { indexed, example, filling, weights: tools.weights });
    const spoiled = isSpoiled(question, { indexed, example, filling });
    return {
      tool,
      score: spoiled ? 0 : closeness,
      closeness,
      filling,
      like: example?.utterance.text ?? tool.description,
    };
  });
  const best = fits.reduce((a, b) => (rank(b) > rank(a) ? b : a));
  return fits.some((fit) => isRival(fit, best)) ? { ...best, score: 0 } : best;
}

/** As good as the best, and asking for something else: choosing would be a guess. */
function isRival(fit: Fit, best: Fit): boolean {
  const complete = fit.filling.missing.length === 0 && best.filling.missing.length === 0;
  return complete && fit.score >= best.score * ALIKE && canonical(fit.filling.args) !== canonical(best.filling.args);
}

function canonical(args: JsonObject): string {
  return JSON.stringify(Object.entries(args).sort(([a], [b]) => compareText(a, b)));
}

/** A complete call goes before a better likeness that lacks arguments. */
function rank({ score, closeness, filling }: Fit): number {
  return (filling.missing.length === 0 ? score : score / 4) + closeness / 100;
}

function decide(fits: readonly Fit[]): Match {
  const [best, next] = fits;
  const close = fits.filter(({ closeness }) => closeness >= CLOSE).sort((a, b) => b.closeness - a.closeness);
  const taking = fits.filter(({ filling }) => filling.consumed.length > 0);
  const closest = (close.length > 0 ? close : taking).slice(0, 3).map(({ tool }) => tool);
  if (!best || best.score < CLEAR || (next && next.score * MARGIN > best.score)) return { closest };
  const { tool, filling, like } = best;
  if (filling.missing.length > 0) return { closest, incomplete: { tool, missing: filling.missing } };
  return { closest, call: { tool, args: filling.args, like } };
}
