import { lstat, readlink } from "node:fs/promises";
import { isAbsolute, parse, relative, resolve, sep } from "node:path";
import { realPath } from "../discovery/look.ts";
import { contains } from "../discovery/paths.ts";
import { ToolError } from "../sdk/errors.ts";
import { fileError, shownPath, swappedError } from "./file-errors.ts";

/** As many links as Linux follows in one path. */
const MAX_LINKS = 40;

/** Why a real path may not be used; undefined: it may. */
export type Refuse = (real: string, shown: string) => ToolError | undefined;

/**
 * The real path of `path` with all links resolved, also those that dangle; its last parts may not exist yet.
 *
 * @param root the workspace's real path
 * @param path as the caller wrote it, taken relative to `root`; nothing in it is expanded
 * @param refuse judges the real path
 * @throws ToolError INVALID_PARAM (empty, a NUL, a circle of links), and what `refuse` says, such as ACCESS_DENIED
 */
export async function resolveInside(root: string, path: string, refuse: Refuse): Promise<string> {
  if (typeof path !== "string" || path === "") {
    throw new ToolError("INVALID_PARAM", "expected a path, found nothing", { hint: "Use . for the workspace itself." });
  }
  const shown = shownPath(path);
  if (path.includes("\0")) throw new ToolError("INVALID_PARAM", `a path cannot hold a NUL character: ${shown}`);
  const target = resolve(root, path);
  // At once: to have another thread ask takes several times as long as to ask.
  const real = realPath(target) ?? (await followLinks(root, target, { shown, refuse }));
  const refused = refuse(real, shown);
  if (refused) throw refused;
  return real;
}

/** Whether `path` is one of `roots` or below one. */
export function isInsideAny(roots: readonly string[], path: string): boolean {
  return roots.some((root) => contains(root, path));
}

/**
 * What `realpath` cannot do: the real path of something that does not exist. Each part is looked at in turn, as
 * the kernel would, so a dangling link counts by where it points and not by where it lies.
 */
async function followLinks(
  root: string,
  target: string,
  { shown, refuse }: { readonly shown: string; readonly refuse: Refuse },
): Promise<string> {
  let current = contains(root, target) ? root : parse(target).root;
  const rest = partsOf(relative(current, target));
  for (let links = 0; rest.length > 0; ) {
    const part = rest.shift() as string;
    const next = resolve(current, part);
    try {
      const status = await lstat(next);
      if (!status.isSymbolicLink()) {
        current = next;
        continue;
      }
      const link = await readlink(next);
      if (++links > MAX_LINKS) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
      if (isAbsolute(link)) current = parse(link).root;
      rest.unshift(...partsOf(link));
    } catch (error) {
      if (isMissing(error)) return resolve(next, ...rest);
      // It was a link a moment before.
      if ((error as NodeJS.ErrnoException).code === "EINVAL") throw swappedError(shown);
      // What the file system says about a path outside stays its secret.
      throw refuse(next, shown) ?? fileError(error, shown);
    }
  }
  return current;
}

/** The last parts do not exist yet, or hang below a file. */
function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

function partsOf(path: string): string[] {
  const { root } = parse(path);
  return path
    .slice(root.length)
    .split(sep)
    .filter((part) => part !== "" && part !== ".");
}
