import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HostOptions } from "../../core/host/options.ts";
import type { Host } from "../../core/host.ts";
import type { ApprovalDecision, ApprovalRequest, Approver } from "../../core/sdk/approval.ts";
import type { HostEvent } from "../../core/sdk/events.ts";
import { call, text } from "../helpers/scripted-model.ts";
import { type Tree, toolSource } from "../helpers/tree.ts";
import { openAgency, resultsIn, start } from "./agency.ts";
import { openHouse } from "./house.ts";

/** Says what it is given; of medium risk, so it asks, and of high risk where it is given `boom`. */
const SAY = `import { Tool, z } from "toolroom";
const parameters = z.object({ words: z.string(), times: z.number().default(1) });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = ({ words }) => ({ level: words.includes("boom") ? "high" : "medium", reasons: ["it speaks"] });
  async execute({ words }) {
    return this.success("said " + words);
  }
}
`;
const FILES: Tree = { "usr/tools/say.ts": SAY, "usr/tools/other.ts": toolSource("other", 'static risk = "medium";') };
const settings = (profile: object): Tree => ({
  "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: profile } }),
});

/** An approver that gives these decisions, the last one again, and what it was asked. */
function approver(...decisions: readonly (ApprovalDecision | (() => unknown))[]) {
  const asked: ApprovalRequest[] = [];
  const decide: Approver = async (request) => {
    const decision = decisions[Math.min(asked.push(request), decisions.length) - 1] as ApprovalDecision;
    return typeof decision === "function" ? ((await (decision as () => unknown)()) as ApprovalDecision) : decision;
  };
  return { asked, approver: decide };
}

const YES: ApprovalDecision = { decision: "approve" };
const NO: ApprovalDecision = { decision: "deny" };
const never = (): Promise<unknown> => new Promise(() => {});

async function open(files: Tree = {}, options: HostOptions = {}) {
  const house = await openHouse({ ...FILES, ...files }, options);
  const events: HostEvent[] = [];
  house.host.onAny((event) => events.push(event));
  const told = () => events.flatMap((event) => (event.type === "approval_decided" ? [event.outcome] : []));
  return { ...house, events, told, say: (words: string, more = {}) => house.host.call("say", { words, ...more }) };
}

/** An agent that makes these calls, one a round, and ends. */
async function speaker(words: readonly string[], options: HostOptions = {}, files: Tree = {}) {
  const rounds = words.map((one, index) => [call("say", { words: one }, `c${index}`)]);
  const agency = await openAgency({ go: [...rounds, [text("done")]] }, { ...FILES, ...files }, options);
  const results = () => resultsIn(agency.asked("go").at(-1) ?? { messages: [] });
  return { ...agency, results };
}

describe("a call that asks", () => {
  it("is shown whole, with its risk and the rule that asks, and runs when it is approved", async () => {
    const { asked, approver: ask } = approver({ ...YES, by: "ann" });
    const { say, events } = await open({}, { approver: ask });
    expect(await say("hi")).toMatchObject({ status: "success", message: "said hi" });
    expect(asked).toEqual([
      {
        id: expect.any(String),
        turnId: expect.any(String),
        callId: expect.any(String),
        session: expect.any(String),
        face: "library",
        tool: "say",
        owner: "usr",
        args: { words: "hi", times: 1 },
        hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
        risk: { level: "medium", reasons: ["it speaks"] },
        rule: "level",
        setting: "level supervised of risk profile default (its default)",
        scopes: ["once", "pattern"],
        timeoutMs: 120_000,
        text: `The agent wants to call say (usr)
  words: hi
  times: 1
risk: medium (it speaks)
asked by: level supervised of risk profile default (its default)`,
      },
    ]);
    const names = events.map(({ type }) => type);
    expect(names).toEqual(["tool_start", "approval_requested", "approval_decided", "tool_end"]);
    expect(events[1]).toMatchObject({ id: asked[0]?.id, name: "say", hash: asked[0]?.hash });
    expect(events[2]).toMatchObject({ id: asked[0]?.id, outcome: "approved", scope: "once", approver: "ann" });
  });

  it("does not run without an approver, is not asked about twice, and each refusal has a code and a text of its own", async () => {
    const cases = [
      [{ ...NO, message: "too loud" }, "DENIED_BY_PERSON", "denied", "a person was asked and said no: too loud"],
      [never, "APPROVAL_EXPIRED", "expired", "did not answer within 0.02 s"],
      [{ ...YES, hash: "0".repeat(64) }, "APPROVAL_MISMATCH", "mismatch", "what was approved is another call"],
      [() => "yes", "NO_APPROVER", "no_approver", "expected a decision, found string"],
      [() => undefined, "NO_APPROVER", "no_approver", "expected a decision, found undefined"],
      [() => ({ decision: "maybe" }), "NO_APPROVER", "no_approver", 'the decision "approve"'],
      [{ ...YES, scope: "session" }, "NO_APPROVER", "no_approver", "expected a scope of once, pattern, found session"],
      [() => Promise.reject(new Error("no line")), "NO_APPROVER", "no_approver", "whoever was asked failed: no line"],
      [{ decision: "replace", message: "x".repeat(64 * 1024 + 1) }, "NO_APPROVER", "no_approver", "found 65537"],
      [{ decision: "replace", message: " \x07" }, "NO_APPROVER", "no_approver", "found none"],
    ] as const;
    const { asked, approver: ask } = approver(...cases.map(([decision]) => decision as ApprovalDecision));
    const { say, told } = await open(settings({ approval_timeout_ms: 20 }), { approver: ask });
    for (const [index, [, code, outcome, words]] of cases.entries()) {
      const { error, message } = await say("hi");
      expect([error?.code, error?.class, told()[index]]).toEqual([code, "policy", outcome]);
      expect(message).toContain(words);
      expect(asked).toHaveLength(index + 1);
    }
    const nobody = await open();
    expect((await nobody.say("hi")).message).toContain("there is nobody to ask");
    expect(nobody.told()).toEqual(["no_approver"]);
  });

  it("says how it can be allowed where nobody can be asked", async () => {
    const { say } = await open();
    const { error } = await say("hi");
    expect(error?.hint).toContain("`auto_approve: [say]` under risk_profiles.default in usr/settings.yaml");
    expect(error?.hint).toContain("`toolroom approvals`");
  });

  it("is not run when the approval comes too late, and the approver is told that nobody waits", async () => {
    let answer = (_: ApprovalDecision): void => {};
    let withdrawn = false;
    const late: Approver = (_, { signal }) => {
      signal.addEventListener("abort", () => {
        withdrawn = true;
      });
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const { say, told } = await open(settings({ approval_timeout_ms: 10 }), { approver: late });
    expect((await say("hi")).error?.code).toBe("APPROVAL_EXPIRED");
    answer(YES);
    await new Promise(setImmediate);
    expect([withdrawn, told()]).toEqual([true, ["expired"]]);
  });

  it("is not run when it is stopped in the moment of a yes", async () => {
    const stop = new AbortController();
    const ask: Approver = () => {
      stop.abort();
      return YES;
    };
    const { host, events } = await open({}, { approver: ask });
    const { error } = await host.call("say", { words: "hi" }, { signal: stop.signal });
    expect(error?.code).toBe("ABORTED");
    expect(events.flatMap((event) => (event.type === "tool_end" ? [event.status] : []))).toEqual(["error"]);
  });

  it("that is blocked is never asked about, and no approval makes it run", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "pattern", forMs: 60_000 });
    const { say } = await open({}, { approver: ask });
    expect((await say("hi")).status).toBe("success");
    expect((await say("hi again")).status).toBe("success");
    expect((await say("boom")).error?.code).toBe("DENIED_BY_POLICY");
    expect(asked).toHaveLength(1);
  });

  it("gives a person's text in place of the result, marked, without control characters, and the tool is not run", async () => {
    const { approver: ask } = approver({ decision: "replace", message: "do it\x1b[2J\r\nlater\u0000" });
    const { say, told, events } = await open({}, { approver: ask });
    const result = await say("hi");
    expect(result).toMatchObject({ status: "success", context: { replaced: true } });
    expect(result.message).toBe(
      "say was not run: a person was asked, and gave this text in place of its result.\ndo it[2J\nlater",
    );
    expect(result.receipt).toBeUndefined();
    expect(told()).toEqual(["replaced"]);
    expect(events.at(-1)).toMatchObject({ type: "tool_end", status: "success" });
    const longest = approver({ decision: "replace", message: "x".repeat(64 * 1024) });
    const other = await open({}, { approver: longest.approver });
    await other.say("hi");
    expect(other.told()).toEqual(["replaced"]);
  });

  it("is not run by an answer to another question: one of another call, another conversation, or one that was given before", async () => {
    const asked: ApprovalRequest[] = [];
    const ask: Approver = (request) => {
      const [first = request] = asked;
      asked.push(request);
      return { ...YES, question: first.id, hash: first.hash };
    };
    const { say, told } = await open({}, { approver: ask });
    for (const words of ["a", "a", "b"]) await say(words);
    expect(asked[0]?.hash).toBe(asked[1]?.hash);
    expect(told()).toEqual(["approved", "mismatch", "mismatch"]);
  });

  it("is entered in the ledger with who decided; only what ran has a receipt", async () => {
    const { approver: ask } = approver({ ...YES, by: "ann" }, NO, { decision: "replace", message: "by hand" }, never);
    const profile = { approval_timeout_ms: 20 };
    const files = {
      "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: profile }, receipts: { enabled: true } }),
    };
    const { say, host } = await open(files, { approver: ask });
    const receipts: boolean[] = [];
    for (const words of ["a", "b", "c", "d"]) receipts.push((await say(words)).receipt !== undefined);
    expect(receipts).toEqual([true, false, false, false]);
    const entries = (await host.receipts.list()).map(({ outcome, decision, approver: who }) => [
      outcome,
      decision,
      who,
    ]);
    expect(entries.toReversed()).toEqual([
      ["success", "ask", "ann"],
      ["denied", "ask", "library"],
      ["replaced", "ask", "library"],
      ["denied", "ask", null],
    ]);
  });

  it("cannot approve itself: an argument `approved` is refused like any unknown one", async () => {
    const { say } = await open();
    expect((await say("hi", { approved: true })).error?.code).toBe("INVALID_PARAM");
  });

  it("is shown with placeholders for secrets, and what a person reads is what runs", async () => {
    const { asked, approver: ask } = approver(YES);
    const { say } = await open({ "usr/secrets.env": "TOKEN=abcdefgh\n" }, { approver: ask });
    expect((await say("§§secret(TOKEN) abcdefgh")).message).toBe("said §§secret(TOKEN) §§secret(TOKEN)");
    expect(asked[0]?.text).toContain("words: §§secret(TOKEN) §§secret(TOKEN)");
    expect(JSON.stringify(asked)).not.toContain("abcdefgh");
  });

  it("runs with the arguments that were approved, whatever an extension tries meanwhile", async () => {
    const source = `import { Extension } from "toolroom";
export default class extends Extension<"tool_execute_before"> {
  async execute(payload) {
    const { args } = payload;
    setTimeout(() => { try { args.words = "changed"; } catch {} });
  }
}
`;
    const { asked, approver: ask } = approver(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return YES;
    });
    const { say } = await open({ "usr/extensions/tool_execute_before/_10_late.ts": source }, { approver: ask });
    expect((await say("hi")).message).toBe("said hi");
    expect(asked[0]?.args).toEqual({ words: "hi", times: 1 });
  });
});

describe("an approval", () => {
  it("for once is used up by its call", async () => {
    const { asked, approver: ask } = approver(YES);
    const { results, host } = await speaker(["a", "a"], { approver: ask });
    await host.run("go");
    expect(results()).toEqual(["said a", "said a"]);
    expect(asked).toHaveLength(2);
  });

  it("for the turn is one for exactly this call, and ends with the turn", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "turn" });
    const { results, host } = await speaker(["a", "a", "b"], { approver: ask });
    const agent = await host.agent();
    await agent.run("go");
    expect(results()).toEqual(["said a", "said a", "said b"]);
    expect(asked.map(({ args }) => args.words)).toEqual(["a", "b"]);
    expect(asked[0]?.scopes).toEqual(["once", "turn", "session", "pattern"]);
    expect(host.approvals.list()).toEqual([]);
  });

  it("for the turn is asked about again in the next one", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "turn" });
    const twice = [[call("say", { words: "a" }, "1")], [text("done")]];
    const { host } = await openAgency({ go: [...twice, ...twice] }, FILES, { approver: ask });
    const agent = await host.agent();
    await agent.run("go");
    await agent.run("on");
    expect(asked).toHaveLength(2);
  });

  it("of a turn, or of a conversation in memory, is listed as long as it holds, and ends when it is revoked", async () => {
    const seen: (readonly string[])[] = [];
    let host: Host | undefined;
    const scopes = ["turn", "session", "once", "once"] as const;
    const ask: Approver = ({ args }) => {
      const held = host?.approvals.list() ?? [];
      seen.push(held.map(({ scope, shown }) => `${scope} ${shown}`));
      if (args.words === "c") host?.approvals.revoke([held[1]?.id ?? ""]);
      return { ...YES, scope: scopes[seen.length - 1] ?? "once" };
    };
    const words = ["a", "b", "c", "a", "b"];
    const { host: made, results } = await speaker(words, { approver: ask });
    host = made;
    const agent = await made.agent();
    await agent.run("go");
    expect(results()).toEqual(words.map((one) => `said ${one}`));
    const [a, b] = ["a", "b"].map((one) => `{"words":"${one}","times":1}`);
    expect(seen).toEqual([[], [`turn ${a}`], [`turn ${a}`, `session ${b}`], [`turn ${a}`]]);
    expect(made.approvals.list()).toEqual([]);
  });

  it("of a session goes with it when it is deleted; others stay", async () => {
    const { approver: ask } = approver({ ...YES, scope: "session" });
    const { host } = await speaker(["a"], { approver: ask });
    const sessions: string[] = [];
    for (const _ of [1, 2]) {
      const agent = await host.agent({ session: "new" });
      await agent.run("go");
      agent.close();
      sessions.push(agent.id);
    }
    expect(host.approvals.list().map(({ session }) => session)).toEqual(sessions);
    await host.sessions.delete(sessions[0] ?? "");
    expect(host.approvals.list().map(({ session }) => session)).toEqual(sessions.slice(1));
  });

  it("for the session holds in later turns and when it goes on in another process, and nowhere else", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "session", by: "ann" });
    const parts = { go: [[call("say", { times: 2, words: "a" })], [text("done")]] };
    const first = await openAgency(parts, FILES, { approver: ask });
    const agent = await first.host.agent({ session: "new" });
    await agent.run("go");
    expect(first.host.approvals.list()).toEqual([
      {
        id: asked[0]?.id,
        scope: "session",
        tool: "say",
        session: agent.id,
        hash: asked[0]?.hash,
        risk: "medium",
        riskProfile: "default",
        face: "library",
        modules: expect.stringMatching(/^[0-9a-f]{64}$/u),
        shown: '{"words":"a","times":2}',
        by: "ann",
        given: expect.any(String),
      },
    ]);
    agent.close();
    const second = await first.again();
    const others = { session: agent.id };
    const again = await second.agent(others);
    first.model.requests.length = 0;
    await again.run("go");
    expect(asked).toHaveLength(1);
    await (await second.agent({ session: "new" })).run("go");
    expect(asked).toHaveLength(2);
    expect(second.approvals.revoke([asked[0]?.id ?? ""])).toEqual([asked[0]?.id]);
    expect(first.host.approvals.list()).toHaveLength(1);
    expect(statSync(join(first.root, "usr/approvals.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("of a pattern holds for its time, its arguments and its risk", async () => {
    const pattern = { ...YES, scope: "pattern", args: { words: "git *" }, forMs: 60_000 } as const;
    const { asked, approver: ask } = approver(pattern, NO);
    const { say, again, host } = await open(settings({ block_high_risk: false }), { approver: ask });
    expect((await say("git status")).status).toBe("success");
    expect((await say("git log")).status).toBe("success");
    expect((await say("git log; rm -rf .")).error?.code).toBe("DENIED_BY_PERSON");
    expect((await say("git boom")).error?.code).toBe("DENIED_BY_PERSON");
    expect((await say("ls")).error?.code).toBe("DENIED_BY_PERSON");
    expect(asked.map(({ args }) => args.words)).toEqual(["git status", "git log; rm -rf .", "git boom", "ls"]);
    // Another process of the root and the same face needs nobody to ask; another face does.
    const headless = await again({ approver: undefined as never });
    expect((await headless.call("say", { words: "git log" })).status).toBe("success");
    const mcp = await again({ approver: undefined as never, face: "mcp" });
    expect((await mcp.call("say", { words: "git log" })).error?.code).toBe("NO_APPROVER");
    host.approvals.revoke("all");
    expect((await headless.call("say", { words: "git log" })).error?.code).toBe("NO_APPROVER");
  });

  it("of a pattern that does not mean the call, or is for no time, is none", async () => {
    for (const more of [
      { args: { words: "ls*" }, forMs: 1000 },
      { args: { words: "*" }, forMs: 1e12 },
      { forMs: -1 },
      {},
      { args: {}, forMs: 1000 },
    ]) {
      const { approver: ask } = approver({ ...YES, scope: "pattern", ...more } as ApprovalDecision);
      const { say, host } = await open({}, { approver: ask });
      expect((await say("git status")).error?.code).toBe("NO_APPROVER");
      expect(host.approvals.list()).toEqual([]);
    }
  });

  it("of a pattern asks again when its time is over", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "pattern", forMs: 1 });
    const { say } = await open({}, { approver: ask });
    await say("a");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await say("a");
    expect(asked).toHaveLength(2);
  });

  it("of a bare name does not cover what `always_ask` means; one that names arguments covers a bare name there", async () => {
    const bare = approver({ ...YES, scope: "pattern", forMs: 60_000 }, YES);
    const always = { level: "full", always_ask: [{ say: { words: "rm *" } }] };
    const { say } = await open(settings({ ...always, always_ask: [...always.always_ask, "other"] }), bare);
    await say("rm -rf /");
    expect(bare.asked.at(-1)?.scopes).toEqual(["once"]);
    const supervised = approver({ ...YES, scope: "pattern", forMs: 60_000 }, YES);
    const other = await open(settings({ always_ask: [{ say: { words: "rm *" } }] }), supervised);
    for (const words of ["ls", "ls -l", "rm -rf /", "rm -rf /"]) await other.say(words);
    expect(supervised.asked.map(({ args }) => args.words)).toEqual(["ls", "rm -rf /", "rm -rf /"]);
    const exact = approver({ ...YES, scope: "pattern", args: { words: "ls*" }, forMs: 60_000 });
    const named = await open(settings({ always_ask: ["say"] }), exact);
    for (const words of ["ls", "ls -l"]) await named.say(words);
    expect(exact.asked).toHaveLength(1);
  });

  it("is for one version of the tool: when its module or a helper changes, a person is asked again", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "pattern", forMs: 60_000 });
    const source = `import { mark } from "../lib/mark.ts";\n${SAY.replace('"said "', "mark")}`;
    const files = { "usr/tools/say.ts": source, "usr/lib/mark.ts": 'export const mark = "said ";\n' };
    const { say, write, host } = await open(files, { approver: ask });
    await say("a");
    await say("a");
    expect(asked).toHaveLength(1);
    write({ "usr/lib/mark.ts": 'export const mark = "told ";\n' });
    await host.reload();
    expect((await say("a")).message).toBe("told a");
    expect(asked).toHaveLength(2);
    expect(asked[0]?.hash).not.toBe(asked[1]?.hash);
  });

  it("is bound to the arguments, in whatever order they come", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "turn" });
    const calls = [
      { words: "a", times: 2 },
      { times: 2, words: "a" },
      { words: "a", times: 3 },
    ];
    const rounds = calls.map((args, index) => [call("say", args, `c${index}`)]);
    const { host } = await openAgency({ go: [...rounds, [text("done")]] }, FILES, { approver: ask });
    await host.run("go");
    expect(asked.map(({ args }) => args)).toEqual([calls[0], calls[2]]);
  });

  it("that cannot be written down counts once, and a damaged file approves nothing", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "pattern", forMs: 60_000 });
    const { say, root, host } = await open({}, { approver: ask });
    await say("a");
    writeFileSync(join(root, "usr/approvals.jsonl"), "{half\n", { flag: "a" });
    await say("a");
    expect(asked).toHaveLength(2);
    expect(host.diagnostics()).toContainEqual(
      expect.objectContaining({ code: "APPROVALS_INVALID", file: "usr/approvals.jsonl", severity: "error" }),
    );
    expect(host.approvals.list()).toHaveLength(1);
    expect(() => host.approvals.revoke(["x"])).toThrow(expect.objectContaining({ code: "APPROVAL_UNKNOWN" }));
  });
});

describe("a denial", () => {
  it("stands for the rest of the turn: the identical call is not asked about again, another one is", async () => {
    const { asked, approver: ask } = approver(NO, YES);
    const { results, host } = await speaker(["a", "a", "b"], { approver: ask });
    const agent = await host.agent();
    await agent.run("go");
    expect(results()).toEqual([
      expect.stringContaining("a person was asked and said no"),
      expect.stringContaining("a person was asked and said no"),
      "said b",
    ]);
    expect(asked.map(({ args }) => args.words)).toEqual(["a", "b"]);
  });
});

describe("questions", () => {
  it("are put one after the other, and an answer may answer the next one", async () => {
    let now = 0;
    let most = 0;
    const asked: string[] = [];
    const ask: Approver = async ({ args }) => {
      asked.push(String(args.words));
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
      return args.words === "all" ? { ...YES, scope: "pattern", forMs: 60_000 } : YES;
    };
    const { say, host } = await open({}, { approver: ask });
    const all = [say("a"), say("b"), say("all"), say("c"), say("d")];
    await new Promise(setImmediate);
    expect(host.approvals.open().map(({ args }) => args.words)).toEqual(["a", "b", "all", "c", "d"]);
    expect((await Promise.all(all)).map(({ message }) => message)).toEqual(
      ["a", "b", "all", "c", "d"].map((words) => `said ${words}`),
    );
    expect([asked, most, host.approvals.open()]).toEqual([["a", "b", "all"], 1, []]);
  });

  it("are withdrawn when the turn is stopped, and the next one is put", async () => {
    let signal: AbortSignal | undefined;
    const ask: Approver = ({ args }, options) => {
      if (args.words !== "wait") return YES;
      signal = options.signal;
      return new Promise(() => {});
    };
    const { host, events } = await speaker(["wait"], { approver: ask });
    const agent = await host.agent();
    const turn = agent.run("go");
    while (!signal) await new Promise((resolve) => setTimeout(resolve, 2));
    agent.stop();
    expect(await turn).toMatchObject({ stopped: "aborted" });
    expect(events.find(({ type }) => type === "tool_end")).toMatchObject({ result: { error: { code: "STOPPED" } } });
    expect(signal.aborted).toBe(true);
    expect(events.find(({ type }) => type === "approval_decided")).toMatchObject({ outcome: "withdrawn" });
    expect((await host.call("say", { words: "hi" })).message).toBe("said hi");
  });

  it("are withdrawn when whoever called gives up, a person speaks, or the host is closed", async () => {
    let signal: AbortSignal | undefined;
    const ask: Approver = (_, options) => {
      signal = options.signal;
      return new Promise(() => {});
    };
    const asked = async (): Promise<void> => {
      while (!signal || signal.aborted) await new Promise((resolve) => setTimeout(resolve, 2));
    };
    const { host } = await speaker(["wait"], { approver: ask });
    const giving = new AbortController();
    const given = host.call("say", { words: "a" }, { signal: giving.signal });
    await asked();
    giving.abort();
    expect((await given).error?.code).toBe("ABORTED");
    const agent = await host.agent();
    const turn = agent.run("go");
    await asked();
    agent.intervene("never mind");
    expect(await turn).toMatchObject({ calls: [{ name: "say", status: "error" }] });
    const last = host.call("say", { words: "b" });
    await asked();
    await host.close();
    expect((await last).status).toBe("error");
    expect(signal?.aborted).toBe(true);
  });

  it("come before the call begins: who dies meanwhile leaves a call that did not run", async () => {
    let asking = false;
    const ask: Approver = () => {
      asking = true;
      return new Promise(() => {});
    };
    const { host } = await speaker(["wait"], { approver: ask });
    const agent = await host.agent({ session: "new" });
    const turn = agent.run("go");
    while (!asking) await new Promise((resolve) => setTimeout(resolve, 2));
    const { records } = await host.sessions.show(agent.id);
    expect(records.map(({ type }) => type)).toContain("assistant");
    expect(records.map(({ type }) => type)).not.toContain("call");
    agent.stop();
    await turn;
  });

  it("of a subordinate and of a background call go to the same approver, and name who asks", async () => {
    const { asked, approver: ask } = approver({ ...YES, scope: "session" });
    const parts = {
      go: [[call("call_subordinate", { message: "work" })], start([["say", { words: "later" }]]), [text("done")]].map(
        (step) => (Array.isArray(step) ? step : [step]),
      ),
      work: [[call("say", { words: "below" })], [call("say", { words: "below" }, "again")], [text("ready")]],
    };
    const { host } = await openAgency(parts, FILES, { approver: ask });
    const agent = await host.agent();
    await agent.run("go");
    while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    const [below, later] = asked;
    expect(below).toMatchObject({ agent: { id: "sub-1", depth: 1 }, session: agent.id, face: "library" });
    expect(below?.text).toMatch(/^The subordinate sub-1 \(profile default\) wants to call say/u);
    expect(later).toMatchObject({ job: "job-1", session: agent.id });
    expect(later?.text).toMatch(/^The agent, in the background call job-1, wants to call say/u);
    expect(asked).toHaveLength(2);
    agent.close();
  });

  it("wait for a person without the deadline of the superior's call", async () => {
    const ask: Approver = async () => {
      await new Promise((resolve) => setTimeout(resolve, 120));
      return YES;
    };
    const slow = `import { Tool } from "toolroom";
export default class extends Tool {
  static readonly risk = "low";
  static readonly timeoutMs = 100;
  async execute() {
    const { answer } = await this.agent.delegate({ message: "work" });
    return this.success(answer);
  }
}
`;
    const parts = {
      go: [[call("slow")], [text("done")]],
      work: [[call("say", { words: "below" })], [text("ready")]],
    };
    const { host, asked } = await openAgency(parts, { ...FILES, "usr/tools/slow.ts": slow }, { approver: ask });
    await host.run("go");
    expect(resultsIn(asked("go").at(-1) ?? { messages: [] })).toEqual(["ready"]);
  });
});
