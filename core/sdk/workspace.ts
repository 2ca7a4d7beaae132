import type { Readable } from "node:stream";
import type { WorkspaceSearch } from "./workspace-search.ts";

/** What {@link Workspace.stat} and {@link Workspace.list} tell about a path. */
export interface WorkspaceEntry {
  /** POSIX, relative to the workspace; `.` is the workspace itself. */
  readonly path: string;
  /** `other`: a socket, a pipe, a device; it can be listed but not read. */
  readonly type: "file" | "directory" | "other";
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, with fractions where the file system has them. */
  readonly mtimeMs: number;
}

/** A file that is about to be changed. */
export interface FileNow {
  readonly exists: boolean;
  /**
   * What is in it.
   * @throws ToolError NOT_FOUND where there is no file, TOO_LARGE, ACCESS_DENIED where it may be written but not read
   */
  read(): Promise<Uint8Array>;
}

/**
 * The files that a call may touch. Every path is taken relative to the workspace (an absolute path is
 * accepted when it lies inside, or where the risk profile admits it), links are resolved, and what resolves
 * outside is refused with ACCESS_DENIED in words that do not tell whether the target exists. So are paths that
 * the risk profile forbids, files of the host's own where they would be written, and its secrets. Pipes, sockets
 * and devices are refused without opening them; a path at which something else lies than a moment before is
 * refused with CONFLICT. All methods throw {@link ToolError}.
 */
export interface Workspace extends WorkspaceSearch {
  /** Absolute path of the workspace, links resolved. */
  readonly root: string;
  /**
   * The absolute real path of `path`; its last parts may not exist yet.
   * @param use what for: what may be named (`look`, the default) may not always be read or written, and {@link update} writes
   *   through no link
   * @throws ToolError INVALID_PARAM (empty, or with a NUL; for `update` a link), ACCESS_DENIED (outside)
   */
  resolve(path: string, use?: "read" | "write" | "update" | "look"): Promise<string>;
  /** `path` as results show it: POSIX, relative to the workspace. */
  relative(path: string): string;
  /**
   * The whole file as UTF-8 text (a byte-order mark is dropped).
   * @param options.maxBytes larger files are refused; default 10 MiB
   * @throws ToolError NOT_FOUND, ACCESS_DENIED, PERMISSION_DENIED, IS_DIRECTORY, BINARY_FILE (a NUL in the first 8 KiB), TOO_LARGE
   */
  readText(path: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<string>;
  /** The whole file as bytes; as {@link readText}, but binary content is fine. */
  readBytes(path: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<Uint8Array>;
  /**
   * A stream over the file's bytes, of any size; what is added to it meanwhile is left out.
   * @param options.text true refuses binary content (a NUL in the first 8 KiB) before the stream is handed out
   */
  openRead(path: string, options?: { text?: boolean; signal?: AbortSignal }): Promise<Readable>;
  /**
   * Writes the whole file at once: a temporary file in the same directory, then a rename; an existing file
   * keeps its mode. Missing directories are made, inside the workspace only.
   * @throws ToolError ACCESS_DENIED, PERMISSION_DENIED, IS_DIRECTORY
   */
  write(path: string, content: string | Uint8Array, options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * Changes a file by what is in it, in one go: changes of the same file come one after the other, and where another
   * program was faster, the change is made anew of what it left. Written as by {@link write}, but never where the path
   * itself is a link.
   * @param change the new content of what is there now; undefined: nothing is written. It may be called more than once
   * @param options.maxBytes of what `read` gives; default 10 MiB
   * @param options.mustBeSeen refuses a file that the agent has not read in this conversation; without one nothing is refused
   * @throws ToolError what `change` throws; CONFLICT where the file is not what the agent last read or wrote; as {@link write},
   *   INVALID_PARAM for a link
   */
  update(
    path: string,
    change: (now: FileNow) => string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>,
    options?: { maxBytes?: number; mustBeSeen?: boolean; signal?: AbortSignal },
  ): Promise<void>;
  /** Whether this host would run or obey what lies there: content of its root, or a part of the host. @throws ToolError as {@link resolve} */
  isContent(path: string): Promise<boolean>;
  /** @throws ToolError NOT_FOUND, ACCESS_DENIED, PERMISSION_DENIED */
  stat(path: string): Promise<WorkspaceEntry>;
  /** The direct entries of a directory, sorted by path; links that lead outside are left out. @throws ToolError as {@link stat}, INVALID_PARAM for a file */
  list(path: string): Promise<readonly WorkspaceEntry[]>;
  /**
   * Whether a path that may be used lies outside of the workspace, because the risk profile admits it. What the host keeps
   * for the agent, such as large outputs, does not. @throws ToolError as {@link resolve}
   */
  isOutside(path: string): Promise<boolean>;
}
