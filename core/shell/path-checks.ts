import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { obeyedBy } from "../governance/obeyed-files.ts";
import type { Workspace } from "../sdk/workspace.ts";
import { hasParent, pathCandidates } from "./path-candidates.ts";
import { patternPaths } from "./pattern-paths.ts";
import { type Refusal, shown } from "./refusal.ts";
import type { Word } from "./tree.ts";

/** What a command does with a file that it names; `fill`: what it writes may be anything. */
export type PathUse = "read" | "write" | "fill";

/** The paths of one command line: gathered while it is judged, then looked up. */
export interface PathChecks {
  /** What an argument may name. @param directories where a relative path may be taken from; absolute */
  argument(word: Word, use: PathUse, directories: readonly string[]): void;
  /**
   * A pattern in an argument that names no file: the shell looks for files all the same.
   * @param use `name`: the command does nothing with those that are found but with their names
   */
  pattern(word: Word, use: "name" | "read", directories: readonly string[]): void;
  /** The path of a program, which a list may name wherever it lies. */
  program(path: string, directories: readonly string[]): void;
  /** A path as it is written. */
  path(path: string, use: PathUse, directories: readonly string[]): void;
  /** What is wrong, if anything; the first that was gathered. */
  refusal(): Promise<Refusal | undefined>;
  /** Those of which this host, or another program, would run or obey what is written there: why, in a sentence for each. */
  obeyed(): Promise<readonly string[]>;
}

/** Files of the system that hold nothing, and the command's own input and output. */
const DEVICES = new Set(
  ["null", "zero", "random", "urandom", "stdin", "stdout", "stderr"].map((name) => `/dev/${name}`),
);

/** Whether a path is such a file, in exactly these words. */
export function isHarmlessDevice(path: string): boolean {
  return DEVICES.has(path);
}

/** No file can have such a name: a text that is longer is none. */
const MAX_STEP = 255;

/** @param workspace judges each path: its rules are the only ones */
export function createPathChecks(workspace: Workspace): PathChecks {
  const asked = new Map<string, Asked>();
  /** Why what is written has effects of its own. */
  const obeyed = new Set<string>();
  let fault: Refusal | undefined;

  /** What is written may be a directory. */
  const addReason = (target: string, text: string): void => {
    const path = workspace.relative(target);
    const by = obeyedBy(path) ?? obeyedBy(`${path}/_`);
    if (by !== undefined) obeyed.add(`it writes ${shown(text)}, and ${by}`);
  };
  const requireNoWayUp = (path: string, directory: string, text: string): void => {
    if (!hasParent(path) || !goesUpBehindLink(directory, path)) return;
    fault ??= { rule: "path", message: `${shown(text)} goes up behind a link; write the path without ..` };
  };
  const ask = (path: string, use: PathUse, directories: readonly string[], text: string): void => {
    if (isHarmlessDevice(path)) return;
    const expanded = path === "~" || path.startsWith("~/") ? homedir() + path.slice(1) : path;
    if (/^~[\w.+-]*(?:\/|$)/u.test(expanded)) {
      fault ??= {
        rule: "path",
        message: `${shown(text)} is in the directory of somebody; write a path in the workspace`,
      };
      return;
    }
    for (const directory of directories) {
      const target = resolve(directory, expanded);
      requireNoWayUp(expanded, directory, text);
      if (use === "fill") addReason(target, text);
      if (isPlain(expanded, target, use)) continue;
      asked.set(`${use} ${target}`, { target, use, text });
    }
  };
  /** What is certainly inside: a name in a directory that is, with no link in the way. */
  const isPlain = (path: string, target: string, use: PathUse): boolean => {
    if (path === "." && use === "read") return true;
    if (!path.startsWith("/") && !hasParent(path)) {
      if (path.split("/").some((step) => Buffer.byteLength(step) > MAX_STEP)) return true;
      if (path.includes("/") || (use !== "read" && target.split("/").includes("usr"))) return false;
      return lstatSync(target, { throwIfNoEntry: false }) === undefined;
    }
    return false;
  };

  const expand = ({ candidate, text, use, directories, links }: Expanded): void => {
    for (const directory of directories) {
      const found = patternPaths(candidate, directory);
      if (found.fault) fault ??= { rule: "path", message: `${shown(text)} ${found.fault}; name the files` };
      for (const path of [found.before, ...found[links]]) ask(path, use, [directory], text);
    }
  };

  /** The same words come again and again. */
  const seen = new Set<string>();
  const isNew = (kind: string, text: string, directories: readonly string[]): boolean => {
    const key = `${kind}\0${text}\0${directories.length === 1 ? directories[0] : directories.join("\0")}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };

  return {
    argument({ text, isPattern }, use, directories) {
      if (!isNew(isPattern ? `${use} pattern` : use, text, directories)) return;
      for (const candidate of pathCandidates(text)) {
        if (!isPattern || !/[*?[]/u.test(candidate)) {
          ask(candidate, use, directories, text);
          continue;
        }
        expand({ candidate, text, use, directories, links: "links" });
      }
    },
    pattern({ text, isPattern }, use, directories) {
      if (!isPattern || !isNew(`${use} text`, text, directories)) return;
      const links = use === "name" ? "through" : "links";
      expand({ candidate: text, text, use: "read", directories, links });
    },
    program(path, directories) {
      for (const directory of directories) requireNoWayUp(path, directory, path);
    },
    path: (path, use, directories) => ask(path, use, directories, path),
    async refusal() {
      if (fault) return fault;
      const answers = [...asked.values()].map(({ target, use, text }) => look(workspace, { target, use, text }));
      return (await Promise.all(answers)).find((refusal) => refusal !== undefined);
    },
    async obeyed() {
      const written = [...asked.values()].filter(({ use }) => use !== "read");
      const host = await Promise.all(
        written.map(async ({ target, use, text }) => {
          if (use === "fill") addReason(await workspace.resolve(target), text);
          return (await workspace.isContent(target)) ? [`this host obeys ${shown(text)}`] : [];
        }),
      );
      return [...new Set([...obeyed, ...host.flat()])];
    },
  };
}

interface Expanded {
  readonly candidate: string;
  /** The word that it is part of. */
  readonly text: string;
  readonly use: PathUse;
  readonly directories: readonly string[];
  readonly links: "links" | "through";
}

interface Asked {
  /** Absolute. */
  readonly target: string;
  readonly use: PathUse;
  readonly text: string;
}

/** The system goes up from where the link leads, not from where it lies. */
function goesUpBehindLink(directory: string, path: string): boolean {
  const steps = path.split("/");
  const end = steps.lastIndexOf("..");
  return steps.slice(0, end).some((_, index) => {
    try {
      return lstatSync(resolve(directory, steps.slice(0, index + 1).join("/") || "/")).isSymbolicLink();
    } catch {
      return false;
    }
  });
}

async function look(workspace: Workspace, { target, use, text }: Asked): Promise<Refusal | undefined> {
  try {
    await workspace.resolve(target, use === "read" ? "read" : "write");
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `${shown(text)} leads where the command may not go (${why}); use a path in the workspace`;
    return { rule: "path", message };
  }
}
