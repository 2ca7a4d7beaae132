import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { diagnostic, hostError } from "../diagnostics.ts";
import { displayPath } from "../discovery/paths.ts";
import type { ToolError } from "../sdk/errors.ts";
import type { Workspace } from "../sdk/workspace.ts";
import type { SearchPlace } from "../searching/search-place.ts";
import { isInsideAny, resolveInside } from "./containment.ts";
import { linkError, readOnlyError, shownPath, throwIfAborted } from "./file-errors.ts";
import { type FileRules, type FileUse, workspaceRules } from "./file-rules.ts";
import { createFileTurns, type FileTurns } from "./file-turns.ts";
import { openStream, readWhole } from "./read-file.ts";
import type { SeenFiles } from "./seen-files.ts";
import { updateFile } from "./update-file.ts";
import { entryAt, listDirectory } from "./workspace-entries.ts";
import { writeFileAtomically } from "./write-file.ts";

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;

/** A workspace of one call, which remembers the first path that it resolved. */
export interface CallWorkspace extends Workspace {
  /** The first path that was resolved, as results show it; undefined before. */
  firstResolved(): string | undefined;
}

/**
 * The files below `root`.
 *
 * @param options.root a directory; links in it are resolved once, here
 * @throws HostError ROOT_MISSING (usage) when it is not a directory
 */
export async function createWorkspace(options: { readonly root: string }): Promise<CallWorkspace> {
  const root = await realpath(options.root).catch(() => undefined);
  if (root === undefined || !(await stat(root)).isDirectory()) {
    const message = `the workspace must be a directory, found ${root === undefined ? "nothing" : "a file"} at ${options.root}`;
    throw hostError(
      diagnostic("ROOT_MISSING", { message, hint: "Name an existing directory with --workspace." }),
      "usage",
    );
  }
  return openWorkspace(root, {});
}

/** What one call may touch besides the workspace, or not touch in it. */
export interface CallFiles {
  /**
   * Real paths of directories whose files may be read as well, wherever they lie; what lies in one may not be written,
   * also where it lies inside the workspace. Default: none.
   */
  readonly readable?: readonly string[] | undefined;
  /** Default: the workspace, all of it, and nothing else. */
  readonly rules?: FileRules | undefined;
  /** In which those that change a file go; default: with nobody else. */
  readonly turns?: FileTurns | undefined;
  /** Is told what is read and written. Default: nobody remembers. */
  readonly seen?: SeenFiles | undefined;
}

/** The same files for one call: `firstResolved` starts anew. */
export function workspaceForCall(workspace: Workspace, files: CallFiles = {}): CallWorkspace {
  return openWorkspace(workspace.root, files);
}

/** @param root a real path */
function openWorkspace(
  root: string,
  { readable = [], rules = workspaceRules(root), turns = createFileTurns(), seen }: CallFiles,
): CallWorkspace {
  let first: string | undefined;

  const refusal = (real: string, use: FileUse, shown: string): ToolError | undefined => {
    if (!isInsideAny(readable, real)) return rules.refusal(real, use, shown);
    return use === "write" ? readOnlyError(shown) : undefined;
  };
  const find = async (path: string, use: FileUse, signal?: AbortSignal): Promise<{ real: string; shown: string }> => {
    throwIfAborted(signal);
    const real = await resolveInside(root, path, (found, shown) => refusal(found, use, shown));
    first ??= displayPath(root, real);
    return { real, shown: shownPath(path) };
  };
  const findToUpdate = async (path: string, signal?: AbortSignal): ReturnType<typeof find> => {
    const { real, shown } = await find(path, "write", signal);
    await refuseLink(root, { path, real, shown });
    return { real, shown };
  };
  const { state } = rules;

  const read = async (
    path: string,
    { maxBytes = DEFAULT_MAX_BYTES, signal, text }: { maxBytes?: number; signal?: AbortSignal; text?: boolean } = {},
  ): Promise<Uint8Array> => {
    const { real, shown } = await find(path, "read", signal);
    const bytes = await readWhole(real, shown, { maxBytes, signal, state, ...(text ? { text } : {}) });
    seen?.note(real, bytes);
    return bytes;
  };

  const searchPlace = async (path = ".", signal?: AbortSignal): Promise<SearchPlace> => ({
    root,
    ...(await find(path, "read", signal)),
    isClosed: (real) => refusal(real, "read", "") !== undefined,
    isClosedFile: (found) => rules.state?.isSecretFile(found) === true,
    follow: async (link) => {
      const real = await realpath(link).catch(() => undefined);
      return real !== undefined && refusal(real, "look", "") === undefined ? real : undefined;
    },
  });

  return {
    root,
    firstResolved: () => first,
    resolve: async (path, use = "look") => (use === "update" ? await findToUpdate(path) : await find(path, use)).real,
    relative: (path) => displayPath(root, resolve(root, path)),
    readBytes: async (path, options) => await read(path, options),
    readText: async (path, options) => new TextDecoder().decode(await read(path, { ...options, text: true })),
    async openRead(path, { text = false, signal } = {}) {
      const { real, shown } = await find(path, "read", signal);
      return await openStream(real, shown, { text, signal, state });
    },
    async write(path, content, { signal } = {}) {
      const { real, shown } = await find(path, "write", signal);
      await turns.take(real, async () => {
        await writeFileAtomically({ real, shown, content, signal });
        seen?.note(real, content);
      });
    },
    async update(path, change, { maxBytes = DEFAULT_MAX_BYTES, mustBeSeen = false, signal } = {}) {
      const { real, shown } = await findToUpdate(path, signal);
      const unreadable = refusal(real, "read", shown);
      const update = { real, shown, change, unreadable, maxBytes, seen, mustBeSeen, signal, state };
      await turns.take(real, async () => await updateFile(update));
    },
    async isContent(path) {
      const { real } = await find(path, "look");
      return state?.isContent(real) ?? false;
    },
    async stat(path) {
      const { real, shown } = await find(path, "look");
      return await entryAt(root, real, shown);
    },
    async list(path) {
      const { real, shown } = await find(path, "read");
      const isVisible = (target: string): boolean => refusal(target, "look", shown) === undefined;
      return await listDirectory(root, real, { shown, isVisible });
    },
    isOutside: async (path) => !isInsideAny([root, ...readable], (await find(path, "look")).real),
    async glob(query) {
      const { findPaths } = await import("../searching/glob.ts");
      return await findPaths(await searchPlace(query.path, query.signal), query);
    },
    async search(query) {
      const { searchFiles } = await import("../searching/search.ts");
      return await searchFiles(await searchPlace(query.path, query.signal), query);
    },
  };
}

/** @throws ToolError INVALID_PARAM where the last part of the path is a link */
async function refuseLink(
  root: string,
  { path, real, shown }: { readonly path: string; readonly real: string; readonly shown: string },
): Promise<void> {
  const asked = resolve(root, path);
  if (asked === real) return;
  const directory = await realpath(dirname(asked)).catch(() => undefined);
  if (directory === undefined) return;
  const found = await lstat(join(directory, basename(asked))).catch(() => undefined);
  if (found?.isSymbolicLink()) throw linkError(shown, displayPath(root, real));
}
