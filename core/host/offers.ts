import type { Diagnostic } from "../diagnostics.ts";
import type { Registry } from "../loading/registry.ts";
import { requireProvider } from "../model/endpoints.ts";
import { type Model, OFFLINE, type ToolDefinition } from "../model/model.ts";
import type { fitSchema, SchemaFit } from "../model/schema-fit.ts";
import type { SchemaProfile } from "../model/schema-profiles.ts";
import type { SchemaRewrite } from "../model/schema-rules.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { Authority } from "./authority.ts";
import type { ProfileLease } from "./calls.ts";
import { type CallableTools, callableTools, parametersOf, toolDefinitions } from "./prompting.ts";

/** What a model is offered of the tools that can be called. */
export interface Offer extends CallableTools {
  /** Of these tools, sorted by name, with the parameters as the provider takes them. */
  readonly definitions: readonly ToolDefinition[];
  /** What was rewritten for the provider; what it is not given is among the diagnostics. */
  notes(): readonly Diagnostic[];
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

/** Nothing of it is loaded before a provider is to be sent tools. */
export function createOffers(): Offers {
  const known = new WeakMap<JsonSchema, Map<SchemaProfile, SchemaFit>>();
  const refused = new WeakMap<JsonSchema, Map<string, string>>();
  const fitted = (schema: JsonSchema, profile: SchemaProfile, make: typeof fitSchema): SchemaFit => {
    const fits = known.get(schema) ?? new Map<SchemaProfile, SchemaFit>();
    const found = fits.get(profile) ?? make(schema, profile);
    known.set(schema, fits.set(profile, found));
    return found;
  };
  return {
    async of(registry, callable, provider) {
      const definitions = toolDefinitions(registry, callable);
      if (provider === undefined) return { ...callable, definitions, notes: () => [] };
      const { fitSchema, profileOfProvider, publishedNames, cutText, told } = await rules();
      const profile = profileOfProvider(provider);
      const { published } = publishedNames(definitions.map(({ name }) => name));
      // What was refused is known by the tool's own schema, in whatever language its parameters are described.
      const schemas = new Map(callable.tools.map(({ entry, contract }) => [entry.id, parametersOf(contract)]));
      const files = new Map(callable.tools.map(({ entry }) => [entry.id, entry.candidate.path]));
      const about = (id: string) => ({ id, file: files.get(id) ?? "", to: provider });
      const offered = new Map<string, OfferedTool>();
      const diagnostics = [...callable.diagnostics];
      for (const given of definitions) {
        const { name: id, description, parameters } = given;
        const words = refused.get(schemas.get(id) ?? parameters)?.get(`${provider} ${id}`);
        const { schema, rewrites, refusals } = fitted(parameters, profile, fitSchema);
        if (words !== undefined || refusals.length > 0) {
          const reasons = words === undefined ? refusals : [{ pointer: "", message: `was refused: ${words}` }];
          diagnostics.push(told.schemaRefused(about(id), reasons));
          continue;
        }
        const name = published.get(id) ?? id;
        const short = cutText(description, profile.maxDescription ?? Number.POSITIVE_INFINITY);
        const own = { ...given, description: short, parameters: schema };
        offered.set(id, {
          definition: name === id ? own : { ...own, published: name },
          rewrites: short === description ? rewrites : [...rewrites, CUT],
        });
      }
      return {
        tools: callable.tools.filter(({ entry }) => offered.has(entry.id)),
        definitions: [...offered.values()].map(({ definition }) => definition),
        diagnostics,
        notes: () =>
          [...offered].flatMap(([id, { definition, rewrites }]) => [
            ...(definition.published === undefined ? [] : [told.toolPublished(about(id), definition.published)]),
            ...(rewrites.length === 0 ? [] : [told.schemaRewritten(about(id), rewrites)]),
          ]),
      };
    },
    refuse({ entry, contract }, provider, words) {
      const schema = parametersOf(contract);
      const tools = refused.get(schema) ?? new Map<string, string>();
      refused.set(schema, tools.set(`${provider} ${entry.id}`, words));
    },
  };
}

interface OfferedTool {
  readonly definition: ToolDefinition;
  readonly rewrites: readonly SchemaRewrite[];
}

const CUT: SchemaRewrite = { pointer: "", rule: "description", message: "the description of the tool is cut" };

async function rules() {
  const [{ fitSchema }, { profileOfProvider }, { publishedNames }, { cutText }, told] = await Promise.all([
    import("../model/schema-fit.ts"),
    import("../model/schema-profiles.ts"),
    import("../model/published-names.ts"),
    import("../model/schema-words.ts"),
    import("../model/schema-diagnostics.ts"),
  ]);
  return { fitSchema, profileOfProvider, publishedNames, cutText, told };
}

/** Who is sent definitions. */
export interface DefinitionsOwner extends Pick<ProfileLease, "registry" | "generation"> {
  readonly authority: Pick<Authority, "refusal">;
}

/**
 * The function definitions as a provider is sent them; without a provider as the host holds them, examples included.
 * What is wrong with them, or was done to them, is reported.
 * @throws HostError MODEL_UNKNOWN (usage)
 */
export async function definitionsFor(
  { registry, generation, authority }: DefinitionsOwner,
  offers: Offers,
  provider: string | undefined,
): Promise<readonly ToolDefinition[]> {
  if (provider !== undefined) requireProvider(provider, registry.view.settings);
  const callable = await callableTools(registry, authority);
  if (provider === undefined || provider === OFFLINE) return toolDefinitions(registry, callable);
  const { definitions, diagnostics, notes } = await offers.of(registry, callable, provider);
  for (const item of [...diagnostics, ...notes()]) generation.report(item);
  return definitions.map(({ name, published = name, description, parameters }) => ({
    name: published,
    description,
    parameters,
  }));
}
