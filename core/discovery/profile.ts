import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type Place, placeCandidate } from "./candidates.ts";
import type { Candidate } from "./catalog.ts";
import { CONVENTIONS } from "./conventions.ts";
import type { FileReader } from "./derived.ts";
import { isMapping } from "./fields.ts";
import type { Layer } from "./layers.ts";
import { lookUp } from "./merge.ts";
import { type ProfileDefinition, parseProfile, type ReadDefinition, UNREAD_DEFINITION } from "./profile-file.ts";
import type { Settings } from "./settings.ts";

/** An agent profile: what its definitions in all layers say together. */
export interface Profile {
  /** The directory's name. */
  readonly id: string;
  /** The id where no definition gives one. */
  readonly title: string;
  readonly description: string;
  /** What the profile adds to the system prompt. */
  readonly context: string;
  readonly enabled: boolean;
  /** `provider/model`; absent: the settings decide. */
  readonly model?: string;
  /** The language of descriptions; absent: the settings decide. */
  readonly locale?: string;
  /** A name of the setting `risk_profiles`, or `default`. */
  readonly riskProfile: string;
  /** Tool ids. A non-empty `enable` keeps only those; `disable` takes away. */
  readonly tools: { readonly enable: readonly string[]; readonly disable: readonly string[] };
  /** Its id begins with `_`: listings leave it out. */
  readonly hidden: boolean;
  /** Display paths of its directories, highest first. */
  readonly layers: readonly string[];
  /** A definition had faults, so something that its author wanted may not hold. */
  readonly faulty: boolean;
  /** What a person said of its risk profile could not be read, or no settings define that: `riskProfile` may be another. */
  readonly riskUnknown: boolean;
}

/** A profile with what was found on the way. */
export interface FoundProfile {
  readonly profile: Profile;
  /** The file that says `enabled: false`, where the profile is off. */
  readonly disabledBy?: string;
  readonly candidates: readonly Candidate[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The risk profile that needs no definition. */
const DEFAULT_RISK_PROFILE = "default";

/**
 * Reads the definitions of a profile and merges them, key by key: a key that a layer does not have leaves what
 * lower layers say, and a directory without a definition is still a profile.
 *
 * @param layers the profile's own layers, highest first (see `profileLayersOf`); empty for one that no directory defines
 */
export function readProfile(
  id: string,
  {
    layers,
    reader,
    settings,
  }: { readonly layers: readonly Layer[]; readonly reader: FileReader; readonly settings: Settings },
): FoundProfile {
  const diagnostics: Diagnostic[] = [];
  const read = layers.filter(({ off }) => !off).map((layer) => readDefinition(layer, reader, diagnostics));
  const say = <Key extends keyof ProfileDefinition>(key: Key) =>
    read.find(({ definition }) => definition[key] !== undefined);
  const list = (key: "enable" | "disable") =>
    read.find(({ definition }) => definition.tools?.[key])?.definition.tools?.[key] ?? [];
  // What an agent may do is for a person to say, and not for a plugin.
  const risk = read.find(({ definition, plugin }) => definition.risk_profile !== undefined && plugin === undefined);
  const above = read.slice(0, risk && read.indexOf(risk));
  const unread = above.some(({ riskUnknown, plugin }) => riskUnknown === true && plugin === undefined);
  diagnostics.push(...above.flatMap((one) => pluginPick(id, one)));
  const riskProfile = risk?.definition.risk_profile ?? DEFAULT_RISK_PROFILE;
  const unknown = risk && riskProblem(riskProfile, risk, settings);
  if (unknown) diagnostics.push(unknown);
  const switching = say("enabled");
  const enabled = switching?.definition.enabled ?? true;
  const model = say("model")?.definition.model;
  const locale = say("locale")?.definition.locale;
  const profile: Profile = {
    id,
    title: say("title")?.definition.title ?? id,
    description: say("description")?.definition.description ?? "",
    context: say("context")?.definition.context ?? "",
    enabled,
    ...(model === undefined ? {} : { model }),
    ...(locale === undefined ? {} : { locale }),
    riskProfile,
    tools: { enable: list("enable"), disable: list("disable") },
    hidden: id.startsWith("_"),
    layers: layers.filter(({ off }) => !off).map(({ ref }) => ref.path),
    faulty: read.some(({ faulty }) => faulty === true) || unknown !== undefined,
    riskUnknown: unknown !== undefined || unread,
  };
  const candidates = layers.map((layer) => placeCandidate("profile", placeOf(id, layer)));
  return { profile, candidates, diagnostics, ...(enabled || !switching?.file ? {} : { disabledBy: switching.file }) };
}

interface Definition extends ReadDefinition {
  /** Display path; empty for a directory without a definition. */
  readonly file: string;
  /** That it belongs to. */
  readonly plugin: string | undefined;
}

function readDefinition(layer: Layer, reader: FileReader, diagnostics: Diagnostic[]): Definition {
  const { node, directory, ref, plugin } = layer;
  const [name, second] = (CONVENTIONS.profile.definitions ?? []).filter((file) => node.files.includes(file));
  if (name === undefined) return { definition: {}, file: "", plugin };
  const path = `${ref.path}/${name}`;
  if (second !== undefined) {
    const message = `expected one definition, found ${name} and ${second}; ${name} holds`;
    diagnostics.push(
      diagnostic("PROFILE_INVALID", {
        severity: "warning",
        file: `${ref.path}/${second}`,
        message,
        hint: "Delete one of the two.",
      }),
    );
  }
  const place = { node, name, file: `${directory}/${name}`, shown: ref.path };
  const { value, diagnostics: found } = reader.derive<ReadDefinition>(place, parseProfile, UNREAD_DEFINITION);
  diagnostics.push(...found);
  return { ...value, file: path, plugin };
}

/** It would let a plugin loosen the policy of a person's own agents. */
function pluginPick(id: string, { definition, file, riskLine, plugin }: Definition): readonly Diagnostic[] {
  if (definition.risk_profile === undefined || plugin === undefined) return [];
  const message = `risk_profile: a plugin does not pick what an agent may do; ${definition.risk_profile} has no effect here`;
  const hint = `A person who wants it says so in usr/agents/${id}/agent.yaml.`;
  return [
    diagnostic("POLICY_LOOSENED", { file, ...(riskLine === undefined ? {} : { line: riskLine }), message, hint }),
  ];
}

function riskProblem(name: string, { file, riskLine }: Definition, settings: Settings): Diagnostic | undefined {
  if (name === DEFAULT_RISK_PROFILE) return undefined;
  const defined = lookUp(settings.values, "risk_profiles");
  const names = isMapping(defined) ? Object.keys(defined) : [];
  if (names.includes(name)) return undefined;
  const message = `risk_profile: expected one of ${[DEFAULT_RISK_PROFILE, ...names].join(", ")}; found ${name}`;
  const hint = `Define risk_profiles.${name} in usr/settings.yaml, or name one of these.`;
  return diagnostic("RISK_PROFILE_UNKNOWN", {
    file,
    ...(riskLine === undefined ? {} : { line: riskLine }),
    message,
    hint,
  });
}

function placeOf(id: string, { node, directory, ref, order, plugin, off }: Layer): Place {
  return {
    id,
    node,
    directory,
    path: ref.path,
    layer: ref,
    order,
    ...(plugin === undefined ? {} : { plugin }),
    ...(off === undefined ? {} : { off }),
  };
}
