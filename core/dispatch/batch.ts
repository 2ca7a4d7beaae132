import type { ToolError } from "../sdk/errors.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { DispatchEnvironment } from "./environment.ts";
import { type DispatchRequest, parseToolName } from "./request.ts";

/** So many calls run side by side. */
const MAX_PARALLEL = 4;

/** Who judges the calls of a reply as they come. */
export interface CallWatch {
  /** Asked just before a call begins. `refusal` is what it ends with instead of running; `ends`: nothing after it runs. */
  before(request: DispatchRequest): { readonly refusal: ToolError; readonly ends: boolean } | undefined;
  /** Told of each call that was not refused. */
  after(request: DispatchRequest, result: ToolResult): void;
}

/**
 * Runs `one` for the requests of a reply, in order; contiguous calls of tools that are safe to run side by side begin
 * together, at most four at a time.
 */
export async function runBatch(
  requests: readonly DispatchRequest[],
  env: DispatchEnvironment,
  one: (request: DispatchRequest, index: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < requests.length; ) {
    const to = await groupEnd(requests, from, env);
    await runGroup(requests, { from, to }, one);
    from = to;
  }
}

/** The place behind the calls that may begin together with the one at `from`. */
async function groupEnd(requests: readonly DispatchRequest[], from: number, env: DispatchEnvironment): Promise<number> {
  let to = from;
  // A call that stands alone is not looked at: it would cost, and nothing would come of it.
  if (from + 1 < requests.length) {
    while (to < requests.length && (await isSafe(requests[to] as DispatchRequest, env))) to++;
  }
  return Math.max(to, from + 1);
}

async function runGroup(
  requests: readonly DispatchRequest[],
  { from, to }: { readonly from: number; readonly to: number },
  one: (request: DispatchRequest, index: number) => Promise<void>,
): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    while (next < to) {
      const index = next++;
      await one(requests[index] as DispatchRequest, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, to - from) }, work));
}

/** What cannot be told is not safe; the call itself will say what is wrong. */
async function isSafe({ name }: DispatchRequest, { lease, halted, refusal }: DispatchEnvironment): Promise<boolean> {
  const parsed = parseToolName(name);
  if (!parsed || halted?.()) return false;
  try {
    const target = await lease.resolve(parsed.name);
    if (!target?.isParallel || refusal?.(target.id)) return false;
    return await target.isParallel();
  } catch {
    return false;
  }
}
