import type { Diagnostic } from "../diagnostics.ts";
import { placeCandidate } from "./candidates.ts";
import type { Candidate, Off } from "./catalog.ts";
import { pluginRow } from "./layers.ts";
import { MANIFEST_FILE, type Manifest } from "./manifest.ts";
import type { PluginOrigin, PluginPlace } from "./plugins.ts";
import type { Snapshot } from "./snapshot.ts";
import { type Toggled, toggleOf, toggleScopes } from "./toggles.ts";

/** A plugin as people see it. */
export interface PluginInfo {
  /** The directory's name. */
  readonly id: string;
  /** The id where the manifest gives none. */
  readonly title: string;
  readonly description: string;
  /** Empty where the manifest gives none. */
  readonly version: string;
  /** Display path of the directory. */
  readonly path: string;
  /** Absolute. */
  readonly directory: string;
  /** `usr`: of `usr/plugins/`; `root`: of `plugins/` of a root that is not the home; `home`: bundled. */
  readonly origin: PluginOrigin;
  readonly enabled: boolean;
  /** Why it is on or off; names the file that says so. */
  readonly reason: string;
  /** Absent where it could not be read. */
  readonly manifest?: Manifest;
  readonly alwaysEnabled: boolean;
}

/** A plugin for one profile and project: its place, and why it is off where it is. */
export interface PluginState extends PluginPlace {
  readonly off?: Off;
  /** Why it is on; absent where nothing says anything about it. */
  readonly on?: string;
}

/** For whom plugins are weighed. */
export interface Audience {
  readonly profile: string;
  readonly project: string | undefined;
}

/** Weighs plugins by their manifests and the toggles of a profile and project. Conflicts of toggles go to `diagnostics`. */
export function pluginStates(
  snapshot: Snapshot,
  { profile, project }: Audience,
  { places, diagnostics }: { readonly places: readonly PluginPlace[]; readonly diagnostics: Diagnostic[] },
): readonly PluginState[] {
  const scopes = toggleScopes({ ...snapshot, profile, project });
  return places.map((place): PluginState => {
    // A shadowed one is not weighed: the toggles of its name are the other's.
    if (place.out?.state === "shadowed") return { ...place, off: place.out };
    const toggled = toggleOf(place, scopes, diagnostics);
    const off = place.out ?? switchedOff(toggled);
    if (off) return { ...place, off };
    return toggled ? { ...place, on: toggled.reason } : place;
  });
}

/** What people see of the plugins: those that are one, without the ones that another of their name replaces. */
export function pluginInfos(states: readonly PluginState[]): readonly PluginInfo[] {
  return states.flatMap(({ id, manifest, path, directory, origin, off, out, on = "no toggle switches it off" }) => {
    if (off?.state === "shadowed" || off?.state === "refused") return [];
    const read = Object.keys(manifest).length > 0 || !out;
    return [
      {
        id,
        title: manifest.title ?? manifest.name ?? id,
        description: manifest.description ?? "",
        version: manifest.version ?? "",
        path,
        directory,
        origin,
        enabled: !off,
        reason: off?.reason ?? on,
        ...(read ? { manifest } : {}),
        alwaysEnabled: manifest.always_enabled === true,
      },
    ];
  });
}

/** What a plugin forbids. */
export interface Tightening {
  /** Display path of its manifest. */
  readonly file: string;
  readonly policy: NonNullable<Manifest["policy"]>;
}

/** What the plugins that are on forbid. */
export function tighteningsOf(states: readonly PluginState[]): readonly Tightening[] {
  return states.flatMap(({ manifest: { policy }, path, off }) =>
    policy && !off ? [{ file: `${path}/${MANIFEST_FILE}`, policy }] : [],
  );
}

/** The candidates of kind plugin, links that are refused among them. */
export function pluginCandidates(states: readonly PluginState[], { plugins }: Snapshot): readonly Candidate[] {
  const found = states.map(({ id, node, directory, path, origin, off }) => {
    const { rank, order } = pluginRow(origin);
    return placeCandidate("plugin", {
      id,
      node,
      directory,
      path,
      layer: { rank, path },
      order,
      plugin: id,
      ...(off ? { off } : {}),
    });
  });
  for (const { id, base, reason } of plugins.refused) {
    const { rank, order } = pluginRow(base.origin);
    const path = `${base.path}/${id}`;
    const off: Off = {
      state: "refused",
      reason: `the link is not followed: ${reason}; linkRoots in usr/settings.yaml would admit it`,
    };
    found.push({
      kind: "plugin",
      id,
      file: `${base.directory}/${id}`,
      path,
      layer: { rank, path },
      order,
      plugin: id,
      off,
    });
  }
  return found;
}

function switchedOff(toggled: Toggled | undefined): Off | undefined {
  return toggled?.on === false ? { state: "disabled", reason: `the plugin is off: ${toggled.reason}` } : undefined;
}
