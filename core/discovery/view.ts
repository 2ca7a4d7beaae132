import { type Diagnostic, diagnostic, hostError, uniqueDiagnostics } from "../diagnostics.ts";
import { nearest } from "../sdk/nearest.ts";
import type { JsonObject } from "../sdk/result.ts";
import { candidatesOf, type Leaves } from "./candidates.ts";
import { type Candidate, type Catalog, catalogOf, type Kind, type Off } from "./catalog.ts";
import type { Contents } from "./contents.ts";
import { childOf, childrenOf, nodeAt } from "./dir-node.ts";
import { type Layer, layersOf } from "./layers.ts";
import { chooseLocale, type LocaleChoice } from "./locale-tag.ts";
import { type LocaleKeys, readLocales } from "./locale-texts.ts";
import { pluginConfig } from "./plugin-config.ts";
import { environmentClashes, environmentConfig } from "./plugin-environment.ts";
import {
  type PluginInfo,
  type PluginState,
  pluginCandidates,
  pluginInfos,
  pluginStates,
  type Tightening,
  tighteningsOf,
} from "./plugin-states.ts";
import type { FoundProfile, Profile } from "./profile.ts";
import { createProfiles, type Profiles } from "./profiles.ts";
import { isOn, loadSettings, type Settings } from "./settings.ts";
import { heldIn, type Snapshot, settingsPlace } from "./snapshot.ts";
import type { OverrideScope } from "./toggles.ts";
import { createToolTexts, type ToolTexts } from "./tool-texts.ts";
import { isUntrusted } from "./trust.ts";

/** What one profile sees, in one project or none. It does not change; what it holds is worked out when asked for. */
export interface View extends Contents {
  readonly profile: Profile;
  readonly project: string | undefined;
  /** The profiles that are on and not hidden, sorted by id. */
  readonly profiles: readonly Profile[];
  readonly catalog: Catalog;
  /** In the order of precedence; without those that another of their name replaces. */
  readonly plugins: readonly PluginInfo[];
  /** Of the project over those of the root. */
  readonly settings: Settings;
  /** What plugins that are on forbid, in the order of precedence. */
  readonly tightenings: readonly Tightening[];
  /** The search locations, highest first. */
  readonly layers: readonly Layer[];
  /** The merged settings of a plugin; `{}` for an unknown id. */
  pluginConfig(id: string): JsonObject;
  /** The candidate of the same kind and id that would serve if this one were not there. */
  lower(candidate: Candidate): Candidate | undefined;
  /** The winning fragment that documents a tool: the one of its own name, else the first that lists it. */
  documentOf(tool: string): Candidate | undefined;
  /** The settings key that the fragment of a tool asks for (`when:`) and that is not on; undefined when nothing is missing. */
  unmet(tool: string): string | undefined;
  /** All of them; the same object each time. */
  documents(): Documents;
  /** The language of descriptions. */
  readonly locale: LocaleChoice;
  /** What the locales of the chain say; the same object each time. */
  localeKeys(): LocaleKeys;
  /** The same, for the tools of this view. */
  readonly toolTexts: ToolTexts;
  /** Everything that was found for this view so far, each finding once. Front matter is reported where it is read. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Which view. */
export interface ViewChoice {
  readonly profile: string;
  readonly project: string | undefined;
}

/** The settings and profiles of a project, or of none. */
export interface Scope {
  readonly settings: Settings;
  readonly profiles: Profiles;
  readonly diagnostics: readonly Diagnostic[];
}

/** @throws HostError PROJECT_UNKNOWN (usage) */
export function openScope(snapshot: Snapshot, project: string | undefined): Scope {
  if (project === undefined) {
    const { settings } = snapshot;
    return { settings, profiles: createProfiles(snapshot, { project, settings }), diagnostics: [] };
  }
  const projects = nodeAt(snapshot.tree.root, ["usr", "projects"]);
  const node = childOf(projects, project);
  if (!node) {
    const names = childrenOf(projects).map(([name]) => name);
    const message = `expected a directory of usr/projects/ (${names.join(", ") || "it has none"}), found ${JSON.stringify(project)}`;
    throw hostError(diagnostic("PROJECT_UNKNOWN", { message, hint: hintFor(project, names) }), "usage");
  }
  const path = `usr/projects/${project}`;
  const { untrusted, held } = snapshot;
  const place = settingsPlace(untrusted ? undefined : node, { directory: `${snapshot.root}/${path}`, path });
  const { settings, diagnostics } = loadSettings(place, {
    reader: snapshot.reader,
    root: snapshot.root,
    under: snapshot.settings,
    held: heldIn(held, path),
  });
  return { settings, profiles: createProfiles(snapshot, { project, settings }), diagnostics };
}

/** What winning fragments say of tools, by the tool's id. */
export interface Documents {
  /** The fragment that documents it. */
  readonly of: ReadonlyMap<string, Candidate>;
  /** See {@link View.unmet}. */
  readonly unmet: ReadonlyMap<string, string>;
  /** What was made of them, for as long as no document changes. */
  readonly derived: Map<unknown, unknown>;
}

/** What the view before may have worked out already. */
interface KnownOfView {
  readonly documents: Documents | undefined;
  readonly localeKeys: LocaleKeys | undefined;
}

/** What a view is made of besides the contents of files: it stays while no file appears, vanishes or changes what is on. */
export interface ViewFrame {
  /** @param known what is known already */
  view(contents: Contents, known: KnownOfView): View;
  /** Where candidates lie, as far as they were listed. */
  readonly leaves: Leaves;
}

/** Whether a view reads the files of a kind. */
function isRead(kind: Kind): boolean {
  return kind === "fragment" || kind === "skill" || kind === "locale";
}

/** @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED (usage) */
export function createViewFrame(snapshot: Snapshot, scope: Scope, { profile: id, project }: ViewChoice): ViewFrame {
  const { profile } = requireProfile(scope.profiles, id, snapshot.untrusted);
  const found: Diagnostic[] = [];
  const states = pluginStates(
    snapshot,
    { profile: id, project },
    { places: snapshot.plugins.places, diagnostics: found },
  );
  const layers = layersOf({ ...snapshot, profile: id, project, plugins: states });
  const leaves: Leaves = new Map();
  const serving = lazily(
    () =>
      new Map(
        states.filter(({ off }) => off?.state !== "shadowed" && !isUntrusted(off)).map((state) => [state.id, state]),
      ),
  );
  const clashes = lazily(() => environmentClashes([...serving().values()], snapshot.env));
  const configs = new Map<string, JsonObject>();
  const catalog = catalogOf((kind) => {
    if (kind === "plugin") return pluginCandidates(states, snapshot);
    if (kind === "profile") return scope.profiles.candidates();
    return candidatesOf(kind, layers, isRead(kind) ? leaves : undefined);
  });
  const infos = lazily(() => pluginInfos(states));
  const tightenings = lazily(() => tighteningsOf(states));
  const profiles = lazily(() =>
    scope.profiles
      .all()
      .map(({ profile: one }) => one)
      .filter(({ enabled, hidden }) => enabled && !hidden),
  );

  // Each plugin asks for them.
  const scopes = lazily(() => configScopes(layers));

  const readConfig = (state: PluginState): JsonObject => {
    const sources = { scopes: scopes(), reader: snapshot.reader };
    const files = pluginConfig(state, { ...sources, environment: {} });
    found.push(...files.diagnostics);
    if (clashes().clashing.has(state.id)) return files.value;
    const environment = environmentConfig(state.id, snapshot.env, files.value);
    return pluginConfig(state, { ...sources, environment }).value;
  };

  const locale = chooseLocale({
    option: snapshot.locale,
    profile: profile.locale,
    settings: textOf(scope.settings, "locale"),
    env: snapshot.env,
  });

  const viewOf = (contents: Contents, known: KnownOfView): View => {
    const documents = lazily(() => known.documents ?? documentIndex(catalog, contents, scope.settings));
    const localeKeys = lazily(() => known.localeKeys ?? readLocales(catalog, contents, locale.chain));
    const describing = (tool: string): Candidate | undefined => {
      const document = documents().of.get(tool);
      return document && contents.fragment(document).meta.description ? document : undefined;
    };
    return {
      locale,
      localeKeys,
      toolTexts: createToolTexts({ catalog, chain: locale.chain, keys: localeKeys, describing }),
      profile,
      project,
      catalog,
      settings: scope.settings,
      layers,
      ...contents,
      get profiles() {
        return profiles();
      },
      get plugins() {
        return infos();
      },
      get tightenings() {
        return tightenings();
      },
      pluginConfig(plugin) {
        const state = serving().get(plugin);
        if (!state) return {};
        const config = configs.get(plugin) ?? readConfig(state);
        configs.set(plugin, config);
        return config;
      },
      lower: (candidate) => lowerOf(catalog, candidate),
      documentOf: (tool) => documents().of.get(tool),
      unmet: (tool) => documents().unmet.get(tool),
      documents,
      get diagnostics() {
        const ofProfiles = scope.profiles.all().flatMap(({ diagnostics }) => diagnostics);
        return uniqueDiagnostics([
          ...snapshot.diagnostics,
          ...scope.diagnostics,
          ...clashes().diagnostics,
          ...ofProfiles,
          ...catalog.diagnostics,
          ...found,
        ]);
      },
    };
  };
  return { view: viewOf, leaves };
}

function requireProfile(profiles: Profiles, id: string, untrusted: Off | undefined): FoundProfile {
  const found = profiles.find(id);
  if (!found) {
    const names = profiles.all().map(({ profile }) => profile.id);
    const message = `expected a profile (${names.join(", ")}), found ${JSON.stringify(id)}`;
    // One that the root defines is not among them.
    const hint = untrusted && profiles.ids.includes(id) ? untrusted.hint : undefined;
    throw hostError(diagnostic("PROFILE_UNKNOWN", { message, hint: hint ?? hintFor(id, names) }), "usage");
  }
  if (found.profile.enabled) return found;
  const message = `the profile ${id} is switched off by enabled: false`;
  const file = found.disabledBy;
  throw hostError(
    diagnostic("PROFILE_DISABLED", {
      ...(file === undefined ? {} : { file }),
      message,
      hint: "Set enabled: true, or name another profile.",
    }),
    "usage",
  );
}

function hintFor(found: string, names: readonly string[]): string {
  const meant = nearest(found, names);
  return meant ? `Did you mean ${meant}?` : "Name one of these, or make the directory.";
}

/** Directories with settings of plugins, highest first: rows 1 to 6. Below row 6 lie the plugins themselves. */
function configScopes(layers: readonly Layer[]): readonly OverrideScope[] {
  return layers.flatMap(({ ref, node, directory, off }) => {
    const plugins = ref.rank <= 6 && !off ? childOf(node, "plugins") : undefined;
    return plugins ? [{ node: plugins, directory: `${directory}/plugins`, path: `${ref.path}/plugins` }] : [];
  });
}

function lowerOf(catalog: Catalog, candidate: Candidate): Candidate | undefined {
  const standings = catalog.get(candidate.kind, candidate.id)?.standings ?? [];
  const able = standings.filter(
    ({ candidate: one, state }) => !one.off && state !== "collides" && one.id === candidate.id,
  );
  return able.find(({ candidate: one }) => one.order > candidate.order)?.candidate;
}

function documentIndex(catalog: Catalog, contents: Contents, settings: Settings): Documents {
  const documents = new Map<string, Candidate>();
  for (const { id, winner } of catalog.list("fragment")) {
    if (!winner) continue;
    for (const tool of contents.fragment(winner).meta.tools ?? [id]) {
      if (tool === id || !documents.has(tool)) documents.set(tool, winner);
    }
  }
  const unmet = new Map<string, string>();
  for (const [tool, document] of documents) {
    const key = contents.fragment(document).meta.when;
    if (key !== undefined && !isOn(settings, key)) unmet.set(tool, key);
  }
  return { of: documents, unmet, derived: new Map() };
}

function textOf(settings: Settings, key: string): string | undefined {
  const value = settings.get(key);
  return typeof value === "string" ? value : undefined;
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
