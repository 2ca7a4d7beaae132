import type { Hooks } from "../hooks.ts";
import { frozenJson } from "../sdk/json.ts";
import type { PointMap, PointName } from "../sdk/points.ts";
import type { ToolAgent } from "../sdk/tool.ts";

/** The points of the message loop, run for one turn. */
export interface LoopPoints {
  has(point: PointName): boolean;
  /** @returns what the extensions left of the payload; at once, and as it is, where there are none */
  run<Point extends PointName>(
    point: Point,
    payload: PointMap[Point],
    signal?: AbortSignal,
  ): PointMap[Point] | Promise<PointMap[Point]>;
}

/** @param stopSignal ends extensions that run; a person who speaks does not, unless another signal is given */
export function createLoopPoints(
  hooks: Pick<Hooks, "has" | "run">,
  { agent, stopSignal }: { readonly agent: ToolAgent; readonly stopSignal: AbortSignal },
): LoopPoints {
  return {
    has: hooks.has,
    run(point, payload, signal = stopSignal) {
      if (!hooks.has(point)) return payload;
      const check = CHECKS[point] as ((left: typeof payload) => string | undefined) | undefined;
      const outcome = hooks.run(point, payload, { agent, signal, ...(check ? { check } : {}) });
      return Promise.resolve(outcome).then((left) => left.payload);
    },
  };
}

/** What an extension may leave in the fields that it can replace, in words where it is something else. */
const CHECKS: { readonly [Point in PointName]?: (left: PointMap[Point]) => string | undefined } = {
  reasoning_stream_chunk: ({ chunk }) => text("chunk", chunk),
  response_stream_chunk: ({ chunk }) => text("chunk", chunk),
  hist_add_before: ({ content }) => text("content", content),
  error_format: ({ message }) => text("message", message),
  message_loop_prompts_after: ({ system, messages, extras }) =>
    text("system", system) ??
    json("messages", messages, Array.isArray) ??
    json("extras", extras, (value) => !Array.isArray(value)),
  message_loop_result: ({ requests, answer, skip }) =>
    (answer === undefined ? undefined : text("answer", answer)) ??
    (typeof skip === "boolean" ? undefined : "skip must be true or false") ??
    json("requests", requests, (value) => Array.isArray(value) && value.every(isAsked)),
};

function text(field: string, value: unknown): string | undefined {
  return typeof value === "string" ? undefined : `${field} must be text, found ${typeof value}`;
}

function json(field: string, value: unknown, fits: (value: object) => boolean): string | undefined {
  const checked = frozenJson(value);
  if ("fault" in checked) return `${field}${checked.fault.path} must be JSON, found ${checked.fault.found}`;
  return typeof value === "object" && value !== null && fits(value)
    ? undefined
    : `${field} is not what the point takes`;
}

function isAsked(value: unknown): boolean {
  return typeof (value as { name?: unknown } | null)?.name === "string";
}
