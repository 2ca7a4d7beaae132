import type { Diagnostic } from "../diagnostics.ts";
import type { Registry } from "../loading/registry.ts";
import { requireProvider } from "../model/endpoints.ts";
import { type Model, OFFLINE, type ToolDefinition } from "../model/model.ts";
import type { SchemaFit } from "../model/schema-fit.ts";
import type { SchemaProfile } from "../model/schema-profiles.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { ProfileLease } from "./calls.ts";
import { type CallableTools, callableTools, parametersOf, toolDefinitions } from "./prompting.ts";

/** What a model is offered of the tools that can be called. */
export interface Offer extends CallableTools {
  /** Of these tools, sorted by name, with the parameters as the provider takes them. */
  readonly definitions: readonly ToolDefinition[];
  /** What was rewritten for the provider; what it is not given is among the diagnostics. */
  readonly notes: readonly Diagnostic[];
}

/** Makes offers, and keeps what schemas become for providers: these stay the same as long as a tool does. */
export interface Offers {
  /**
   * @param provider whose rules hold; undefined for a model that is told of tools as they are
   */
  of(registry: Registry, callable: CallableTools, provider: string | undefined): Promise<Offer>;
  /**
   * Leaves a tool out of every further offer to a provider that refused it, as long as its schema is the same.
   * @param words what the provider said
   */
  refuse(tool: CallableTools["tools"][number], provider: string, words: string): void;
}

/** Whose rules hold for what a model is sent: nobody's for the offline model, and where tools go as text. */
export function providerFor({ id, protocol }: Pick<Model, "id" | "protocol">): string | undefined {
  const slash = id.indexOf("/");
  return protocol === "native" && id !== OFFLINE && slash > 0 ? id.slice(0, slash) : undefined;
}

const CUT = { pointer: "", rule: "description", message: "the description of the tool is cut" } as const;

/** Nothing of it is loaded before a provider is to be sent tools. */
export function createOffers(): Offers {
  const known = new WeakMap<JsonSchema, Map<SchemaProfile, SchemaFit>>();
  const refused = new WeakMap<JsonSchema, Map<string, string>>();
  return {
    async of(registry, callable, provider) {
      const definitions = toolDefinitions(registry, callable);
      if (provider === undefined) return { ...callable, definitions, notes: [] };
      const [{ fitSchema }, { profileOfProvider }, { publishedNames }, { cutText }, told] = await Promise.all([
        import("../model/schema-fit.ts"),
        import("../model/schema-profiles.ts"),
        import("../model/published-names.ts"),
        import("../model/schema-words.ts"),
        import("../model/schema-diagnostics.ts"),
      ]);
      const profile = profileOfProvider(provider);
      const fitOf = (schema: JsonSchema): SchemaFit => {
        const fits = known.get(schema) ?? new Map<SchemaProfile, SchemaFit>();
        known.set(schema, fits);
        const fit = fits.get(profile) ?? fitSchema(schema, profile);
        fits.set(profile, fit);
        return fit;
      };
      const { published } = publishedNames(definitions.map(({ name }) => name));
      const files = new Map(callable.tools.map(({ entry }) => [entry.id, entry.candidate.path]));
      const offered = new Map<string, ToolDefinition>();
      const diagnostics = [...callable.diagnostics];
      const notes: Diagnostic[] = [];
      for (const definition of definitions) {
        const { name: id, description, parameters } = definition;
        const about = { id, file: files.get(id) ?? "", to: provider };
        const words = refused.get(parameters)?.get(`${provider} ${id}`);
        if (words !== undefined) {
          diagnostics.push(told.schemaRefused(about, [{ pointer: "", message: `was refused: ${words}` }]));
          continue;
        }
        const { schema, rewrites, refusals } = fitOf(parameters);
        const name = published.get(id) ?? id;
        if (refusals.length > 0) {
          diagnostics.push(told.schemaRefused(about, refusals));
          continue;
        }
        if (name !== id) notes.push(told.toolPublished(about, name));
        const short = cutText(description, profile.maxDescription ?? Number.POSITIVE_INFINITY);
        const changes = short === description ? rewrites : [...rewrites, CUT];
        if (changes.length > 0) notes.push(told.schemaRewritten(about, changes));
        offered.set(id, {
          ...definition,
          ...(name === id ? {} : { published: name }),
          description: short,
          parameters: schema,
        });
      }
      const tools = callable.tools.filter(({ entry }) => offered.has(entry.id));
      return { tools, definitions: [...offered.values()], diagnostics, notes };
    },
    refuse({ entry, contract }, provider, words) {
      const schema = parametersOf(contract);
      const of = refused.get(schema) ?? new Map<string, string>();
      refused.set(schema, of.set(`${provider} ${entry.id}`, words));
    },
  };
}

/**
 * The function definitions as a provider is sent them; without a provider as the host holds them, examples included.
 * What is wrong with them, or was done to them, is reported.
 * @throws HostError MODEL_UNKNOWN (usage)
 */
export async function definitionsFor(
  { registry, generation }: Pick<ProfileLease, "registry" | "generation">,
  offers: Offers,
  provider: string | undefined,
): Promise<readonly ToolDefinition[]> {
  if (provider !== undefined) requireProvider(provider, registry.view.settings);
  const callable = await callableTools(registry);
  if (provider === undefined || provider === OFFLINE) return toolDefinitions(registry, callable);
  const { definitions, diagnostics, notes } = await offers.of(registry, callable, provider);
  for (const item of [...diagnostics, ...notes]) generation.report(item);
  return definitions.map(({ name, published = name, description, parameters }) => ({
    name: published,
    description,
    parameters,
  }));
}
