import { isObject } from "../dispatch/schema-rules.ts";
import { withoutFrame } from "../governance/untrusted-text.ts";
import type { HostEvent } from "../sdk/events.ts";
import type { ToolResult } from "../sdk/result.ts";
import { sameJson } from "./envelope.ts";
import { breach, shown } from "./failure.ts";
import type { CaseContext, Expectation, ToolCase } from "./options.ts";
import type { Subject } from "./subject.ts";

/**
 * Runs one case of an author.
 * @throws Error that tells every expectation that the result does not meet, and what `setup` and `check` throw
 */
export async function runCase(subject: Subject, { args = {}, files, ...rest }: ToolCase): Promise<void> {
  const { setup, check, method, signal, expect = { status: "success" } } = rest;
  subject.clear(files);
  const told = subject.events.length;
  const context: CaseContext = {
    workspace: subject.ground.workspace,
    host: subject.host,
    call: async (other) => await subject.call(other),
    progress: () => subject.events.slice(told).flatMap(progressOf),
  };
  await setup?.(context);
  const result = await subject.call(args, {
    ...(method === undefined ? {} : { method }),
    ...(signal === undefined ? {} : { signal }),
  });
  const unmet = unmetBy(result, expect);
  if (unmet.length > 0) {
    const found = unmet.map(([, value]) => value).join(" and ");
    throw breach({
      expected: unmet.map(([wanted]) => wanted).join(" and "),
      found: `${found}; the message is ${shown(withoutFrame(result.message))}`,
      todo: `The call was ${shown(args)}.`,
    });
  }
  await check?.(result, context);
}

/** What was expected and what was found instead, for each expectation that a result does not meet. */
function unmetBy(result: ToolResult, expected: Expectation): readonly (readonly [string, string])[] {
  const { code, pointer, message, data, additional, breakLoop } = expected;
  const status = expected.status ?? (code === undefined && pointer === undefined ? undefined : "error");
  const rows: readonly (readonly [ok: boolean, wanted: string, found: string])[] = [
    [status === undefined || result.status === status, `status ${status}`, `status ${result.status}`],
    [code === undefined || result.error?.code === code, `code ${code}`, `code ${result.error?.code ?? "of no error"}`],
    [
      pointer === undefined || result.error?.pointer === pointer,
      `pointer ${shown(pointer)}`,
      `pointer ${shown(result.error?.pointer)}`,
    ],
    [
      message === undefined || isMessage(withoutFrame(result.message), message),
      `message ${inWords(message)}`,
      "another message",
    ],
    [
      breakLoop === undefined || result.breakLoop === breakLoop,
      `breakLoop ${breakLoop}`,
      `breakLoop ${result.breakLoop}`,
    ],
    [data === undefined || isContained(data, result.data), `data ${shown(data)}`, `data ${shown(result.data)}`],
    [
      additional === undefined || isContained(additional, result.additional),
      `additional ${shown(additional)}`,
      `additional ${shown(result.additional)}`,
    ],
  ];
  return rows.flatMap(([ok, wanted, found]) => (ok ? [] : [[wanted, found] as const]));
}

function isMessage(message: string, expected: string | RegExp): boolean {
  return typeof expected === "string" ? message === expected : message.search(expected) >= 0;
}

function inWords(expected: string | RegExp | undefined): string {
  return expected instanceof RegExp ? `that matches ${expected}` : shown(expected);
}

/** Objects may hold more keys; lists and all other values are the same. */
function isContained(part: unknown, whole: unknown): boolean {
  if (!isObject(part) || !isObject(whole)) return sameJson(part, whole);
  return Object.entries(part).every(([key, value]) => Object.hasOwn(whole, key) && isContained(value, whole[key]));
}

function progressOf(event: HostEvent): readonly string[] {
  return event.type === "tool_progress" ? [event.text] : [];
}
