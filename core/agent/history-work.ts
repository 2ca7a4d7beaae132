import type { HistoryState } from "./history-items.ts";
import type { JobRecord, SubordinateRecord } from "./transcript-records.ts";

/** What marks, in `keep` and `drop` of a result, that a name is that of a job. */
const JOB_MARK = "job:";

/** The job that a name is the mark of; a name of something else is no job's id. */
export function jobName(mark: string): string {
  return mark.startsWith(JOB_MARK) ? mark.slice(JOB_MARK.length) : "";
}

/** What is known of a background call. Its arguments are told once, so they are carried on. */
export function noteJob(state: HistoryState, record: JobRecord): void {
  if (record.state === "open") state.jobCount++;
  const before = state.jobs.get(record.id);
  state.jobs.set(record.id, before?.args === undefined ? record : { args: before.args, ...record });
}

export function noteSubordinate(state: HistoryState, record: SubordinateRecord): void {
  const { type: _, replaces, ...known } = record;
  const replaced = replaces === undefined ? undefined : state.subordinates.get(replaces);
  if (replaced) state.subordinates.set(replaced.id, { ...replaced, over: true });
  state.subordinates.set(known.id, known);
}

/** What is said of a background call that the process did not see the end of. */
export function jobGap({ name, state }: JobRecord): string {
  if (state === "open") return `The host stopped before ${name} began, so it did not run.`;
  return (
    `What became of this call is not known: the host stopped while ${name} ran in the background. It may have taken ` +
    "effect in whole, in part or not at all, and it was not run again. Look before you repeat it."
  );
}
