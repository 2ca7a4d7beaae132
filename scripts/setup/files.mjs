import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The absolute path of a file of this project. All other functions take paths relative to the project, with `/`. */
export const at = (path) => join(ROOT, path);

/** Relative POSIX paths of all files below a directory, sorted. */
export function walk(directory) {
  const files = [];
  const visit = (path) => {
    for (const entry of list(path)) {
      const below = `${path}/${entry.name}`;
      if (entry.isDirectory()) visit(below);
      else files.push(below);
    }
  };
  visit(directory);
  return files.sort();
}

function list(path) {
  try {
    return readdirSync(at(path), { withFileTypes: true });
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}

/** Names, sizes and times in one string: equal strings, equal files. */
export function fingerprint(files) {
  return files
    .map((file) => {
      const stat = statSync(at(file), { throwIfNoEntry: false });
      return stat ? `${file} ${stat.size} ${stat.mtimeMs}` : file;
    })
    .join("\n");
}

export function readText(file) {
  try {
    return readFileSync(at(file), "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

export function readJson(file) {
  return parseJson(readText(file) ?? "null");
}

/** Undefined for what is missing or damaged: both mean that nothing is known. */
export function parseJson(text) {
  try {
    return JSON.parse(text) ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function writeJson(file, value) {
  writeFileSync(at(file), `${JSON.stringify(value)}\n`);
}

/** A stamp that only saves time: where it cannot be written, everything is compared again the next time. */
export function remember(file, value) {
  try {
    writeJson(file, value);
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(error.code)) throw error;
  }
}
