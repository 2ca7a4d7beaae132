import type { Stats } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { compareText, diagnostic, hostError } from "../diagnostics.ts";
import { ToolError } from "../sdk/errors.ts";
import type { Workspace, WorkspaceEntry } from "../sdk/workspace.ts";
import { isInside, isInsideAny, resolveInside, shownRelative } from "./containment.ts";
import { fileError, readOnlyError, shownPath, throwIfAborted } from "./file-errors.ts";
import { binaryError, isBinary, openFile, PROBE_BYTES, refuseBinary } from "./open-file.ts";
import { writeFileAtomically } from "./write-file.ts";

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** So many entries of a directory are looked at at once. */
const LIST_BATCH = 64;

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
  return openWorkspace(root);
}

/**
 * The same files for one call: `firstResolved` starts anew.
 * @param readable real paths of directories whose files may be read as well, wherever they lie; what lies in one may not
 *   be written, also where it lies inside the workspace
 */
export function workspaceForCall(workspace: Workspace, readable: readonly string[] = []): CallWorkspace {
  return openWorkspace(workspace.root, readable);
}

/** @param root a real path */
function openWorkspace(root: string, readable: readonly string[] = []): CallWorkspace {
  let first: string | undefined;

  const find = async (path: string, signal?: AbortSignal): Promise<{ real: string; shown: string }> => {
    throwIfAborted(signal);
    const real = await resolveInside(root, path, readable);
    first ??= shownRelative(root, real);
    return { real, shown: shownPath(path) };
  };

  const readBytes: Workspace["readBytes"] = async (path, { maxBytes = DEFAULT_MAX_BYTES, signal } = {}) => {
    const { real, shown } = await find(path, signal);
    return await readWhole(real, shown, { maxBytes, signal });
  };

  return {
    root,
    firstResolved: () => first,
    resolve: async (path) => (await find(path)).real,
    relative: (path) => shownRelative(root, resolve(root, path)),
    readBytes,
    async readText(path, { maxBytes = DEFAULT_MAX_BYTES, signal } = {}) {
      const { real, shown } = await find(path, signal);
      const bytes = await readWhole(real, shown, { maxBytes, signal, text: true });
      return new TextDecoder().decode(bytes);
    },
    async openRead(path, { text = false, signal } = {}) {
      const { real, shown } = await find(path, signal);
      return await openStream(real, shown, { text, signal });
    },
    async write(path, content, { signal } = {}) {
      const { real, shown } = await find(path, signal);
      if (isInsideAny(readable, real)) throw readOnlyError(shown);
      await writeFileAtomically({ root, real, shown, content, signal });
    },
    async stat(path) {
      const { real, shown } = await find(path);
      const found = await lstat(real).catch((error: unknown) => {
        throw fileError(error, shown);
      });
      return entryOf(shownRelative(root, real), found);
    },
    async list(path) {
      const { real, shown } = await find(path);
      return await listDirectory(root, real, shown);
    },
  };
}

interface ReadLimits {
  readonly maxBytes: number;
  readonly text?: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The file may grow while it is read, so what counts is what comes, not what it said of itself. */
async function readWhole(real: string, shown: string, { maxBytes, text, signal }: ReadLimits): Promise<Uint8Array> {
  const { handle, size } = await openFile(real, shown);
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
  { text, signal }: { readonly text: boolean; readonly signal: AbortSignal | undefined },
): Promise<Readable> {
  const { handle } = await openFile(real, shown);
  try {
    if (text) await refuseBinary(handle, shown);
    throwIfAborted(signal);
    return handle.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, ...(signal ? { signal } : {}) });
  } catch (error) {
    await handle.close();
    throw fileError(error, shown);
  }
}

async function listDirectory(root: string, real: string, shown: string): Promise<readonly WorkspaceEntry[]> {
  const names = await readdir(real).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOTDIR") {
      throw new ToolError("INVALID_PARAM", `expected a directory, found a file at ${shown}`, {
        hint: "List the directory that holds it.",
      });
    }
    throw fileError(error, shown);
  });
  const entries: WorkspaceEntry[] = [];
  for (let start = 0; start < names.length; start += LIST_BATCH) {
    const batch = names.slice(start, start + LIST_BATCH).map((name) => listed(root, join(real, name)));
    for (const entry of await Promise.all(batch)) if (entry) entries.push(entry);
  }
  return entries.sort((a, b) => compareText(a.path, b.path));
}

/** Undefined for a link that dangles or leads outside, and for what vanished meanwhile. */
async function listed(root: string, path: string): Promise<WorkspaceEntry | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isSymbolicLink()) return found && entryOf(shownRelative(root, path), found);
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined || !isInside(root, target)) return undefined;
  const behind = await lstat(target).catch(() => undefined);
  return behind && entryOf(shownRelative(root, path), behind);
}

function entryOf(path: string, found: Stats): WorkspaceEntry {
  const type = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
  return { path, type, size: found.size, mtimeMs: found.mtimeMs };
}

function tooLarge(shown: string, size: number, limit: number): ToolError {
  return new ToolError("TOO_LARGE", `${shown} has ${size} bytes or more, the limit is ${limit}`, {
    hint: "Read it in parts, or name a smaller file.",
  });
}
