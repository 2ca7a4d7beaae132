import type { Diagnostic } from "../diagnostics.ts";
import { publishedNames } from "../model/published-names.ts";
import { schemaRefused, schemaRewritten, toolPublished } from "../model/schema-diagnostics.ts";
import { fitSchema, type SchemaFit } from "../model/schema-fit.ts";
import { SCHEMA_PROFILE_IDS, SCHEMA_PROFILES, type SchemaProfileId } from "../model/schema-profiles.ts";
import { REWRITE_RULES, type SchemaRewrite } from "../model/schema-rules.ts";
import type { JsonSchema } from "../sdk/schema.ts";

/** A tool with the schema of its arguments. */
export interface CheckedSchema {
  readonly id: string;
  /** The display path of its module. */
  readonly file: string;
  readonly schema: JsonSchema;
}

/**
 * What providers make of the schema of a tool's arguments, for all profiles: SCHEMA_REFUSED (an error where none takes
 * it), SCHEMA_REWRITTEN for each rewrite that tells a model less than the schema says, TOOL_PUBLISHED_NAME.
 */
export function checkSchema({ id, file, schema }: CheckedSchema): readonly Diagnostic[] {
  const fits = SCHEMA_PROFILE_IDS.map((profile) => ({ profile, fit: fitSchema(schema, SCHEMA_PROFILES[profile]) }));
  const name = publishedNames([id]).published.get(id) ?? id;
  return [
    ...(name === id ? [] : [toolPublished({ id, file }, name)]),
    ...refused(fits).map(({ profiles, fit }) => {
      const found = schemaRefused({ id, file, to: profiles.join(", ") }, fit.refusals);
      return profiles.length === SCHEMA_PROFILE_IDS.length ? { ...found, severity: "error" as const } : found;
    }),
    ...told(fits).map(({ profiles, rewrite }) => schemaRewritten({ id, file, to: profiles.join(", ") }, [rewrite])),
  ];
}

type Fits = readonly { readonly profile: SchemaProfileId; readonly fit: SchemaFit }[];

/** Those that refuse for the same reasons together. */
function refused(fits: Fits): readonly { readonly profiles: readonly SchemaProfileId[]; readonly fit: SchemaFit }[] {
  const byReason = new Map<string, { profiles: SchemaProfileId[]; fit: SchemaFit }>();
  for (const { profile, fit } of fits.filter((item) => item.fit.refusals.length > 0)) {
    const key = JSON.stringify(fit.refusals);
    const known = byReason.get(key);
    if (known) known.profiles.push(profile);
    else byReason.set(key, { profiles: [profile], fit });
  }
  return [...byReason.values()];
}

/** Each place once, with the profiles for which it is rewritten in the same way. */
function told(
  fits: Fits,
): readonly { readonly profiles: readonly SchemaProfileId[]; readonly rewrite: SchemaRewrite }[] {
  const byPlace = new Map<string, { profiles: SchemaProfileId[]; rewrite: SchemaRewrite }>();
  for (const { profile, fit } of fits.filter((item) => item.fit.refusals.length === 0)) {
    for (const rewrite of fit.rewrites.filter(({ rule }) => REWRITE_RULES[rule].told)) {
      const key = JSON.stringify(rewrite);
      const known = byPlace.get(key);
      if (known) known.profiles.push(profile);
      else byPlace.set(key, { profiles: [profile], rewrite });
    }
  }
  return [...byPlace.values()];
}
