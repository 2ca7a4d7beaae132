import { displayPath } from "../discovery/paths.ts";
import type { Doctor } from "../host/doctor.ts";
import { table } from "./table.ts";

/** So many watched directories are named. */
const MAX_NAMED = 20;

/** A report of the doctor for people: a line for each check, what would help, and what is watched. */
export function doctorText({ checks, watcher, root, home }: Doctor): string {
  const rows = checks.map(({ name, status, message }) => [status, name, message]);
  const hints = checks.flatMap(({ name, hint }) => (hint === undefined ? [] : [`${name}: ${hint}`]));
  const places = home === root ? [`root ${root}`] : [`root ${root}`, `bundled content ${home}`];
  const { directories } = watcher;
  const named = directories.slice(0, MAX_NAMED).map((directory) => `  ${displayPath(root, directory)}`);
  if (directories.length > MAX_NAMED) named.push(`  and ${directories.length - MAX_NAMED} more`);
  const watched = directories.length === 0 ? [] : ["Watched directories:", ...named];
  return [...places, table(rows), ...watched, ...hints].join("\n");
}
