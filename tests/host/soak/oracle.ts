import { isDeepStrictEqual } from "node:util";

/** What the writer did and saw, step by step; times in ms of the system's clock. */
export interface Step {
  readonly what: string;
  readonly begin: number;
  readonly end: number;
  /** The files that are different after it, with their texts; null: gone. */
  readonly changed: Readonly<Record<string, string | null>>;
}

/** The tree after a step. */
export interface TreeState {
  readonly what: string;
  readonly begin: number;
  readonly end: number;
  readonly files: ReadonlyMap<string, string>;
}

/** One call of a tool and what came of it. */
export interface CallRecord {
  readonly tool: string;
  readonly start: number;
  readonly end: number;
  /** Of an error. */
  readonly code: string | undefined;
  readonly message: string;
}

/** The delays of the host's own process. */
export interface Lag {
  /** How long something was ready and did not run, in ms, between two times. */
  between(from: number, to: number): number;
}

/** So long after the last write what is served may be another text. */
const WINDOW_MS = 150;

type Component = number | "half";
type Parts = Readonly<Record<string, Component>>;

/** What one state of the tree makes of a call. */
type Outcome =
  | { readonly kind: "is"; readonly winner: string; readonly parts: Parts; readonly throws: boolean }
  | { readonly kind: "absent" }
  | { readonly kind: "broken"; readonly winner: string };

/** The states after each step, the first one first. */
export function statesOf(steps: readonly Step[]): readonly TreeState[] {
  let files: ReadonlyMap<string, string> = new Map();
  return steps.map(({ what, begin, end, changed }) => {
    const next = new Map(files);
    for (const [path, text] of Object.entries(changed)) {
      if (text === null) next.delete(path);
      else next.set(path, text);
    }
    files = next;
    return { what, begin, end, files };
  });
}

interface Marked {
  readonly stamp: Component;
  readonly how: "good" | "bad" | "throws" | "half";
}

function marked(text: string): Marked {
  const [, stamp, how] = /stamp (\d+) (good|bad|throws)/u.exec(text) ?? [];
  // The one text that is nothing but its mark is bad, and so is nothing at all.
  if (stamp === undefined) return { stamp: "half", how: text === "" ? "bad" : "half" };
  return { stamp: Number(stamp), how: how as Marked["how"] };
}

/** All that calls of a tool may come to in one state. Mostly one; more where what was before counts, too. */
function outcomesOf({ files }: TreeState, tool: string): readonly Outcome[] {
  const plugin = `usr/plugins/p${tool.slice(1)}`;
  const [own, shadow] = [`${plugin}/tools/${tool}.ts`, `usr/tools/${tool}.ts`];
  const manifest = files.get(`${plugin}/plugin.yaml`);
  const on = manifest !== undefined && !files.has(`${plugin}/.toggle-0`);
  // A manifest that cannot be used switches its plugin off, unless it could be used before.
  const switches = on && marked(manifest).how !== "good" ? [true, false] : [on];
  return switches.flatMap((isOn): readonly Outcome[] => {
    if (!files.has(shadow) && !(isOn && files.has(own))) return [{ kind: "absent" }];
    const outcome = files.has(shadow)
      ? outcomeOf(shadow, { tool: marked(files.get(shadow) ?? "") })
      : outcomeOf(own, pluginParts(files, tool));
    return isOn && tool === "t2" ? conditional(files, outcome) : [outcome];
  });
}

const CONDITIONAL = "usr/plugins/p2/prompts/agent.system.tool.t2.md";
const SETTINGS = "usr/settings.yaml";

function asksForSetting({ files }: TreeState): boolean {
  return files.has(CONDITIONAL);
}

function lacksSetting({ files }: TreeState): boolean {
  return !/on: true/u.test(files.get(SETTINGS) ?? "");
}

/** Its fragment asks for a setting; where one of the two cannot be used, what it said before counts. */
function conditional(files: TreeState["files"], own: Outcome): readonly Outcome[] {
  const fragment = files.get(CONDITIONAL);
  const settings = files.get(SETTINGS);
  const usable = [fragment, settings].every((text) => text === undefined || marked(text).how === "good");
  if (!usable) return [own, { kind: "absent" }];
  if (fragment === undefined) return [own];
  return settings !== undefined && /on: true/u.test(settings) ? [own] : [{ kind: "absent" }];
}

/** What its plugin's tool is made of. */
function pluginParts(
  files: TreeState["files"],
  tool: string,
): Record<"tool" | "helper" | "deep" | "json" | "cjs", Marked> {
  const text = (path: string): Marked => marked(files.get(`usr/plugins/p${tool.slice(1)}/${path}`) ?? "");
  return {
    tool: text(`tools/${tool}.ts`),
    helper: text("lib/helper.ts"),
    deep: text("lib/deep/deep.mjs"),
    json: text("data.json"),
    cjs: text("lib/common.cjs"),
  };
}

/** Whatever wins: of the plugin, and of what shadows it. */
function partsIn(files: TreeState["files"], tool: string): (Record<string, Marked> & { readonly tool: Marked })[] {
  return [pluginParts(files, tool), { tool: marked(files.get(`usr/tools/${tool}.ts`) ?? "") }];
}

function outcomeOf(winner: string, parts: Readonly<Record<string, Marked>>): Outcome {
  const hows = Object.values(parts).map(({ how }) => how);
  if (hows.includes("bad")) return { kind: "broken", winner };
  const stamps = Object.fromEntries(Object.entries(parts).map(([name, { stamp }]) => [name, stamp]));
  return { kind: "is", winner, parts: stamps, throws: parts.tool?.how === "throws" };
}

/** What a soak found. */
export interface Verdict {
  /** Calls that no state of the tree explains. */
  readonly faults: readonly string[];
  readonly calls: number;
  /** How many of them had to be of the last text, and of nothing else. */
  readonly strict: number;
}

/** Holds each call against the states of the tree. */
export function judge(calls: readonly CallRecord[], states: readonly TreeState[], lag: Lag): Verdict {
  const history = createHistory(states, lag);
  const faults: string[] = [];
  let strict = 0;
  for (const call of calls) {
    const span = history.spanOf(call);
    if (span.settled) strict++;
    if (!(span.settled ? history.isOfLastText(call, span) : history.isOfUsableTexts(call, span))) {
      faults.push(history.describe(call, span));
    }
  }
  return { faults, calls: calls.length, strict };
}

/** The states that a call may have been served from; `settled`: it is one, and it stood for long enough. */
interface Span {
  readonly first: number;
  readonly last: number;
  readonly settled: boolean;
}

function createHistory(states: readonly TreeState[], lag: Lag) {
  const memo = new Map<string, readonly Outcome[]>();
  const outcomesAt = (at: number, tool: string): readonly Outcome[] => {
    const key = `${at} ${tool}`;
    const known = memo.get(key) ?? outcomesOf(states[at] as TreeState, tool);
    memo.set(key, known);
    return known;
  };
  const nextBegin = (at: number): number => states[at + 1]?.begin ?? Number.POSITIVE_INFINITY;
  /** From when on nothing but the state counts: what the process was kept from until then is added. */
  const settledFrom = states.map(({ end }) => {
    let from = end + WINDOW_MS;
    for (let round = 0; round < 3; round++) from = end + WINDOW_MS + lag.between(end, from);
    return from;
  });
  const isSettled = (at: number): boolean => (settledFrom[at] as number) < nextBegin(at);

  /**
   * Where a winner is broken, what could be used before serves, back to a state that stood for long enough. Where it was
   * not there for a moment, nothing need have been seen that could be used.
   */
  const lastGood = (at: number, tool: string, winner: string): { from: number; mayFail: boolean } => {
    let mayFail = false;
    for (let earlier = at - 1; earlier >= 0; earlier--) {
      const found = outcomesAt(earlier, tool);
      mayFail ||= found.some((outcome) => outcome.kind === "absent" || outcome.winner !== winner);
      if (!isSettled(earlier)) continue;
      if (found.every(({ kind }) => kind === "is")) return { from: earlier, mayFail };
      if (found.every(({ kind }) => kind === "absent")) return { from: earlier, mayFail: true };
    }
    return { from: 0, mayFail: true };
  };

  /** What there is to say of the broken states of a span. */
  const lastGoodIn = ({ first, last }: Span, tool: string): { from: number; mayFail: boolean } => {
    let from = first;
    let mayFail = false;
    for (let at = first; at <= last; at++) {
      for (const outcome of outcomesAt(at, tool)) {
        if (outcome.kind !== "broken") continue;
        const before = lastGood(at, tool, outcome.winner);
        from = Math.min(from, before.from);
        mayFail ||= before.mayFail;
      }
    }
    return { from, mayFail };
  };

  const isOfUsableTexts = ({ tool, code, message }: CallRecord, span: Span): boolean => {
    const { first, last } = span;
    const { from, mayFail } = lastGoodIn(span, tool);
    const within = (least: number) => states.slice(least, last + 1);
    if (code === "UNKNOWN_TOOL") {
      const isAbsent = within(first).some((_, at) =>
        outcomesAt(first + at, tool).some(({ kind }) => kind === "absent"),
      );
      // A look in the middle may have come upon the fragment of one state and the settings of another.
      return isAbsent || (tool === "t2" && within(first).some(asksForSetting) && within(first).some(lacksSetting));
    }
    if (code === "TOOL_LOAD_FAILED") return mayFail || isOfWhatIsGone(message, within(first));
    const own = within(from).flatMap(({ files }) => partsIn(files, tool));
    if (code !== undefined) {
      return (
        code === "EXECUTION_ERROR" &&
        own.some(({ tool: { how, stamp } }) => how === "throws" && message.includes(`own ${stamp}`))
      );
    }
    return Object.entries(JSON.parse(message) as Parts).every(([name, stamp]) =>
      own.some((parts) => parts[name]?.how === "half" || (parts[name]?.how === "good" && parts[name]?.stamp === stamp)),
    );
  };

  return {
    spanOf({ start, end }: CallRecord): Span {
      let first = states.length - 1;
      while (first > 0 && !(isSettled(first) && (settledFrom[first] as number) < start)) first--;
      let last = first;
      while (nextBegin(last) < end) last++;
      return { first, last, settled: first === last };
    },
    isOfUsableTexts,
    isOfLastText(call: CallRecord, span: Span): boolean {
      const outcomes = outcomesAt(span.first, call.tool);
      // Where it is broken, what served before goes on, which may be a mixture that stood for a moment.
      if (outcomes.some(({ kind }) => kind === "broken")) return isOfUsableTexts(call, span);
      return outcomes.some((outcome) => isExactly(call, outcome));
    },
    describe({ tool, code, message, start }: CallRecord, { first, last, settled }: Span): string {
      const since = Math.round(start - (states[last]?.end ?? 0));
      const at = Math.round(start);
      const steps = states.slice(first, last + 1).map(({ what }) => what);
      const before = JSON.stringify(outcomesAt(first, tool));
      return `${tool} gave ${code ?? ""} ${message} at ${at}, begun ${since} ms after the last of ${settled ? "settled" : ""} ${steps.join(" / ")} (${first} to ${last}); the first state: ${before}, the last: ${JSON.stringify(outcomesAt(last, tool))}`;
    },
  };
}

/** What goes after it was found and before anything of it was read cannot be had any more. */
function isOfWhatIsGone(message: string, states: readonly TreeState[]): boolean {
  const [, module = ""] = /did not load \(([^):]+)\): .*(?:found nothing|was not found)$/mu.exec(message) ?? [];
  return module !== "" && states.some(({ files }) => !files.has(module));
}

function isExactly({ code, message }: CallRecord, outcome: Outcome): boolean {
  if (outcome.kind !== "is") return outcome.kind === "absent" && code === "UNKNOWN_TOOL";
  if (outcome.throws) return code === "EXECUTION_ERROR" && message.includes(`own ${outcome.parts.tool}`);
  return code === undefined && isDeepStrictEqual(JSON.parse(message), outcome.parts);
}
