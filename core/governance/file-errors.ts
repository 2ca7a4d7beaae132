import { type CallErrorCode, isToolError, ToolError } from "../sdk/errors.ts";

/** What an error of the file system means for the caller; anything else is EXECUTION_ERROR. */
const BY_CODE: Readonly<Record<string, readonly [CallErrorCode, (shown: string) => string, string]>> = {
  ENOENT: ["NOT_FOUND", (shown) => `there is nothing at ${shown}`, "Check the spelling, or list its directory."],
  ENOTDIR: [
    "NOT_FOUND",
    (shown) => `there is nothing at ${shown}: one of the directories in it is a file`,
    "Name a path whose other parts are directories.",
  ],
  EACCES: ["PERMISSION_DENIED", (shown) => `the operating system refused access to ${shown}`, "Use another path."],
  EPERM: ["PERMISSION_DENIED", (shown) => `the operating system refused access to ${shown}`, "Use another path."],
  EROFS: ["PERMISSION_DENIED", (shown) => `${shown} lies on a read-only file system`, "Use another path."],
  EISDIR: ["IS_DIRECTORY", (shown) => `expected a file, found a directory at ${shown}`, "Name a file in it."],
  EEXIST: ["CONFLICT", (shown) => `a file lies where a directory of ${shown} should be`, "Use another path."],
  ENAMETOOLONG: ["INVALID_PARAM", () => "the path is longer than the file system allows", "Use a shorter path."],
  ELOOP: ["INVALID_PARAM", (shown) => `the links at ${shown} lead in a circle`, "Use another path."],
};

/** `error` as a {@link ToolError} that names the path as the caller wrote it. */
export function fileError(error: unknown, shown: string): ToolError {
  if (isToolError(error)) return error;
  const row = BY_CODE[(error as NodeJS.ErrnoException | undefined)?.code ?? ""];
  if (row) return new ToolError(row[0], row[1](shown), { hint: row[2] });
  const message = error instanceof Error ? error.message : String(error);
  return new ToolError("EXECUTION_ERROR", `the file system failed at ${shown}: ${message}`, { cause: message });
}

/**
 * The one refusal for every path that leads outside. It must not depend on what lies there: the words are the
 * same whether the target exists or not.
 * @param setting that could admit it, where there is one
 */
export function outsideError(shown: string, setting?: string): ToolError {
  const admits = setting === undefined ? "" : ` A person can admit other directories with ${setting}.`;
  return new ToolError("ACCESS_DENIED", `${shown} lies outside the workspace`, {
    hint: `Give a path inside the workspace, relative to it.${admits}`,
  });
}

/** Something else lies at a path than a moment before: it may have been put there to deceive. */
export function swappedError(shown: string): ToolError {
  return new ToolError("CONFLICT", `${shown} was replaced while it was being opened`, { hint: "Ask again." });
}

/** What the host keeps for itself: tools may read it, as it was written. */
export function readOnlyError(shown: string): ToolError {
  return new ToolError("ACCESS_DENIED", `${shown} belongs to the host and may only be read`, {
    hint: "Write to another path inside the workspace.",
  });
}

/** A file of secrets, by whatever name it is opened. */
export function secretError(shown: string): ToolError {
  return new ToolError("ACCESS_DENIED", `${shown} holds secrets or keys of the host, which no tool may read`, {
    hint: "Write §§secret(NAME) into the arguments of a call that needs a secret.",
  });
}

/** Pipes, sockets and devices: refused without opening them, because that alone can block or have effects. */
export function specialFileError(shown: string): ToolError {
  return new ToolError("INVALID_PARAM", `expected a regular file, found a pipe, a socket or a device at ${shown}`, {
    hint: "Name a regular file.",
  });
}

/** A link where a file is to be changed. @param target what it leads to, as results show it */
export function linkError(shown: string, target: string): ToolError {
  return new ToolError("INVALID_PARAM", `expected a file, found a link at ${shown}, through which nothing is written`, {
    pointer: "/path",
    hint: `Name the file itself: ${/\p{Cc}/u.test(target) ? shownPath(target) : target}.`,
  });
}

/** A path as messages show it: quoted, on one line, of bounded length. */
export function shownPath(path: string): string {
  return JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path);
}

/** @throws ToolError the signal's own reason where that is one, else ABORTED */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw isToolError(signal.reason) ? signal.reason : new ToolError("ABORTED", "the call was stopped");
}
