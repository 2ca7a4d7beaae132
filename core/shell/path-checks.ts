import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { obeyedBy } from "../governance/obeyed-files.ts";
import type { Workspace } from "../sdk/workspace.ts";
import { hasParent, pathCandidates } from "./path-candidates.ts";
import { patternPaths } from "./pattern-paths.ts";
import { type Refusal, shown } from "./refusal.ts";
import type { Word } from "./tree.ts";

/** What a command does with a file that it names. */
export type PathUse = "read" | "write";

/** The paths of one command line: gathered while it is judged, then looked up. */
export interface PathChecks {
  /** What an argument may name. @param directories where a relative path may be taken from; absolute */
  argument(word: Word, use: PathUse, directories: readonly string[]): void;
  /** A path as it is written; one with the use `write` is certainly written. */
  path(path: string, use: PathUse, directories: readonly string[]): void;
  /** What is wrong, if anything; the first that was gathered. */
  refusal(): Promise<Refusal | undefined>;
  /** Why writing what is written has effects of its own: what runs or obeys it. */
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
  const asked = new Map<string, { readonly target: string; readonly use: PathUse; readonly text: string }>();
  /** What is certainly written: from absolute paths to what the command calls them. */
  const written = new Map<string, string>();
  let fault: Refusal | undefined;

  const ask = (path: string, use: PathUse, directories: readonly string[], text: string): void => {
    if (isHarmlessDevice(path)) return;
    const expanded = home(path);
    if (/^~[\w.+-]*(?:\/|$)/u.test(expanded)) {
      fault ??= {
        rule: "path",
        message: `${shown(text)} is in the directory of somebody; write a path in the workspace`,
      };
      return;
    }
    for (const directory of directories) {
      const target = resolve(directory, expanded);
      if (isPlain(expanded, target, use)) continue;
      asked.set(`${use} ${target}`, { target, use, text });
    }
  };
  /** What is certainly inside: a name in a directory that is, with no link in the way. */
  const isPlain = (path: string, target: string, use: PathUse): boolean => {
    if (path === "." && use === "read") return true;
    if (!path.startsWith("/") && !hasParent(path)) {
      if (path.split("/").some((step) => Buffer.byteLength(step) > MAX_STEP)) return true;
      if (path.includes("/") || (use === "write" && target.split("/").includes("usr"))) return false;
      return lstatSync(target, { throwIfNoEntry: false }) === undefined;
    }
    return false;
  };

  /** The same words come again and again. */
  const seen = new Set<string>();

  return {
    argument({ text, isPattern }, use, directories) {
      const key = [use, String(isPattern), text, ...directories].join("\0");
      if (seen.has(key)) return;
      seen.add(key);
      for (const candidate of pathCandidates(text)) {
        if (!isPattern || !/[*?[]/u.test(candidate)) {
          ask(candidate, use, directories, text);
          continue;
        }
        for (const directory of directories) {
          const { before, fault: unknown, links } = patternPaths(candidate, directory);
          if (unknown) fault ??= { rule: "path", message: `${shown(text)} ${unknown}; name the files` };
          for (const path of [before, ...links]) ask(path, use, [directory], text);
        }
      }
    },
    path(path, use, directories) {
      ask(path, use, directories, path);
      if (use === "write") for (const directory of directories) written.set(resolve(directory, home(path)), path);
    },
    async refusal() {
      if (fault) return fault;
      const answers = [...asked.values()].map(({ target, use, text }) => look(workspace, { target, use, text }));
      return (await Promise.all(answers)).find((refusal) => refusal !== undefined);
    },
    async obeyed() {
      const others = [...written].map(async ([target, text]) => {
        const real = await workspace.resolve(target);
        const by = obeyedBy(workspace.relative(target)) ?? obeyedBy(workspace.relative(real));
        return by === undefined ? undefined : `it writes ${shown(text)}, and ${by}`;
      });
      const host = [...asked.values()].map(async ({ target, use, text }) =>
        use === "write" && (await workspace.isContent(target)) ? `this host obeys ${shown(text)}` : undefined,
      );
      return (await Promise.all([...others, ...host])).filter((reason) => reason !== undefined);
    },
  };
}

function home(path: string): string {
  return path === "~" || path.startsWith("~/") ? homedir() + path.slice(1) : path;
}

interface Asked {
  readonly target: string;
  readonly use: PathUse;
  readonly text: string;
}

async function look(workspace: Workspace, { target, use, text }: Asked): Promise<Refusal | undefined> {
  try {
    await workspace.resolve(target, use);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `${shown(text)} leads where the command may not go (${why}); use a path in the workspace`;
    return { rule: "path", message };
  }
}
