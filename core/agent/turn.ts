import { HostError } from "../sdk/errors.ts";
import type { ToolResult } from "../sdk/result.ts";
import { ask } from "./ask.ts";
import { createUnusableReplies, MAX_UNUSABLE, watchCalls } from "./breakers.ts";
import type { ReplyWarning, ToolRequest } from "./extract.ts";
import { createLoopDetector } from "./loop-detector.ts";
import { createLoopPoints, type LoopPoints } from "./loop-points.ts";
import { prepareQuestion, readResult } from "./question.ts";
import type { Reply } from "./reply.ts";
import { endAtLimit } from "./summary.ts";
import type { TurnOptions, TurnOutcome } from "./turn-options.ts";
import { keepReply, say, type Turn, warn } from "./turn-state.ts";

/** How a turn ends. */
type End = Pick<TurnOutcome, "answer" | "stopped">;

/**
 * The message loop: ask the model, run what it asks for, give the results back, until a result breaks the loop, the
 * model answers in plain text (native protocol), somebody stops it, or a limit is reached. What a person says in
 * between is taken at the next checkpoint, and the loop goes on with it.
 *
 * @throws HostError MODEL_UNREACHABLE or MODEL_REFUSED when the model cannot be asked
 */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { control, hooks, agent, turnId, message } = options;
  const points = createLoopPoints(hooks, { agent, stopSignal: control.stopSignal });
  const turn: Turn = {
    options,
    points,
    calls: [],
    unusable: createUnusableReplies(),
    loops: createLoopDetector(),
    ids: new Set(),
    usage: {},
    replies: 0,
  };
  await say(turn, message, "message");
  await points.run("monologue_start", { turnId, message });
  try {
    const end = await loop(turn);
    if (!control.stopped) await points.run("monologue_end", { turnId, ...end });
    const { calls, usage, replies: turns } = turn;
    return { ...end, turns, calls, usage };
  } catch (error) {
    await points.run("monologue_end", { turnId, answer: "", stopped: "failed" });
    throw await formatted(points, error);
  }
}

async function loop(turn: Turn): Promise<End> {
  const { control, loopData, maxIterations } = turn.options;
  for (let rounds = 0; ; rounds++, loopData.iteration++) {
    // Somebody who speaks gives the agent its full number of rounds again.
    if (await listen(turn)) rounds = 0;
    if (control.stopped) return { answer: control.stopped.message, stopped: "aborted" };
    turn.options.onRound?.(maxIterations - rounds);
    const end = rounds < maxIterations ? await round(turn) : await endAtLimit(turn);
    // What was said in the last moment is not lost: the turn goes on with it.
    if (end && !control.pending) return end;
  }
}

/** Takes what people said since the last round. @returns whether they did */
async function listen(turn: Turn): Promise<boolean> {
  const { control, emit, turnId } = turn.options;
  const said = await control.take();
  for (const message of said) {
    emit({ type: "intervention", turnId, message });
    await say(turn, message, "intervention");
  }
  if (said.length === 0) return false;
  turn.unusable.reset();
  turn.loops.reset();
  return true;
}

async function round(turn: Turn): Promise<End | undefined> {
  const { control, loopData } = turn.options;
  await turn.points.run("message_loop_start", { loopData });
  try {
    return await converse(turn);
  } finally {
    if (!control.stopped) await turn.points.run("message_loop_end", { loopData });
  }
}

/** One question and what comes of it. @returns undefined where the loop goes on */
async function converse(turn: Turn): Promise<End | undefined> {
  const { options, points } = turn;
  const { model, loopData } = options;
  const { reply, extraction } = await ask(options, points, await prepareQuestion(turn));
  if (!extraction) {
    // What had come of it is kept, and tells the model where it was.
    if (reply.text !== "") await keepReply(turn, reply, { text: reply.text, calls: [], partial: true });
    if (reply.error !== undefined) throw reply.error;
    return undefined;
  }
  turn.replies++;
  loopData.lastResponse = reply.text;
  const { requests, answer, skip } = await readResult(turn, { reply, extraction });
  const isNative = model.protocol === "native";
  // Markup that was recovered is a call now; the model should not learn it from its own history.
  const text = isNative && requests.length > 0 && reply.calls.length === 0 ? "" : reply.text;
  await keepReply(turn, reply, { text, calls: isNative ? requests : [] });
  const [warning] = extraction.warnings;
  if (requests.length > 0) {
    if (warning) warn(turn, warning);
    return await run(turn, requests);
  }
  if (skip) return undefined;
  if (answer !== undefined) return { answer };
  return await refuse(turn, reply, warning ?? { code: "EMPTY", message: "Nothing of the reply was left to run." });
}

async function run(turn: Turn, requests: readonly ToolRequest[]): Promise<End | undefined> {
  const { options, calls, loops } = turn;
  const watch = watchCalls(loops, { reply: turn.replies, spoken: () => options.control.pending });
  const results = await options.run(requests, watch);
  for (const [index, { name, args }] of requests.entries()) {
    const result = results[index];
    if (result) calls.push({ name, args, status: result.status, durationMs: result.stats.durationMs });
  }
  for (const reason of watch.warnings) {
    warn(turn, { code: "LOOP", message: reason });
    if (watch.stop === undefined) await say(turn, await options.words("fw.msg_loop.md", { reason }), "warning");
  }
  if (watch.stop !== undefined) {
    return { answer: `The turn was ended: ${watch.stop}. ${ASK_AGAIN}`, stopped: "loop" };
  }
  const breaking = results.find((result) => result.breakLoop);
  if (breaking) return { answer: breaking.message };
  return countUnreadable(turn, requests, results);
}

/** A reply whose calls all have arguments that nobody can read is one that could not be used; their results say so. */
function countUnreadable(
  { unusable }: Turn,
  requests: readonly ToolRequest[],
  results: readonly ToolResult[],
): End | undefined {
  if (requests.some(({ invalid }) => invalid === undefined)) {
    unusable.reset();
    return undefined;
  }
  const written = requests.map(({ name, invalid }) => `${name} ${invalid}`).join("\n");
  if (!unusable.count(written).over) return undefined;
  return unusableEnd(results.at(-1)?.error?.message ?? "");
}

function unusableEnd(reason: string): End {
  const answer = `The turn was ended: ${MAX_UNUSABLE} replies of the model in a row could not be used. The last one: ${reason} ${ASK_AGAIN}`;
  return { answer, stopped: "unusable" };
}

/** Tells the model why its reply could not be used; the last of too many in a row ends the turn. */
async function refuse(turn: Turn, { text }: Reply, warning: ReplyWarning): Promise<End | undefined> {
  const { options, points, unusable } = turn;
  const { repeated, over } = unusable.count(text);
  const { message: reason } = await points.run("error_format", { message: warning.message });
  warn(turn, { code: repeated ? "REPEATED" : warning.code, message: reason });
  const file = repeated ? "fw.msg_repeat.md" : warning.code === "MISFORMAT" ? "fw.msg_misformat.md" : "fw.msg_empty.md";
  await say(turn, await options.words(file, { reason }), "warning");
  return over ? unusableEnd(reason) : undefined;
}

const ASK_AGAIN = "Ask again in other words, or choose another model with --model.";

/** What a person is told of what the model failed with, as extensions leave it. */
async function formatted(points: LoopPoints, error: unknown): Promise<unknown> {
  if (!(error instanceof HostError) || !points.has("error_format")) return error;
  const { message } = await points.run("error_format", { message: error.message });
  if (message === error.message) return error;
  const { code, kind, cause, provider } = error;
  return new HostError(code, message, { kind, cause, ...(provider ? { provider } : {}) });
}
