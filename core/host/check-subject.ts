import { compareText } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import { contains } from "../discovery/paths.ts";
import type {
  CheckedFragment,
  CheckedProfile,
  CheckedPrompt,
  CheckedSnapshots,
  CheckedTool,
  CheckSubject,
} from "../dox/subject.ts";
import type { Registry } from "../loading/registry.ts";
import { filesOf } from "./check-files.ts";
import { listTools } from "./listing.ts";
import { knowAll } from "./status.ts";

/** What a check works with. */
export interface CheckParts {
  /** Absolute. */
  readonly root: string;
  /** Absolute. */
  readonly home: string;
  /** The registry of each profile that is looked at. */
  readonly registries: readonly Registry[];
  /** @param at index of `registries` */
  prompt(at: number): Promise<CheckedPrompt>;
  readonly snapshots: CheckedSnapshots;
  mask(text: string): string;
}

/**
 * Joins what discovery found in some profiles with what loading knows of their tools.
 * @param usr see {@link CheckSubject}
 */
export async function subjectOf(
  { root, home, registries, prompt, snapshots, mask }: CheckParts,
  usr: boolean,
): Promise<CheckSubject> {
  const tools = await toolsOf(registries, root);
  return {
    root,
    home,
    files: filesOf(root),
    profiles: registries.map((registry, at): CheckedProfile => {
      const { view } = registry;
      return {
        id: view.profile.id,
        view,
        listed: async () => listTools(registry).diagnostics,
        contracts: async () => await knowAll(registry),
        prompt: async () => await prompt(at),
      };
    }),
    tools: [...tools.values()].sort((a, b) => compareText(a.file, b.file)),
    fragments: fragmentsOf(registries, { tools, root }),
    snapshots,
    mask,
    usr,
  };
}

/** The tools that win or are shadowed in some profile, by the module's absolute path; those that wait for a setting, too. */
async function toolsOf(registries: readonly Registry[], root: string): Promise<ReadonlyMap<string, CheckedTool>> {
  const tools = new Map<string, CheckedTool>();
  for (const registry of registries) {
    const entries = registry.view.catalog.list("tool");
    const found = entries.flatMap(({ id, standings }) =>
      standings.map(({ candidate, state }) => ({ id, candidate, state })),
    );
    for (const { id, candidate, state } of found) {
      // What another file stands before has documents all the same.
      if ((state !== "wins" && state !== "shadowed") || tools.has(candidate.file)) continue;
      const contract = await registry.contract({ id, candidate, owner: candidate.plugin ?? candidate.layer.path });
      const known = "severity" in contract ? undefined : contract;
      tools.set(candidate.file, {
        id,
        file: candidate.path,
        candidate,
        contract: known,
        own: isOwn(root, candidate),
      });
    }
  }
  return tools;
}

function fragmentsOf(
  registries: readonly Registry[],
  { tools, root }: { readonly tools: ReadonlyMap<string, CheckedTool>; readonly root: string },
): readonly CheckedFragment[] {
  const found = new Map<string, { view: Registry["view"]; candidate: Candidate; tools: Set<CheckedTool> }>();
  for (const { view } of registries) {
    for (const { id, winner } of view.catalog.list("fragment")) {
      if (!winner) continue;
      const known = found.get(winner.file) ?? { view, candidate: winner, tools: new Set() };
      found.set(winner.file, known);
      for (const name of view.fragment(winner).meta.tools ?? [id]) {
        const tool = tools.get(view.catalog.get("tool", name)?.winner?.file ?? "");
        if (tool) known.tools.add(tool);
      }
    }
  }
  return [...found.values()]
    .map(({ view, candidate, tools: documented }) => {
      const { text: body, line } = view.body(candidate);
      const { id, path: file } = candidate;
      const { meta } = view.fragment(candidate);
      const sorted = [...documented].sort((a, b) => compareText(a.file, b.file));
      return { id, file, candidate, meta, body, line, tools: sorted, own: isOwn(root, candidate) };
    })
    .sort((a, b) => compareText(a.file, b.file));
}

/** A linked plugin is the person's own, wherever the link leads. */
function isOwn(root: string, { file, path }: Candidate): boolean {
  return contains(root, file) || !path.startsWith("/");
}
