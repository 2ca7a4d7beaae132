import { describe, expect, it } from "vitest";
import { toolSource } from "../helpers/tree.ts";
import { pluginFiles } from "./house.ts";
import { program } from "./program.ts";
import { FILES, TOOL, watched } from "./watched.ts";

const seen = globalThis as { ticks?: string[]; release?: () => void; began?: () => void };

/** Answers when it is let go, with what it was made of. */
const waiting = (text: string): string =>
  toolSource(text).replace(
    "return",
    "await new Promise((resolve, reject) => { globalThis.release = resolve; globalThis.began?.(); this.signal.addEventListener('abort', () => reject(this.signal.reason)); });\n    return",
  );

const ticking = (text: string): string =>
  toolSource(text).replace(
    "return",
    `this.setInterval(() => globalThis.ticks.push(${JSON.stringify(text)}), 5);\n    return`,
  );

async function begun(work: () => Promise<unknown>): Promise<unknown> {
  const started = new Promise<void>((resolve) => {
    seen.began = resolve;
  });
  const running = work();
  await started;
  return { running };
}

describe("a call that runs while its tool is saved", () => {
  it("ends as it began, also where the file does not load any more; the next one has what is there now", async () => {
    const house = await watched({ ...FILES, [TOOL]: waiting("one") });
    for (const [text, is] of [
      [waiting("two"), "two"],
      ["export default", "two"],
      [waiting("three"), "three"],
    ] as const) {
      const before = house.receipts.length;
      const { running } = (await begun(async () => await house.greet())) as { running: Promise<string> };
      const release = seen.release as () => void;
      house.write({ [TOOL]: text });
      await house.until(() => house.receipts.length > before);
      const { running: next } = (await begun(async () => await house.greet())) as { running: Promise<string> };
      seen.release?.();
      expect(await next).toBe(is);
      release();
      expect(await running).toBe(before === 0 ? "one" : "two");
    }
  });

  it("is told to stop when it outlasts its generation for too long", async () => {
    const house = await watched({ ...FILES, [TOOL]: waiting("one") }, { internals: { drainMs: 30 } });
    const { running } = (await begun(async () => await house.host.call("greet", {}))) as { running: Promise<unknown> };
    house.write({ [TOOL]: toolSource("two") });
    expect(await running).toMatchObject({ error: { code: "STOPPED" }, context: { generation: 1 } });
    expect(await house.greet()).toBe("two");
  });
});

describe("the timers of a tool", () => {
  it("go on through reloads of other plugins, and end with a change of its own", async () => {
    seen.ticks = [];
    const house = await watched({ ...FILES, [TOOL]: ticking("one"), ...pluginFiles("other", "fine", "fine") });
    const ticks = seen.ticks;
    expect(await house.greet()).toBe("one");
    for (const text of ["a", "b", "c"]) {
      house.write({ "usr/plugins/other/tools/fine.ts": toolSource(text) });
      await house.answers("fine", text);
      ticks.length = 0;
      await house.until(() => ticks.length > 2);
    }
    house.write({ [TOOL]: ticking("two") });
    await house.greets("two");
    await house.until(() => ticks.includes("two"));
    ticks.length = 0;
    await house.until(() => ticks.length > 5);
    expect(new Set(ticks)).toEqual(new Set(["two"]));
  });
});

describe("a generation that is gone", () => {
  it("cannot end a guarded host by an error in its own timers and promises: it is blamed", async () => {
    const source = toolSource("one").replace(
      "return",
      `setTimeout(() => { throw new Error("late in a timer"); }, 300);
    setTimeout(() => void Promise.reject(new Error("late in a promise")), 300);\n    return`,
    );
    const { code, stderr, values } = await program({
      files: { ...FILES, [TOOL]: source },
      body: `
        const { writeFileSync } = await import("node:fs");
        const host = await createHost({ trust: true, watch: true, guard: true });
        const greet = async () => (await host.call("greet", {})).message;
        const until = async (is) => { while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 5)); };
        print(await greet());
        writeFileSync(${JSON.stringify(TOOL)}, ${JSON.stringify(toolSource("two"))});
        await until(async () => (await greet()) === "two");
        const late = () => host.diagnostics().filter(({ message }) => message.includes("late in a"));
        await until(() => late().length === 2);
        print(await greet());
        // Each call has left its own; when the host is closed, they are nobody's.
        await new Promise((resolve) => setTimeout(resolve, 500));
        print(late().map(({ code, message }) => code + " " + message).sort());
        await host.close();
      `,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(values).toEqual([
      "one",
      "two",
      [
        "STRAY_ERROR the tool greeter.greet threw outside of a call: late in a promise",
        "STRAY_ERROR the tool greeter.greet threw outside of a call: late in a timer",
      ],
    ]);
  });
});
