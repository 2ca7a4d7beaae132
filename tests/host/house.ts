import { rmSync } from "node:fs";
import { onTestFinished } from "vitest";
import type { HostOptions } from "../../core/host/options.ts";
import { type Host, type HostInternals, openHost } from "../../core/host.ts";
import { makeTree, manifest, type Tree, toolSource, writeTree } from "../helpers/tree.ts";

/** A host over a temporary root, closed with the test; a directory that the house made is removed. */
export interface House {
  readonly host: Host;
  readonly root: string;
  readonly workspace: string;
  /** Writes files below the root. */
  write(files: Tree): void;
  /** Another host over the same root; closed with the test as well. */
  again(options?: HostOptions): Promise<Host>;
}

/** How {@link openHouse} opens a host. */
export interface HouseOptions extends HostOptions {
  readonly workspaceFiles?: Tree;
  readonly internals?: HostInternals;
}

/**
 * Opens a host over a fresh root with these files and an empty `usr/`; the bundled content is that of the
 * project, and no variable of the machine's environment counts.
 *
 * @param options.files of the workspace
 */
export async function openHouse(
  files: Tree = {},
  { workspaceFiles = {}, internals = {}, ...options }: HouseOptions = {},
): Promise<House> {
  const root = options.root ?? makeTree({ "usr/plugins/.gitkeep": "", ...files });
  const workspace = options.workspace ?? makeTree(workspaceFiles);
  const again = async (more: HostOptions = {}): Promise<Host> => {
    const host = await openHost({ root, workspace, env: {}, trust: true, ...options, ...more }, internals);
    onTestFinished(async () => await host.close());
    return host;
  };
  onTestFinished(() => {
    // What a test gave is the test's own.
    const made = [options.root === undefined ? [root] : [], options.workspace === undefined ? [workspace] : []].flat();
    for (const directory of made) rmSync(directory, { recursive: true, force: true });
  });
  return { host: await again(), root, workspace, write: (more) => writeTree(root, more), again };
}

/** The files of a plugin of `usr/plugins/` with one tool that answers with a fixed text, and its fragment. */
export function pluginFiles(plugin: string, tool: string, answer: string): Tree {
  return {
    [`usr/plugins/${plugin}/plugin.yaml`]: manifest(plugin),
    [`usr/plugins/${plugin}/tools/${tool}.ts`]: toolSource(answer),
    [`usr/plugins/${plugin}/prompts/agent.system.tool.${tool}.md`]: fragment(`Says ${answer}.`),
  };
}

/** A fragment with a description and a body. */
export function fragment(description: string, more = ""): string {
  return `---\ndescription: ${description}\n${more}---\n${description}\n`;
}
