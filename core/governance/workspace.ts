import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { diagnostic, hostError } from "../diagnostics.ts";
import { ToolError } from "../sdk/errors.ts";
import type { Workspace } from "../sdk/workspace.ts";
import { isInsideAny, resolveInside, shownRelative } from "./containment.ts";
import { fileError, readOnlyError, shownPath, throwIfAborted } from "./file-errors.ts";
import { type FileRules, type FileUse, workspaceRules } from "./file-rules.ts";
import type { HostState } from "./host-state.ts";
import { binaryError, isBinary, openFile, PROBE_BYTES, refuseBinary } from "./open-file.ts";
import { entryAt, listDirectory } from "./workspace-entries.ts";
import { writeFileAtomically } from "./write-file.ts";

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

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
}

/** The same files for one call: `firstResolved` starts anew. */
export function workspaceForCall(workspace: Workspace, files: CallFiles = {}): CallWorkspace {
  return openWorkspace(workspace.root, files);
}

/** @param root a real path */
function openWorkspace(root: string, { readable = [], rules = workspaceRules(root) }: CallFiles): CallWorkspace {
  let first: string | undefined;

  const refusal = (real: string, use: FileUse, shown: string): ToolError | undefined => {
    if (!isInsideAny(readable, real)) return rules.refusal(real, use, shown);
    return use === "write" ? readOnlyError(shown) : undefined;
  };
  const find = async (path: string, use: FileUse, signal?: AbortSignal): Promise<{ real: string; shown: string }> => {
    throwIfAborted(signal);
    const real = await resolveInside(root, path, (found, shown) => refusal(found, use, shown));
    first ??= shownRelative(root, real);
    return { real, shown: shownPath(path) };
  };
  const { state } = rules;

  const readBytes: Workspace["readBytes"] = async (path, { maxBytes = DEFAULT_MAX_BYTES, signal } = {}) => {
    const { real, shown } = await find(path, "read", signal);
    return await readWhole(real, shown, { maxBytes, signal, state });
  };

  return {
    root,
    firstResolved: () => first,
    resolve: async (path) => (await find(path, "look")).real,
    relative: (path) => shownRelative(root, resolve(root, path)),
    readBytes,
    async readText(path, { maxBytes = DEFAULT_MAX_BYTES, signal } = {}) {
      const { real, shown } = await find(path, "read", signal);
      const bytes = await readWhole(real, shown, { maxBytes, signal, state, text: true });
      return new TextDecoder().decode(bytes);
    },
    async openRead(path, { text = false, signal } = {}) {
      const { real, shown } = await find(path, "read", signal);
      return await openStream(real, shown, { text, signal, state });
    },
    async write(path, content, { signal } = {}) {
      const { real, shown } = await find(path, "write", signal);
      await writeFileAtomically({ real, shown, content, signal });
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
  };
}

interface ReadLimits {
  readonly maxBytes: number;
  readonly text?: boolean;
  readonly signal: AbortSignal | undefined;
  readonly state: HostState | undefined;
}

/** The file may grow while it is read, so what counts is what comes, not what it said of itself. */
async function readWhole(
  real: string,
  shown: string,
  { maxBytes, text, signal, state }: ReadLimits,
): Promise<Uint8Array> {
  const { handle, size } = await openFile(real, shown, state);
  try {
    if (size > maxBytes) throw tooLarge(shown, size, maxBytes);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      throwIfAborted(signal);
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size - length + 1, PROBE_BYTES)));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, length);
      if (bytesRead === 0) break;
      if (text && length === 0 && isBinary(chunk.subarray(0, bytesRead))) throw binaryError(shown);
      length += bytesRead;
      if (length > maxBytes) throw tooLarge(shown, length, maxBytes);
      chunks.push(chunk.subarray(0, bytesRead));
    }
    return Buffer.concat(chunks, length);
  } catch (error) {
    throw fileError(error, shown);
  } finally {
    await handle.close();
  }
}

async function openStream(
  real: string,
  shown: string,
  { text, signal, state }: Pick<ReadLimits, "signal" | "state"> & { readonly text: boolean },
): Promise<Readable> {
  const { handle } = await openFile(real, shown, state);
  try {
    if (text) await refuseBinary(handle, shown);
    throwIfAborted(signal);
    return handle.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, ...(signal ? { signal } : {}) });
  } catch (error) {
    await handle.close();
    throw fileError(error, shown);
  }
}

function tooLarge(shown: string, size: number, limit: number): ToolError {
  return new ToolError("TOO_LARGE", `${shown} has ${size} bytes or more, the limit is ${limit}`, {
    hint: "Read it in parts, or name a smaller file.",
  });
}
