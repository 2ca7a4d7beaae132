import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { childOf, type DirNode, hasFile, nodeAt } from "./dir-node.ts";
import type { ScopePlaces } from "./layers.ts";
import { TOGGLES } from "./listing.ts";
import { joinDisplay } from "./paths.ts";
import type { PluginPlace } from "./plugins.ts";

/** One directory whose children are named like plugins and may hold toggles and settings of them. */
export interface OverrideScope {
  /** Display path of the directory. */
  readonly path: string;
  /** Absolute. */
  readonly directory: string;
  readonly node: DirNode;
}

/**
 * The six scopes of toggles, lowest first; a higher one decides over a lower one:
 *
 * 1. `plugins/<name>/` (home, then root)
 * 2. `usr/plugins/<name>/`
 * 3. `agents/<P>/plugins/<name>/` (home, then root)
 * 4. `usr/agents/<P>/plugins/<name>/`
 * 5. `usr/projects/<J>/plugins/<name>/`
 * 6. `usr/projects/<J>/agents/<P>/plugins/<name>/`
 *
 * A scope without its directory is left out, as are those of a root that is not trusted.
 */
export function toggleScopes(places: ScopePlaces): readonly OverrideScope[] {
  const { tree, root, home, homePath, profile, project, untrusted } = places;
  const rows: readonly (readonly [base: "root" | "home", path: readonly string[]])[] = [
    ["home", ["plugins"]],
    ["root", ["plugins"]],
    ["root", ["usr", "plugins"]],
    ["home", ["agents", profile, "plugins"]],
    ["root", ["agents", profile, "plugins"]],
    ["root", ["usr", "agents", profile, "plugins"]],
    ...(project === undefined
      ? []
      : ([
          ["root", ["usr", "projects", project, "plugins"]],
          ["root", ["usr", "projects", project, "agents", profile, "plugins"]],
        ] as const)),
  ];
  return rows.flatMap(([base, names]) => {
    if (base === "home" ? home === root : untrusted) return [];
    const node = nodeAt(tree[base], names);
    if (!node) return [];
    const way = names.join("/");
    return [
      {
        node,
        directory: `${base === "home" ? home : root}/${way}`,
        path: base === "home" ? joinDisplay(homePath, way) : way,
      },
    ];
  });
}

/** Whether a plugin is on, and which file says so. */
export interface Toggled {
  readonly on: boolean;
  readonly reason: string;
}

/**
 * What the toggles say of a plugin: the highest scope with one decides; undefined: none says anything, and the
 * plugin is on. Both files in one place switch it off there, with an error. `always_enabled` wins over all.
 */
export function toggleOf(
  plugin: PluginPlace,
  scopes: readonly OverrideScope[],
  diagnostics: Diagnostic[],
): Toggled | undefined {
  let state: Toggled | undefined;
  for (let at = 0; at < scopes.length; at++) {
    const scope = scopes[at] as OverrideScope;
    const node = scope.node === plugin.base ? plugin.node : childOf(scope.node, plugin.id);
    if (!node || !mayToggle(node.files)) continue;
    const off = hasFile(node, TOGGLES.off);
    const on = hasFile(node, TOGGLES.on);
    const path = `${scope.path}/${plugin.id}`;
    if (off && on) {
      const message = `expected one of ${TOGGLES.off} and ${TOGGLES.on}, found both; here the plugin is off`;
      diagnostics.push(diagnostic("TOGGLE_CONFLICT", { file: path, message, hint: "Delete one of the two." }));
      state = { on: false, reason: `${path} holds both ${TOGGLES.off} and ${TOGGLES.on}; delete one of them` };
    } else if (off) {
      state = { on: false, reason: `${path}/${TOGGLES.off} switches it off; delete that file to switch it on` };
    } else {
      state = { on: true, reason: `${path}/${TOGGLES.on} switches it on` };
    }
  }
  if (plugin.manifest.always_enabled !== true) return state;
  return { on: true, reason: `${plugin.path}/plugin.yaml says always_enabled, which no toggle overrides` };
}

/** A quick look for what is rare: of dot files a listing keeps toggles alone. */
function mayToggle(files: readonly string[]): boolean {
  for (let at = 0; at < files.length; at++) if (files[at]?.charCodeAt(0) === 46) return true;
  return false;
}
