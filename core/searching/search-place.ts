import type { Stats } from "node:fs";
import { displayPath } from "../discovery/paths.ts";
import { type BytePath, bytePath, textOfPath } from "./byte-paths.ts";

/** Where a search takes place, as the workspace of a call resolved it. */
export interface SearchPlace {
  /** The workspace, absolute and real. */
  readonly root: string;
  /** Where the search begins, absolute and real. */
  readonly real: string;
  /** As messages name it. */
  readonly shown: string;
  /** Whether the call may not read what lies at a real path. */
  isClosed(real: string): boolean;
  /** Whether the call may not read a file that is open, by whatever name. */
  isClosedFile(found: Stats): boolean;
  /** The real path of what a link leads to; undefined where the call may not know of it. @param link absolute */
  follow(link: string): Promise<string | undefined>;
}

/** Turns paths below the place of a search into those that the call is told, and leaves out what it may not know of. */
export interface PlacePaths {
  /** The place as bytes. */
  readonly top: BytePath;
  /** Whether a path below the place is closed. */
  isClosed(path: BytePath): boolean;
  /** As results show it; undefined where it is closed. */
  shown(path: BytePath): string | undefined;
  /** Absolute. */
  absolute(path: BytePath): BytePath;
}

export function placePaths({ root, real, isClosed }: Pick<SearchPlace, "root" | "real" | "isClosed">): PlacePaths {
  const top = bytePath(real);
  const inside = displayPath(root, real);
  const prefix = inside === "." ? "" : inside.endsWith("/") ? inside : `${inside}/`;
  const base = real.endsWith("/") ? real : `${real}/`;
  return {
    top,
    isClosed: (path) => isClosed(base + textOfPath(path)),
    shown(path) {
      const text = textOfPath(path);
      return isClosed(base + text) ? undefined : prefix + text;
    },
    absolute: (path) => `${top === "/" ? "" : top}/${path}`,
  };
}
