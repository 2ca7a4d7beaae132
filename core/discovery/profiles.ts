import type { Diagnostic } from "../diagnostics.ts";
import type { Candidate } from "./catalog.ts";
import { childOf, childrenOf, type DirNode, nodeAt } from "./dir-node.ts";
import { profileLayersOf } from "./layers.ts";
import { pluginStates } from "./plugin-states.ts";
import type { PluginPlace } from "./plugins.ts";
import { type FoundProfile, readProfile } from "./profile.ts";
import { DEFAULT_SETTINGS, type Settings } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";

/** The profiles of a snapshot, for one project or none. */
export interface Profiles {
  /** Ids of every directory that is a profile, hidden and plugin-provided ones included, sorted. */
  readonly ids: readonly string[];
  /**
   * undefined when no directory defines it, or only directories of plugins that are off for it. The profile
   * that the settings name by default needs no directory.
   */
  find(id: string): FoundProfile | undefined;
  /** Every profile that {@link find} finds, sorted by id. */
  all(): readonly FoundProfile[];
  /** The directories of all profiles, those of plugins that are off included. */
  candidates(): readonly Candidate[];
}

/** Looks up profiles; each is read once. */
export function createProfiles(
  snapshot: Snapshot,
  { project, settings }: { readonly project: string | undefined; readonly settings: Settings },
): Profiles {
  const providers = snapshot.plugins.places.filter(({ node }) => childOf(node, "agents") !== undefined);
  const ids = profileIds(snapshot, project, providers);
  const looked = new Map<string, Looked>();

  const look = (id: string): Looked => {
    const known = looked.get(id) ?? read(id);
    looked.set(id, known);
    return known;
  };

  function read(id: string): Looked {
    const toggles: Diagnostic[] = [];
    const places = providers.filter(({ node }) => nodeAt(node, ["agents", id]) !== undefined);
    const plugins = pluginStates(snapshot, { profile: id, project }, { places, diagnostics: toggles });
    const layers = profileLayersOf({ ...snapshot, profile: id, project, plugins });
    const exists = layers.some(({ off }) => !off) || id === DEFAULT_SETTINGS.profile;
    return { exists, found: readProfile(id, { layers, reader: snapshot.reader, settings }) };
  }

  const find = (id: string): FoundProfile | undefined => {
    const { exists, found } = look(id);
    return exists ? found : undefined;
  };
  return {
    ids,
    find,
    all: () => ids.flatMap((id) => find(id) ?? []),
    candidates: () => ids.flatMap((id) => look(id).found.candidates),
  };
}

interface Looked {
  /** A directory that counts defines it. */
  readonly exists: boolean;
  readonly found: FoundProfile;
}

function profileIds(
  { tree }: Snapshot,
  project: string | undefined,
  providers: readonly PluginPlace[],
): readonly string[] {
  const homes: (DirNode | undefined)[] = [
    nodeAt(tree.root, ["usr", "agents"]),
    childOf(tree.root, "agents"),
    childOf(tree.home, "agents"),
    project === undefined ? undefined : nodeAt(tree.root, ["usr", "projects", project, "agents"]),
    ...providers.map(({ node }) => childOf(node, "agents")),
  ];
  const names = homes.flatMap((node) => childrenOf(node).map(([name]) => name));
  return [...new Set([...names, DEFAULT_SETTINGS.profile])].sort();
}
