import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, type ScriptStep, scriptedModel, text } from "../helpers/scripted-model.ts";
import { type Tree, toolSource } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";

const START = Date.UTC(2026, 10, 29, 12);
const DAY = 86_400_000;
const ID = "test/scripted";
/** The scripted model says that it read 10 tokens and wrote 5: a question costs 1. */
const PRICES = { [ID]: { input: 50_000, output: 100_000 } };
const settings = (profile: object, prices: object = PRICES, more: object = {}): Tree => ({
  "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: profile, ...more }, models: { prices } }),
});
const TOOLS: Tree = { "usr/tools/one.ts": toolSource("1") };

/** A host whose clock is set by hand, with a model that says `replies`, and what it was warned of. */
async function houseAt(files: Tree, replies: readonly (readonly ScriptStep[])[] = [[text("hello")]]) {
  const clock = { at: START };
  const model = scriptedModel(replies);
  const house = await openHouse({ ...TOOLS, ...files }, { model, internals: { now: () => clock.at } });
  const warnings: string[] = [];
  house.host.on("warning", ({ code, message }) => warnings.push(`${code} ${message}`));
  const ask = async () =>
    await house.host.run("go").then(
      ({ answer }) => answer,
      (error: Error) => error.message,
    );
  return { ...house, clock, model, warnings, ask };
}

describe("a limit of costs", () => {
  it("of a day is kept before each question, and the refusal names what is spent, limit, period, setting and end", async () => {
    const { clock, model, ask } = await houseAt(settings({ max_cost_per_day: 2 }));
    expect([await ask(), await ask()]).toEqual(["hello", "hello"]);
    expect(await ask()).toBe(
      "COST_LIMIT: test/scripted was not asked: 2 of 2 for the day are spent on models, by max_cost_per_day of risk profile default (usr/settings.yaml); the day is over at 2026-11-30 00:00:00 UTC, in 43200 s. A person who wants more raises it, or sets it to unlimited.",
    );
    expect(model.requests).toHaveLength(2);
    clock.at += DAY;
    expect(await ask()).toBe("hello");
  });

  it("of a month goes over its days", async () => {
    const { clock, ask } = await houseAt(settings({ max_cost_per_month: 2, max_cost_per_day: 9 }));
    await ask();
    clock.at += DAY;
    await ask();
    expect(await ask()).toContain("2 of 2 for the month are spent on models, by max_cost_per_month");
    clock.at += DAY;
    expect(await ask()).toBe("hello");
  });

  it("is kept before each call, too, but for the answer", async () => {
    const { host, ask } = await houseAt(settings({ max_cost_per_day: 1 }), [[call("one", {})], [text("done")]]);
    expect((await host.call("one", {})).status).toBe("success");
    expect(await ask()).toContain("COST_LIMIT");
    const { error, data } = await host.call("one", {});
    expect(error).toMatchObject({ code: "RATE_LIMITED", message: expect.stringContaining("one was not run: 1 of 1") });
    expect(data).toEqual({
      spent: 1,
      limit: 1,
      left: 0,
      period: "day",
      retryAt: "2026-11-30T00:00:00.000Z",
      retryAfterMs: 43_200_000,
    });
    expect((await host.call("response", { text: "so far" })).message).toBe("so far");
  });

  it("of 0 lets nothing be spent, and keeps nobody from what costs nothing", async () => {
    const { host, ask, again } = await houseAt(settings({ max_cost_per_day: 0 }));
    expect(await ask()).toContain("0 of 0 for the day");
    expect((await host.call("one", {})).status).toBe("success");
    const offline = await again({ model: "offline" });
    expect((await offline.run("/tool one")).calls[0]).toMatchObject({ name: "one", status: "success" });
  });

  it("adds up over hosts, and is still there after a restart", async () => {
    const { host, ask, again, clock } = await houseAt(settings({ max_cost_per_day: 2 }));
    const other = await again({ model: scriptedModel([[text("other")]]) });
    await other.run("go");
    expect(await ask()).toBe("hello");
    await expect(other.run("go")).rejects.toThrow("2 of 2 for the day");
    await host.close();
    const later = await again();
    await expect(later.run("go")).rejects.toThrow("COST_LIMIT");
    expect((await later.status()).spent).toEqual({ day: 2, month: 2 });
    expect(clock.at).toBe(START);
  });

  it("of a subordinate is never wider than its superior's, and may be narrower", async () => {
    const files = (wide: number, narrow: number) => ({
      ...settings({ max_cost_per_day: wide, auto_approve: ["call_subordinate"] }, PRICES, {
        worker: { max_cost_per_day: narrow },
      }),
      "usr/agents/worker/agent.yaml": "title: Worker\nrisk_profile: worker\n",
    });
    const told = async (wide: number, narrow: number) => {
      const ask = [call("call_subordinate", { message: "sub", profile: "worker" })];
      const { host, model } = await houseAt(files(wide, narrow), [ask, [text("sub done")], [text("done")]]);
      const said = await host.run("go").then(
        () => model.requests.at(-1)?.messages.find(({ role }) => role === "tool")?.content,
        (error: Error) => error.message,
      );
      return /max_cost_per_day of risk profile \w+|sub done/u.exec(said ?? "")?.[0];
    };
    expect(await told(9, 9)).toBe("sub done");
    expect(await told(9, 1)).toBe("max_cost_per_day of risk profile worker");
    expect(await told(1, 9)).toBe("max_cost_per_day of risk profile default");
  });

  it("is kept where it cannot be known what was spent", async () => {
    const { root, host, model, ask } = await houseAt(settings({ max_cost_per_day: 5 }));
    mkdirSync(join(root, "usr/spending/2026-11.jsonl"), { recursive: true });
    expect(await ask()).toMatch(/what was spent on models cannot be read \(EISDIR.*max_cost_per_day/u);
    expect((await host.call("one", {})).error).toMatchObject({ code: "RATE_LIMITED", retryable: false });
    expect((await host.status()).spent).toBeNull();
    expect(model.requests).toHaveLength(0);
  });

  it("has old turns summarised by rule where the model may not be asked", async () => {
    const { host, model, ask } = await houseAt(settings({ max_cost_per_day: 3 }));
    const agent = await host.agent();
    for (let turn = 0; turn < 3; turn++) await agent.run(`turn ${turn}`);
    expect(await ask()).toContain("COST_LIMIT");
    expect(await agent.compact()).toMatchObject({ by: "rule" });
    expect(model.requests).toHaveLength(3);
  });
});

describe("a warning of costs", () => {
  it("comes once from a share of a limit on, by default four fifths", async () => {
    const { warnings, ask } = await houseAt(settings({ max_cost_per_day: 5 }));
    for (let time = 0; time < 3; time++) await ask();
    expect(warnings).toEqual([]);
    await ask();
    expect(warnings).toEqual([
      "COST_WARNING 4 of 5 for the day are spent on models (max_cost_per_day of risk profile default (usr/settings.yaml); it is warned from 80 % on)",
    ]);
    await ask();
    expect(warnings).toHaveLength(1);
  });

  it("comes when the setting says, for each limit, and again in the next period", async () => {
    const { warnings, clock, ask } = await houseAt(
      settings({ max_cost_per_day: 4, max_cost_per_month: 10, cost_warning_percent: 25 }),
    );
    await ask();
    expect(warnings.map((said) => said.slice(0, 35))).toEqual(["COST_WARNING 1 of 4 for the day are"]);
    clock.at += DAY;
    await ask();
    await ask();
    expect(warnings.slice(1).map((said) => said.slice(0, 38))).toEqual([
      "COST_WARNING 1 of 4 for the day are sp",
      "COST_WARNING 3 of 10 for the month are",
    ]);
  });

  it("comes once for a model whose price is not known, where a cost is limited; it is counted as nothing", async () => {
    const limited = await houseAt(settings({ max_cost_per_day: 5 }, { "other/*": { input: 1, output: 1 } }));
    await limited.ask();
    expect(await limited.ask()).toBe("hello");
    expect(limited.warnings).toEqual([
      "PRICE_UNKNOWN what test/scripted costs is not known, so it is not counted against the limits: set models.prices",
    ]);
    expect((await limited.host.status()).spent).toEqual({ day: 0, month: 0 });
    const free = await houseAt(settings({}, {}));
    await free.ask();
    expect(free.warnings).toEqual([]);
  });
});

describe("unknown_price: block", () => {
  it("asks no model whose price is not known, and says what to set; a pattern makes it known", async () => {
    const { model, ask, write, host } = await houseAt(settings({ unknown_price: "block" }, {}));
    expect(await ask()).toBe(
      'PRICE_UNKNOWN: test/scripted was not asked: what it costs is not known, and unknown_price of risk profile default (usr/settings.yaml) is block. Add "test/scripted" to models.prices in usr/settings.yaml, as { input: …, output: … } for a million tokens.',
    );
    expect(model.requests).toHaveLength(0);
    write(settings({ unknown_price: "block", max_cost_per_day: 1 }, { "test/*": { input: 0, output: 0 } }));
    await host.reload();
    expect([await ask(), await ask()]).toEqual(["hello", "hello"]);
    expect((await host.run("/tool one", {})).answer).toBe("hello");
  });
});

describe("what a question costs", () => {
  it("is estimated where the reply was given up", async () => {
    const stop = new AbortController();
    const { host } = await houseAt(settings({}), [[text("a beginning"), () => stop.abort(), "hang"]]);
    await host.run("go", { signal: stop.signal });
    const { spent } = await host.status();
    expect(spent?.day).toBeGreaterThan(0);
  });

  it("is not charged where nothing came", async () => {
    const { host } = await houseAt(settings({}), [[new Error("no network")]]);
    await expect(host.run("go")).rejects.toThrow();
    expect((await host.status()).spent).toEqual({ day: 0, month: 0 });
  });
});
