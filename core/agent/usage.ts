import type { Usage } from "../sdk/events.ts";

/** The sum of two usages; a field that neither provider gave stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = (x: number | undefined, y: number | undefined) =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  const inputTokens = sum(a.inputTokens, b.inputTokens);
  const outputTokens = sum(a.outputTokens, b.outputTokens);
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

/** What was used between two counts of the same. */
export function usageSince(before: Usage, after: Usage): Usage {
  const { inputTokens = 0, outputTokens = 0 } = before;
  return addUsage(after, {
    ...(after.inputTokens === undefined ? {} : { inputTokens: -inputTokens }),
    ...(after.outputTokens === undefined ? {} : { outputTokens: -outputTokens }),
  });
}

/** Whether there is anything in it. */
export function isUsed({ inputTokens = 0, outputTokens = 0 }: Usage): boolean {
  return inputTokens + outputTokens > 0;
}
