import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutReceiptLine } from "../../core/governance/receipt-id.ts";
import type { HostEvent } from "../../core/sdk/events.ts";
import { runMain } from "../helpers/main.ts";
import { call, type ScriptedModel, type ScriptStep, scriptedModel, text } from "../helpers/scripted-model.ts";
import { type Tree, toolSource } from "../helpers/tree.ts";
import type { WireScript } from "../helpers/wire-server.ts";
import { openAgency, start } from "./agency.ts";
import { bothWays } from "./both-ways.ts";
import { type HouseOptions, openHouse } from "./house.ts";
import { program } from "./program.ts";

const SETTINGS = { "usr/settings.yaml": "receipts: {enabled: true}\n" };
const TOOLS = { "usr/tools/demo.ts": toolSource("done"), "usr/tools/other_tool.ts": toolSource("else") };
const FILES: Tree = { ...SETTINGS, ...TOOLS };
const MADE_UP = `rcpt_${"a".repeat(26)}`;

const sha256 = (words: string) => createHash("sha256").update(words).digest("hex");
const house = (options: HouseOptions = {}, files: Tree = FILES) => openHouse(files, options);
/** The receipt in what a model was last told. */
const receiptIn = (model: ScriptedModel) =>
  /rcpt_[a-z2-7]{26}/u.exec(model.requests.at(-1)?.messages.at(-1)?.content ?? "")?.[0];

describe("receipts", () => {
  it("are off where nothing says otherwise: no entry, no key, no line", async () => {
    const { host, root } = await openHouse(TOOLS);
    expect(await host.call("demo", {})).toMatchObject({ message: "done" });
    await host.close();
    expect(existsSync(join(root, "usr/ledger"))).toBe(false);
  });

  it("follow the setting while the host runs", async () => {
    const { host, write } = await openHouse(TOOLS);
    expect(await host.call("demo", {})).not.toHaveProperty("receipt");
    write(SETTINGS);
    await host.reload();
    expect(await host.call("demo", {})).toHaveProperty("receipt");
  });

  it("of calls without an agent are found, listed, verified and exported", async () => {
    const { host, root } = await house();
    const { receipt = "", message } = await host.call("demo", { a: 1 });
    const failed = await host.call("nothing", {});
    expect(failed).not.toHaveProperty("receipt");
    expect(await host.receipts.show(receipt)).toMatchObject({
      id: receipt,
      tool: "demo",
      owner: "usr",
      face: "library",
      agent: null,
      args: sha256('{"a":1}'),
      result: sha256(withoutReceiptLine(message, receipt)),
      outcome: "success",
      generation: 1,
    });
    expect((await host.receipts.list()).map(({ outcome }) => outcome)).toEqual(["unknown", "success"]);
    expect(await host.receipts.list({ receipts: true, limit: 1 })).toMatchObject([{ id: receipt }]);
    await expect(host.receipts.show(MADE_UP)).rejects.toThrow("RECEIPT_UNKNOWN");
    expect(await host.receipts.verify()).toMatchObject({ ok: true, calls: 2, receipts: 1, unsigned: 0 });
    const exported = await host.receipts.export(receipt);
    writeFileSync(join(root, "export.json"), JSON.stringify(exported));
    expect(await host.receipts.verify({ file: join(root, "export.json") })).toMatchObject({ ok: true });
    expect(host.diagnostics().filter(({ code }) => /LEDGER|RECEIPT/u.test(code))).toEqual([]);
  });

  it("are told to the model in the history, of which the requests are made, and written down", async () => {
    const model = scriptedModel([[call("demo", {}, "k1")], [text("Done, it says.")]]);
    const { host, root } = await house({ model });
    const agent = await host.agent({ session: "new" });
    const { answer } = await agent.run("go");
    expect(answer).toBe("Done, it says.");
    const receipt = receiptIn(model);
    const content = `done\n[receipt: ${receipt}]`;
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", toolCallId: "k1", content });
    expect(agent.history.find(({ role }) => role === "tool")?.content).toBe(content);
    const transcript = readFileSync(join(root, "usr/sessions", `${agent.id}.jsonl`), "utf8");
    expect(JSON.parse(transcript.split("\n").find((line) => line.includes('"result"')) ?? "")).toMatchObject({
      content,
      receipt,
    });
    expect(await host.receipts.show(String(receipt))).toMatchObject({ call: "k1", result: sha256("done") });
    // The turn has ended: all of it is signed.
    expect(readFileSync(join(root, "usr/ledger/ledger.jsonl"), "utf8").trim().split("\n").at(-1)).toContain('"seal"');
  });

  it("stand beside an answer, which stays as it is; the model is told of it afterwards", async () => {
    const model = scriptedModel([[call("response", { text: "The answer." })], [text("Well.")]]);
    const { host } = await house({ model });
    const agent = await host.agent();
    expect((await agent.run("go")).answer).toBe("The answer.");
    await agent.run("and?");
    const told = model.requests[1]?.messages.find(({ role }) => role === "tool")?.content ?? "";
    expect(told).toMatch(/^The answer\.\n\[receipt: rcpt_[a-z2-7]{26}\]$/u);
  });

  it("do not make the same result a new one for whoever looks for loops", async () => {
    let count = 0;
    const model = scriptedModel(() => (count++ < 6 ? [call("demo", { count }, `k${count}`)] : [text("enough")]));
    const { host } = await house({ model });
    const warnings: string[] = [];
    host.on("warning", ({ code, message }) => warnings.push(`${code} ${message}`));
    await host.run("go");
    expect(warnings[0]).toMatch(/^LOOP demo was called 5 times in a row .* nothing new came of it$/u);
    const outcomes = (await host.receipts.list()).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["blocked", "success", "success", "success", "success", "success"]);
  });

  it("are there for calls in the background", async () => {
    const wait = call("parallel", { action: "await" }, "wait");
    const { host } = await openAgency({ go: [[start([["demo", { a: 1 }]])], [wait], [text("over")]] }, FILES);
    await host.run("go");
    const calls = await host.receipts.list();
    expect(calls.map(({ tool, outcome }) => [tool, outcome])).toContainEqual(["demo", "success"]);
    expect(calls.map(({ tool }) => tool)).toContain("parallel");
    expect(await host.receipts.verify()).toMatchObject({ ok: true, calls: 3, receipts: 3 });
  });

  it("of subordinates say whose they are", async () => {
    const model = scriptedModel(({ messages }) => {
      if (messages.at(-1)?.role === "tool") return [text("done")];
      return messages.some(({ content }) => content.includes("sub task"))
        ? [call("demo", {}, "inner")]
        : [call("call_subordinate", { message: "sub task" }, "outer")];
    });
    const { host } = await house({ model, approver: () => ({ decision: "approve" }) });
    await host.run("go");
    const calls = await host.receipts.list();
    expect(calls.map(({ call: id, agent, face }) => [id, agent, face])).toEqual([
      ["outer", null, "library"],
      ["inner", "sub-1", "delegate"],
    ]);
    expect(new Set(calls.map(({ turn }) => turn)).size).toBe(2);
  });
});

/** Turns whose model, after a call of demo, says what `say` makes of the receipt; with the codes of what is flagged. */
async function claims() {
  let say = (receipt: string): string => receipt;
  const model: ScriptedModel = scriptedModel((): readonly ScriptStep[] => {
    const receipt = receiptIn(model);
    return receipt === undefined ? [call("demo", {}, "k1")] : [text(say(receipt))];
  });
  const { host } = await house({ model });
  return async (words: typeof say) => {
    say = words;
    const told: HostEvent[] = [];
    const off = host.onAny((event) => told.push(event));
    const { answer } = await host.run("go");
    off();
    expect(answer).toBe(say(String(receiptIn(model))));
    expect(told.at(-1)).toMatchObject({ type: "turn_end", answer });
    return told.flatMap((event) => (event.type === "warning" ? `${event.code}: ${event.message}` : []));
  };
}

describe("after a turn", () => {
  it("a reply that names no receipt, or one as it should, is left alone", async () => {
    const flagged = await claims();
    for (const say of [
      () => "It is done.",
      (receipt: string) => `It is done: ${receipt}.`,
      (receipt: string) => `\`demo\` said so [receipt: ${receipt}]`,
      (receipt: string) => `other_tool was not needed, \`demo()\` was: ${receipt}`,
      (receipt: string) => `It says:\n\n\`\`\`\ndone\n[receipt: ${receipt}]\n\`\`\`\n`,
      () => "The command is rcpt_to.",
    ]) {
      expect(await flagged(say), String(say)).toEqual([]);
    }
  });

  it("a reply with a receipt that no call has is flagged, and stays as it is", async () => {
    const flagged = await claims();
    expect(await flagged((receipt) => `First ${receipt}, then ${MADE_UP}.`)).toEqual([
      `RECEIPT_UNKNOWN: the reply names the receipt ${MADE_UP}, which no call has`,
    ]);
    const changed = (receipt: string) => `${receipt.slice(0, -1)}${receipt.endsWith("a") ? "b" : "A"}`;
    expect(await flagged((receipt) => `See ${changed(receipt)}`)).toEqual([expect.stringMatching(/^RECEIPT_UNKNOWN/u)]);
  });

  it("a receipt that is given for another tool, or for other words, is flagged", async () => {
    const flagged = await claims();
    expect(await flagged((receipt) => `I ran other_tool, see ${receipt}.\nAnd demo.`)).toEqual([
      expect.stringMatching(/^RECEIPT_MISMATCH: .* for other_tool, it is one of demo$/u),
    ]);
    expect(await flagged((receipt) => `It says:\n~~~\nundone\n[receipt: ${receipt}]\n~~~`)).toEqual([
      expect.stringMatching(/^RECEIPT_ALTERED: the reply quotes demo/u),
    ]);
  });

  it("the id of a call that did not succeed is no receipt", async () => {
    const seen: string[] = [];
    const model = scriptedModel(() => [text(`See ${seen[0]}`)]);
    const { host } = await house({ model });
    await host.call("nothing", {});
    seen.push(...(await host.receipts.list()).map(({ id }) => id));
    const warnings: unknown[] = [];
    host.on("warning", ({ code, message }) => warnings.push([code, message]));
    await host.run("go");
    expect(warnings).toEqual([["RECEIPT_UNKNOWN", expect.stringMatching(/nothing ended with unknown$/u)]]);
  });

  it.each([
    ["its text", (line: string) => line.replace("done", "undone"), "RECEIPT_ALTERED"],
    ["its place", (line: string) => line.replaceAll("k1", "k2"), "RECEIPT_MISMATCH"],
  ])("a conversation in which somebody changed %s is flagged when its receipt is named", async (_, change, code) => {
    let said = "…";
    const model: ScriptedModel = scriptedModel(() =>
      model.requests.length === 1 ? [call("demo", {}, "k1")] : [text(said)],
    );
    const { host, root } = await house({ model });
    const agent = await host.agent({ session: "new" });
    await agent.run("go");
    agent.close();
    const file = join(root, "usr/sessions", `${agent.id}.jsonl`);
    writeFileSync(file, readFileSync(file, "utf8").split("\n").map(change).join("\n"));
    said = `As I said, ${receiptIn(model)}`;
    const warnings: string[] = [];
    host.on("warning", ({ code: found }) => warnings.push(found));
    await (await host.agent({ session: agent.id })).run("what did it say?");
    expect(warnings).toEqual([code]);
  });

  it("people are told by run and chat, beside the answer", async () => {
    const { root } = await openHouse({ ...FILES, "usr/tools/liar.ts": toolSource(`Trust me: ${MADE_UP}`) });
    const { code, stdout, stderr } = await runMain(["run", "/liar"], { cwd: root });
    expect(code).toBe(0);
    expect(stdout).toContain(`Trust me: ${MADE_UP}`);
    expect(stderr).toContain(`warning RECEIPT_UNKNOWN the reply names the receipt ${MADE_UP}`);
  });
});

describe("receipts of a replay", () => {
  it("are others than those of the recording, and the turn is the same", async () => {
    const script = [
      { calls: [{ name: "demo", args: {} }] },
      { calls: [{ name: "demo", args: {} }] },
      { text: "Twice." },
    ];
    const { outcome, recorded } = await bothWays({ format: "openai", script, files: FILES }, (host) => host.run("go"));
    expect(outcome).toMatchObject({ answer: "Twice.", calls: { length: 2 } });
    const receiptsOf = ({ events }: typeof recorded) => JSON.stringify(events).match(/rcpt_[a-z2-7]{26}/gu);
    expect(receiptsOf(recorded)).toHaveLength(4);
  });

  it("are taken for those of the recording where the model speaks of them, and for no others", async () => {
    const script: WireScript = ({ body }) => {
      const receipt = /rcpt_[a-z2-7]{26}/u.exec(JSON.stringify(body.messages))?.[0];
      return receipt === undefined ? { calls: [{ name: "demo", args: {} }] } : { text: `${receipt} and ${MADE_UP}` };
    };
    const told = await bothWays({ format: "openai", script, files: FILES }, (host) => host.run("go"));
    const warnings = told.events.flatMap((event) => (event.type === "warning" ? event.message : []));
    expect(warnings).toEqual([`the reply names the receipt ${MADE_UP}, which no call has`]);
  });
});

describe("two processes", () => {
  const body = (name: string, count: number) => `
    const host = await createHost({ root: process.env.ROOT ?? root, trust: true });
    for (let index = 0; index < ${count}; index++) print((await host.call("${name}", { index })).receipt);
    await host.close();
  `;

  it("of one root write one chain, and one that is killed has lost nothing that it was told", async () => {
    const { host, root } = await house();
    const at = (source: string) => source.replace("process.env.ROOT ?? root", JSON.stringify(root));
    const run = async (source: string) => (await program({ body: at(source) })).stdout.match(/rcpt_\w+/gu) ?? [];
    const kill = "setTimeout(() => process.kill(process.pid, 'SIGKILL'), 120);";
    const receipts = (
      await Promise.all([
        run(body("demo", 60)),
        run(body("other_tool", 60)),
        run(body("demo", 1e6).replace("for", `${kill} for`)),
      ])
    ).flat();
    const own = await host.call("demo", {});
    const { problems, ok, calls } = await host.receipts.verify();
    expect(problems).toEqual([]);
    expect(ok).toBe(true);
    const known = new Set((await host.receipts.list({ limit: 1e6 })).map(({ id }) => id));
    expect(receipts.filter((receipt) => !known.has(receipt))).toEqual([]);
    expect(receipts.length).toBeGreaterThanOrEqual(120);
    expect(calls).toBeGreaterThanOrEqual(receipts.length + 1);
    expect(known.has(String(own.receipt))).toBe(true);
    expect(readdirSync(join(root, "usr/ledger")).sort()).toEqual(["head.json", "key.pem", "ledger.jsonl"]);
  });
});
