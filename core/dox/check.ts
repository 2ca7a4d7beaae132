import { compareText, type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import { documentFindings } from "./dox.ts";
import { documentRepairs } from "./dox-repairs.ts";
import { localeRepairs } from "./locale-repairs.ts";
import { checkLocales } from "./locales.ts";
import { checkPrompts } from "./prompts.ts";
import { checkSchema } from "./schemas.ts";
import { checkSnapshots, repairSnapshots } from "./snapshots.ts";
import type { CheckedProfile, CheckedTool, CheckSubject, Edit } from "./subject.ts";
import { checkTestsOfTools } from "./tests-of-tools.ts";

/** What one area of the check looks at. It throws nothing on content's account. */
type Area = (subject: CheckSubject) => readonly Diagnostic[] | Promise<readonly Diagnostic[]>;

/** The areas of the check, in the order in which they are looked at. A new area is a new row. */
export const AREAS = {
  dox: documentFindings,
  plugins: async ({ profiles }) => {
    const listed = await Promise.all(profiles.map(async (one) => await one.listed()));
    return [...listed.flat(), ...profiles.flatMap(skillFindings)];
  },
  fragments: checkPrompts,
  contracts: async (subject) => {
    const told = await Promise.all(subject.profiles.map(async (one) => await one.contracts()));
    return [...told.flat(), ...subject.tools.flatMap(schemasOf), ...checkTestsOfTools(subject)];
  },
  locales: checkLocales,
  snapshot: checkSnapshots,
} as const satisfies Readonly<Record<string, Area>>;

function schemasOf({ id, file, contract }: CheckedTool): readonly Diagnostic[] {
  const schema = contract?.parameters ?? undefined;
  return schema === undefined ? [] : checkSchema({ id, file, schema });
}

/** A name of {@link AREAS}. */
export type CheckArea = keyof typeof AREAS;

/** Every area, in the order of the table. */
export const CHECK_AREAS = Object.keys(AREAS) as readonly CheckArea[];

/** What can be derived, so that nobody has to write it: new texts of files of the root. No prose is invented. */
type Repair = (subject: CheckSubject) => readonly Edit[] | Promise<readonly Edit[]>;

/** The repairs of the areas that have some. */
const REPAIRS: Readonly<Partial<Record<CheckArea, Repair>>> = {
  dox: documentRepairs,
  locales: localeRepairs,
  snapshot: repairSnapshots,
};

/** The findings of each area, each once, sorted by file, line and code. */
export type Findings = ReadonlyMap<CheckArea, readonly Diagnostic[]>;

/** All findings of some areas at once. */
export async function checkAreas(subject: CheckSubject, areas: readonly CheckArea[]): Promise<Findings> {
  const found = new Map<CheckArea, readonly Diagnostic[]>();
  for (const area of areas) found.set(area, uniqueDiagnostics(await AREAS[area](subject)));
  return found;
}

/** What is wrong with the front matter of skills, which listing does not read. */
function skillFindings({ view }: CheckedProfile): readonly Diagnostic[] {
  return view.catalog.list("skill").flatMap(({ winner }) => (winner ? view.skill(winner).diagnostics : []));
}

/** The edits that mend what can be derived in some areas, sorted by file; a file that is right already has none. */
export async function repairsFor(subject: CheckSubject, areas: readonly CheckArea[]): Promise<readonly Edit[]> {
  const edits: Edit[] = [];
  for (const area of areas) edits.push(...((await REPAIRS[area]?.(subject)) ?? []));
  return edits.sort((a, b) => compareText(a.file, b.file));
}
