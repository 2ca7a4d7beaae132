import { describe, expect, it } from "vitest";
import { type Control, createControl } from "../../core/agent/control.ts";
import { ToolError } from "../../core/sdk/errors.ts";
import { tool } from "../dispatch/workbench.ts";
import { asked, call, reasoning, type ScriptStep, text } from "../helpers/scripted-model.ts";
import { type TurnBench, type TurnBenchOptions, told, turnBench } from "./turn-bench.ts";

const open = () => createControl({ signal: new AbortController().signal });
/** Whether a promise is still pending when everything else had its turn. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const marker = {};
  const later = new Promise((resolve) => setTimeout(() => resolve(marker), 5));
  return (await Promise.race([promise, later])) === marker;
}

describe("a control", () => {
  it("costs nothing while nobody does anything", async () => {
    const control = open();
    expect(control.checkpoint()).toBeUndefined();
    expect(await control.take()).toEqual([]);
    expect([control.pending, control.paused, control.stopped, control.heldMs()]).toEqual([false, false, undefined, 0]);
  });

  it("gives up what runs when a person speaks, and begins anew when that is taken", async () => {
    const control = open();
    const { signal } = control;
    control.intervene("one");
    control.intervene("two");
    expect(signal.reason).toMatchObject({ code: "ABORTED" });
    expect(() => control.checkpoint()).toThrow(/a person spoke/);
    expect(control.stopSignal.aborted).toBe(false);
    expect(await control.take()).toEqual(["one", "two"]);
    expect([control.pending, control.signal.aborted, control.signal === signal]).toEqual([false, false, false]);
    expect(control.checkpoint()).toBeUndefined();
  });

  it("holds at checkpoints while it is paused", async () => {
    const control = open();
    control.pause();
    control.pause();
    const held = Promise.resolve(control.checkpoint());
    const taken = control.take();
    expect(await isPending(held)).toBe(true);
    expect(await isPending(taken)).toBe(true);
    expect(control.heldMs()).toBeGreaterThan(0);
    control.resume();
    await held;
    expect(await taken).toEqual([]);
    const total = control.heldMs();
    expect(await isPending(new Promise(() => {}))).toBe(true);
    expect(control.heldMs()).toBe(total);
  });

  it("goes on from a pause when a person speaks, or when it is stopped", async () => {
    for (const act of ["intervene", "stop"] as const) {
      const control = open();
      control.pause();
      const held = Promise.resolve(control.checkpoint());
      if (act === "stop") control.stop();
      else control.intervene("hey");
      await expect(held).rejects.toMatchObject({ code: act === "stop" ? "STOPPED" : "ABORTED" });
      expect(control.paused).toBe(false);
    }
  });

  it("is stopped by whoever began the turn, with his reason", async () => {
    const mine = new AbortController();
    const control = createControl({ signal: mine.signal });
    mine.abort(new ToolError("STOPPED", "the host was closed"));
    expect(control.stopped).toMatchObject({ code: "STOPPED", message: "the host was closed" });
    expect(control.signal.reason).toBe(control.stopped);
    expect(await control.take()).toEqual([]);
    control.stop();
    expect(control.stopped?.message).toBe("the host was closed");
  });

  it("gives back what nobody took", () => {
    const control = open();
    control.intervene("too late");
    expect(control.close()).toEqual(["too late"]);
  });
});

/** A bench whose replies do something to its turn while they come. */
function actingBench(options: (act: (does: (control: Control) => void) => ScriptStep) => TurnBenchOptions): TurnBench {
  const bench: TurnBench = turnBench(options((does) => () => does(bench.control)));
  return bench;
}

describe.each(["native", "json"] as const)("an intervention, by the protocol %s", (protocol) => {
  const say = protocol === "native" ? call : asked;
  const answer = tool(
    function () {
      return this.response({ message: "done", breakLoop: true });
    },
    { role: "answer" },
  );

  it("in the middle of a reply: what had come is kept as the model's, and the loop goes on with what was said", async () => {
    const bench = actingBench((act) => ({
      protocol,
      tools: { answer },
      replies: [
        [reasoning("hm"), text('{"tool_na'), act((control) => control.intervene("No, in German.")), text("me")],
        [say("answer")],
      ],
    }));
    expect(await bench.run("Say hello.")).toMatchObject({ answer: "done", turns: 1 });
    expect(told(bench.history).slice(0, 3)).toEqual([
      "user: Say hello.",
      'assistant: {"tool_na',
      "user: No, in German.",
    ]);
    expect(bench.history.items.map(({ kind }) => kind).slice(0, 3)).toEqual(["message", "assistant", "intervention"]);
    expect(bench.model.requests[1]?.messages).toHaveLength(3);
    expect(bench.events.filter(({ type }) => type === "intervention")).toMatchObject([{ message: "No, in German." }]);
  });

  it("before anything had come leaves nothing behind", async () => {
    const bench = actingBench((act) => ({
      protocol,
      tools: { answer },
      replies: [[act((control) => control.intervene("Wait."))], [say("answer")]],
    }));
    await bench.run();
    expect(told(bench.history).slice(0, 2)).toEqual(["user: go", "user: Wait."]);
  });

  it("while a tool runs: the call is recorded as interrupted with its progress, later ones as not begun", async () => {
    const ran: string[] = [];
    const slow = tool(async function (args: { n: number }) {
      ran.push(`slow ${args.n}`);
      void this.setProgress("half of it");
      setTimeout(() => bench.control.intervene("Never mind."), 0);
      await new Promise((_, reject) => this.signal.addEventListener("abort", () => reject(this.signal.reason)));
      throw new Error("not reached");
    });
    const calls = [say("slow", { n: 1 }), say("slow", { n: 2 })];
    const bench: TurnBench = turnBench({
      protocol,
      tools: { slow, answer },
      replies: [protocol === "native" ? calls : calls.slice(0, 1), [say("answer")]],
    });
    const outcome = await bench.run();
    expect(ran).toEqual(["slow 1"]);
    expect(outcome).toMatchObject({
      answer: "done",
      turns: 2,
      calls: [{ name: "slow", status: "error" }, ...(protocol === "native" ? [{ name: "slow" }] : []), {}],
    });
    const history = told(bench.history);
    expect(history[2]).toBe(
      "tool slow: ABORTED: a person spoke while this ran, so it was interrupted\nProgress until then: half of it",
    );
    if (protocol === "native")
      expect(history[3]).toBe("tool slow: ABORTED: slow was not run: it was interrupted before it began");
    expect(history.at(-3)).toBe("user: Never mind.");
  });

  it("at a checkpoint of the tool's own keeps what it hands in", async () => {
    const polite = tool(async function () {
      bench.control.intervene("Stop that.");
      await this.agent.handleIntervention("3 of 9 done");
      throw new Error("not reached");
    });
    const bench: TurnBench = turnBench({
      protocol,
      tools: { polite, answer },
      replies: [[say("polite")], [say("answer")]],
    });
    await bench.run();
    expect(told(bench.history)[2]).toBe(
      "tool polite: ABORTED: a person spoke while this ran, so it was interrupted\nProgress until then: 3 of 9 done",
    );
  });

  it("in the last moment of a turn is not lost: the turn goes on with it", async () => {
    const late = tool(
      function () {
        setTimeout(() => {}, 0);
        bench.control.intervene("One more thing.");
        return this.response({ message: "done", breakLoop: true });
      },
      { role: "answer" },
    );
    const bench: TurnBench = turnBench({
      protocol,
      tools: { late, answer },
      replies: [[say("late")], [say("answer")]],
    });
    expect(await bench.run()).toMatchObject({ answer: "done", turns: 2 });
    expect(told(bench.history)).toContain("user: One more thing.");
  });

  it("leaves what the turn shares as it is", async () => {
    const seen: unknown[] = [];
    const bench = actingBench((act) => ({
      protocol,
      tools: { answer },
      replies: [[act((control) => control.intervene("Hey."))], [say("answer")]],
      hooks: {
        message_loop_start: ({ loopData }) => {
          seen.push([loopData.iteration, [...loopData.extras]]);
          loopData.extras.set(`round ${loopData.iteration}`, true);
        },
      },
    }));
    await bench.run();
    expect(seen).toEqual([
      [0, []],
      [1, [["round 0", true]]],
    ]);
  });

  it("gives the agent all of its rounds again, and forgives what was repeated", async () => {
    const echo = tool(function () {
      return this.success("same");
    });
    const bench = actingBench((act) => ({
      protocol,
      tools: { echo, answer },
      turn: { maxIterations: 3 },
      replies: [
        ...[0, 1].map(() => [say("echo")]),
        [act((control) => control.intervene("Go on."))],
        ...[0, 1].map(() => [say("echo")]),
        [say("answer")],
      ],
    }));
    expect(await bench.run()).toMatchObject({ answer: "done" });
    expect(bench.warnings()).toEqual([]);
  });
});

describe("a pause", () => {
  it("holds a turn between pieces of a reply and at checkpoints of a tool, until it goes on", async () => {
    const seen: string[] = [];
    const slow = tool(async function () {
      bench.control.pause();
      await this.agent.handleIntervention();
      seen.push("tool went on");
      return this.success("ok");
    });
    const bench = actingBench((act) => ({
      tools: { slow },
      replies: [[act((control) => control.pause()), text("I "), text("look."), call("slow")], [text("Done.")]],
    }));
    const running = bench.run();
    const spoken = () => bench.events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("");
    expect(await isPending(running)).toBe(true);
    expect(spoken()).toBe("I ");
    bench.control.resume();
    expect(await isPending(running)).toBe(true);
    expect([spoken(), seen]).toEqual(["I look.", []]);
    bench.control.resume();
    expect(await running).toMatchObject({ answer: "Done." });
    expect(seen).toEqual(["tool went on"]);
  });
});

describe("a stop", () => {
  it("in the middle of a reply aborts the model's request, and keeps what had come", async () => {
    const bench = actingBench((act) => ({
      replies: [[text("Once upon"), act((control) => setTimeout(control.stop, 0)), "hang"]],
    }));
    expect(await bench.run()).toMatchObject({ stopped: "aborted", answer: "The turn was stopped.", turns: 0 });
    expect(told(bench.history)).toEqual(["user: go", "assistant: Once upon"]);
    expect(bench.model.requests[0]?.signal.reason).toMatchObject({ code: "STOPPED" });
  });

  it("does not wait for a model that ignores its signal", async () => {
    const bench = actingBench((act) => ({
      replies: [[text("x"), act((control) => setTimeout(control.stop, 0)), () => new Promise(() => {})]],
    }));
    expect(await bench.run()).toMatchObject({ stopped: "aborted" });
  });

  it("while tools run leaves a result for every call of the reply", async () => {
    const signals: AbortSignal[] = [];
    const deaf = tool(function () {
      signals.push(this.signal);
      setTimeout(bench.control.stop, 0);
      return new Promise(() => {});
    });
    const bench: TurnBench = turnBench({
      tools: { deaf },
      replies: [[text("I look."), call("deaf", {}, "a"), call("deaf", {}, "b")]],
    });
    expect(await bench.run()).toMatchObject({ stopped: "aborted", calls: [{ status: "error" }, { status: "error" }] });
    expect(signals.map(({ reason }) => reason.code)).toEqual(["STOPPED"]);
    expect(told(bench.history).slice(1)).toEqual([
      "assistant: I look. →deaf →deaf",
      "tool deaf: STOPPED: The turn was stopped.",
      "tool deaf: STOPPED: deaf was not run: The turn was stopped.",
    ]);
  });

  it("while it waits to ask again, or while it is paused, ends the waiting", async () => {
    const { HostError } = await import("../../core/sdk/errors.ts");
    const busy = new HostError("MODEL_REFUSED", "busy", { provider: { transient: true, retryAfterMs: 29_000 } });
    const waiting = turnBench({ replies: [[busy]] });
    const running = waiting.run();
    expect(await isPending(running)).toBe(true);
    waiting.control.stop();
    expect(await running).toMatchObject({ stopped: "aborted" });

    const paused = turnBench({ replies: [[text("x")]] });
    paused.control.pause();
    const held = paused.run();
    expect(await isPending(held)).toBe(true);
    paused.control.stop();
    expect(await held).toMatchObject({ stopped: "aborted", turns: 0 });
    expect(paused.model.requests).toEqual([]);
  });
});
