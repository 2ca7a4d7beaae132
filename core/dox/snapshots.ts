import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type LineDifference, lineDifferences } from "./line-diff.ts";
import type { CheckSubject, Edit } from "./subject.ts";

/**
 * Compares the system prompt of each profile with its snapshot, `<profile>.md`: every change of what a model is told is
 * seen, and meant. In the house of the bundled profiles each has one; in a person's root, those that somebody made.
 */
export async function checkSnapshots(subject: CheckSubject): Promise<readonly Diagnostic[]> {
  const { files, profiles, snapshots } = subject;
  const { directory, required } = snapshots;
  const kept = files.list(directory).flatMap((name) => /^(.+)\.md$/u.exec(name)?.[1] ?? []);
  if (!required && kept.length === 0) return [];
  const found: Diagnostic[] = [];
  for (const { profile, text } of await snapshots.prompts()) {
    const file = fileOf(directory, profile);
    const before = kept.includes(profile) ? files.read(file) : undefined;
    if (before === text) continue;
    if (before !== undefined) found.push(changed({ file, profile, differences: lineDifferences(before, text) }));
    else if (required) found.push(missing(file, profile));
  }
  const catalog = profiles[0]?.view.catalog;
  for (const profile of kept) {
    if (catalog?.get("profile", profile)?.winner) continue;
    const message = `expected a profile ${profile}, found none`;
    found.push(
      diagnostic("PROMPT_SNAPSHOT_ORPHAN", { file: fileOf(directory, profile), message, hint: "Delete the file." }),
    );
  }
  return found;
}

/** Snapshots that say what is; in a person's root where the directory of snapshots was made. */
export async function repairSnapshots({ files, snapshots }: CheckSubject): Promise<readonly Edit[]> {
  const { directory, required } = snapshots;
  const [name = "", ...above] = directory.split("/").reverse();
  if (!required && !files.list(above.reverse().join("/")).includes(`${name}/`)) return [];
  return (await snapshots.prompts())
    .map(({ profile, text }) => ({ file: fileOf(directory, profile), description: "write the snapshot", text }))
    .filter(({ file, text }) => files.read(file) !== text);
}

function fileOf(directory: string, profile: string): string {
  return `${directory}/${profile}.md`;
}

function missing(file: string, profile: string): Diagnostic {
  return diagnostic("PROMPT_SNAPSHOT_MISSING", {
    file,
    message: `expected a snapshot of the system prompt of ${profile}, found none`,
    hint: FIX,
    fix: { file, description: "write the snapshot" },
  });
}

function changed({
  file,
  profile,
  differences,
}: {
  readonly file: string;
  readonly profile: string;
  readonly differences: readonly LineDifference[];
}): Diagnostic {
  const line = differences[0]?.line ?? 1;
  const message = `the system prompt of ${profile} is not what its snapshot says:\n${shown(differences)}`;
  return diagnostic("PROMPT_SNAPSHOT_CHANGED", {
    ...{ file, line, message },
    hint: `\nWhere that is meant, ${FIX.charAt(0).toLowerCase()}${FIX.slice(1)}`,
    fix: { file, description: "write the snapshot" },
  });
}

const FIX = "Write it with `toolroom check snapshot --fix`, and read the difference before you commit it.";

/** More lines than these are not read in a report. */
const MAX_SHOWN = 40;

/** `@@ 12` the line in the snapshot, then `-` what it says and `+` what is. */
function shown(differences: readonly LineDifference[]): string {
  const lines = differences.flatMap(({ line, removed, added }) => [
    `  @@ ${line}`,
    ...removed.map((text) => `  - ${text}`),
    ...added.map((text) => `  + ${text}`),
  ]);
  const more = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN), ...(more > 0 ? [`  … and ${more} lines more`] : [])].join("\n");
}
