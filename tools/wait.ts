import { setTimeout as sleep } from "node:timers/promises";
import { Tool, ToolError, z } from "toolroom";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = { seconds: SECOND, minutes: MINUTE, hours: HOUR, days: DAY } as const;
/** Long enough for anything planned, short enough for one timer of Node (some 24 days). */
const LONGEST = 7 * DAY;

const amount = z.number().min(0).optional().describe("how many to wait; units are added up");

const parameters = z.object({
  seconds: amount,
  minutes: amount,
  hours: amount,
  days: amount,
  until: z
    .string()
    .optional()
    .describe("a moment to come instead: ISO 8601 with an offset, or local time as 2030-01-01 09:00 or 18:30 (today)"),
});

type Arguments = z.infer<typeof parameters>;

/** Lets time pass, in steps of at most a second, so that a pause or a stop is noticed. */
export default class Wait extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Waits for a length of time, or until a moment.";
  static readonly risk = "low";
  static readonly timeoutMs = LONGEST + HOUR;

  async execute(args: Arguments) {
    const left = countdown(args);
    let waited = 0;
    for (let rest = left(waited); rest > 0; rest = left(waited)) {
      await this.#show(rest);
      const start = performance.now();
      await sleep(Math.min(rest, SECOND), undefined, { signal: this.signal });
      waited += performance.now() - start;
      await this.agent.handleIntervention(this.progress);
    }
    const end = args.until === undefined ? `Waited ${inWords(waited)}.` : `Waited until ${args.until}.`;
    return this.success(end, { waitedMs: Math.round(waited), endedAt: new Date().toISOString() });
  }

  /** A week has 600,000 steps; only a changed text is worth publishing. */
  async #show(rest: number): Promise<void> {
    const text = `Waiting, ${inWords(rest)} left.`;
    if (text !== this.progress) await this.setProgress(text);
  }
}

/** A function from the milliseconds already waited to those that are left. Time spent paused does not shorten a duration. */
function countdown({ until, ...units }: Arguments): (waited: number) => number {
  const given = Object.entries(units).filter(([, value]) => value !== undefined);
  if (until !== undefined && given.length > 0) {
    throw invalid("/until", `expected a duration or until, found until and ${given[0]?.[0]}`);
  }
  if (until !== undefined) {
    const moment = parseMoment(until);
    const rest = moment - Date.now();
    if (rest <= 0) throw invalid("/until", `expected a moment to come, found ${until}, which is past`);
    if (rest > LONGEST) throw invalid("/until", `expected a moment within 7 days, found ${until}`);
    return () => moment - Date.now();
  }
  if (given.length === 0)
    throw invalid("", "expected a duration (seconds, minutes, hours, days) or until, found neither");
  const total = given.reduce((sum, [unit, value]) => sum + (value ?? 0) * UNITS[unit as keyof typeof UNITS], 0);
  const pointer = `/${given[0]?.[0]}`;
  if (!(total > 0)) throw invalid(pointer, `expected a duration above zero, found ${total / SECOND} seconds`);
  if (total > LONGEST) throw invalid(pointer, `expected at most 7 days, found ${inWords(total)}`);
  return (waited) => total - waited;
}

const MOMENT =
  /^(?:(\d{4}-\d\d-\d\d)(?:[T ](?=\d)|$))?(?:(\d\d?):([0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Milliseconds since the epoch. A date alone means its first moment, a time alone means today; both are local without an offset. */
function parseMoment(text: string): number {
  const [whole, date, hour, minute = "00", seconds = ":00", offset = ""] = MOMENT.exec(text.trim()) ?? [];
  if (!whole || (offset !== "" && date === undefined)) {
    throw invalid("/until", `expected a moment such as 2026-11-30T14:05:00Z or 14:05, found ${JSON.stringify(text)}`);
  }
  const day = date ?? today();
  const zone = offset.toUpperCase().replace(/^(.\d\d):?(\d\d)$/, "$1:$2");
  const moment = new Date(`${day}T${(hour ?? "00").padStart(2, "0")}:${minute}${seconds}${zone}`);
  // Dates of JavaScript roll over (30 February is 1 March), and a local hour may not exist when the clocks change.
  const dayExists = new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(-2));
  const hourExists = zone !== "" || hour === undefined || moment.getHours() === Number(hour);
  if (Number.isNaN(moment.getTime()) || !dayExists || !hourExists) {
    throw invalid("/until", `expected a date and time that exist, found ${JSON.stringify(text)}`);
  }
  return moment.getTime();
}

function today(): string {
  const now = new Date();
  const two = (value: number) => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** The two largest units: `2 d 3 h`, `4 min 10 s`, `5 s`, `0.2 s`. */
function inWords(ms: number): string {
  if (ms < SECOND) return `${Math.ceil(ms / 100) / 10} s`;
  let rest = Math.round(ms / SECOND) * SECOND;
  const parts: string[] = [];
  for (const [name, size] of [
    ["d", DAY],
    ["h", HOUR],
    ["min", MINUTE],
    ["s", SECOND],
  ] as const) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

function invalid(pointer: string, message: string): ToolError {
  return new ToolError("INVALID_PARAM", message, {
    pointer,
    hint: 'Give a duration, for example {"minutes": 5}, or a moment to come, for example {"until": "18:30"}.',
  });
}
