import { testTool } from "toolroom/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import Wait from "../../tools/wait.ts";
import { type RunOptions, runTool } from "../helpers/run-tool.ts";

const wait = (args: Record<string, string | number>, more: Partial<RunOptions> = {}) =>
  runTool(Wait, args, { id: "wait", ...more });

const two = (value: number) => String(value).padStart(2, "0");
const local = (date: Date) =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

testTool("../../tools/wait.ts", {
  args: { seconds: 0.01 },
  slow: { args: { days: 1 } },
  cases: [
    {
      name: "waits for a duration, and tells what is left",
      args: { seconds: 0.05 },
      expect: { status: "success", message: "Waited 0.1 s.", breakLoop: false },
      check({ data }, { progress }) {
        expect(data.waitedMs).toBeGreaterThanOrEqual(49);
        expect(progress()).toEqual(["Waiting, 0.1 s left."]);
      },
    },
  ],
});

describe("wait", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("adds units up", async () => {
    const { progress } = await wait({ days: 1, hours: 1, minutes: 30, seconds: 5 }, { signal: AbortSignal.abort() });
    expect(progress).toEqual(["Waiting, 1 d 1 h left."]);
  });

  test("waits until a moment, by the clock of the machine", async () => {
    const start = Date.now();
    const moment = new Date(start + 5000).toISOString();
    vi.useFakeTimers({ toFake: ["Date"], now: start + 4980 });
    const handleIntervention = async () => void vi.setSystemTime(start + 5000);
    const { result } = await wait({ until: moment }, { agent: { handleIntervention } });
    expect(result).toMatchObject({ status: "success", message: `Waited until ${moment}.`, data: { endedAt: moment } });
  });

  test.each([
    ["local date and time", () => local(new Date(Date.now() + 3_600_000))],
    ["with T", () => local(new Date(Date.now() + 3_600_000)).replace(" ", "T")],
    ["UTC", () => new Date(Date.now() + 3_600_000).toISOString()],
    ["an offset", () => new Date(Date.now() + 3_600_000 + 7_200_000).toISOString().replace("Z", "+02:00")],
  ])("understands %s", async (_, moment) => {
    const { progress } = await wait({ until: moment() }, { signal: AbortSignal.abort() });
    expect(progress[0]).toMatch(/^Waiting, (1 h|59 min \d+ s|60 min|1 h \d+ min) left\.$/);
  });

  test.each([
    ["nothing", {}, ""],
    ["both styles", { seconds: 1, until: "2030-01-01" }, "/until"],
    ["zero", { seconds: 0 }, "/seconds"],
    ["a negative number", { minutes: -1 }, "/minutes"],
    ["more than 7 days", { days: 8 }, "/days"],
    ["a past moment", { until: "2001-01-01 10:00" }, "/until"],
    ["a past moment with an offset", { until: "2001-01-01T10:00:00Z" }, "/until"],
    ["a moment far away", { until: "2999-01-01" }, "/until"],
    ["a date that does not exist", { until: "2030-02-30 10:00" }, "/until"],
    ["an hour that does not exist", { until: "2030-02-03 25:00" }, "/until"],
    ["an offset without a date", { until: "10:00Z" }, "/until"],
    ["words", { until: "tomorrow" }, "/until"],
    ["an empty text", { until: "" }, "/until"],
  ])("refuses %s", async (_, args, pointer) => {
    const { result, progress } = await wait(args as unknown as Record<string, string | number>);
    expect(result).toMatchObject({ status: "error", error: { code: "INVALID_PARAM", pointer } });
    expect(progress).toEqual([]);
  });

  test("looks for an intervention after each step, and ends with what it throws", async () => {
    const seen: (string | undefined)[] = [];
    const handleIntervention = async (progress?: string) => {
      seen.push(progress);
      throw new Error("the person has something to say");
    };
    const { result } = await wait({ seconds: 0.02 }, { agent: { handleIntervention } });
    expect(seen).toEqual(["Waiting, 0.1 s left."]);
    expect(result.message).toContain("the person has something to say");
  });

  test("its deadline is longer than its longest wait and fits a timer of Node", () => {
    expect(Wait.timeoutMs).toBeGreaterThan(7 * 24 * 3_600_000);
    expect(Wait.timeoutMs).toBeLessThan(2 ** 31);
  });
});
