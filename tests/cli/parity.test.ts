import { afterEach, describe, expect, test } from "vitest";
import { runMain } from "../helpers/main.ts";
import { sitDown } from "../helpers/terminal.ts";
import { makeTree, toolSource } from "../helpers/tree.ts";
import { startWireServer, type WireScript, type WireServer } from "../helpers/wire-server.ts";
import { openHouse } from "../host/house.ts";

const rated = (risk: string) => toolSource(risk, `static readonly risk = ${JSON.stringify(risk)};`);
const SAY = rated("low")
  .replace("export default", 'import { z } from "toolroom";\nexport default')
  .replace("async execute", "static readonly parameters = z.object({ words: z.string() }); async execute");
const FILES = {
  "usr/tools/low.ts": rated("low"),
  "usr/tools/medium.ts": rated("medium"),
  "usr/tools/high.ts": rated("high"),
  "usr/tools/denied.ts": rated("low"),
  "usr/tools/local.ts": rated("low"),
  "usr/tools/easy.ts": rated("medium"),
  "usr/tools/say.ts": SAY,
  "usr/settings.yaml": JSON.stringify({
    risk_profiles: {
      default: {
        denied_tools: ["denied"],
        excluded_tools: ["local"],
        auto_approve: ["easy", "call_subordinate"],
        always_ask: [{ say: { words: "loud*" } }],
      },
    },
  }),
};
const CALLS = [
  ["low", {}, "run", "level"],
  ["medium", {}, "ask", "level"],
  ["high", {}, "block", "block_high_risk"],
  ["denied", {}, "block", "denied_tools"],
  ["easy", {}, "run", "auto_approve"],
  ["say", { words: "loud" }, "ask", "always_ask"],
  ["say", { words: "low" }, "run", "level"],
] as const;
const LOCAL = { name: "local", args: {} };
const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function modelOf(script: WireScript): Promise<Record<string, string>> {
  const wire = await startWireServer(script);
  servers.push(wire);
  return { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: wire.baseURL, NO_COLOR: "1" };
}

const calls = [...CALLS.map(([name, args]) => ({ name, args })), LOCAL];
const spoken: WireScript = [{ calls }, { text: "All done." }];

/** Makes all calls in a root of their own, and tells what was decided of each and by which rule. */
const WAYS: Readonly<Record<string, (cwd: string) => Promise<void>>> = {
  async call(cwd) {
    for (const { name, args } of calls) await runMain(["call", name, JSON.stringify(args)], { cwd });
  },
  async run(cwd) {
    await runMain(["run", "go"], { cwd, env: await modelOf(spoken) });
  },
  async chat(cwd) {
    const sitting = sitDown(["chat"], { cwd, env: await modelOf(spoken) });
    await sitting.shows(/> /);
    sitting.type("go\r");
    for (const _ of CALLS.filter(([, , decision]) => decision === "ask")) {
      await sitting.shows(/Run it\?.*\? /s);
      sitting.type("n\r");
    }
    await sitting.shows(/All done\..*> /s);
    sitting.type("\x04");
    await sitting.code;
  },
  async "a subordinate of run"(cwd) {
    const task = { calls: [{ name: "call_subordinate", args: { message: "task" } }] };
    const env = await modelOf([task, { calls }, { text: "Below." }, { text: "All done." }]);
    await runMain(["run", "go"], { cwd, env });
  },
  async library(cwd) {
    const { host } = await openHouse({}, { root: cwd, workspace: cwd });
    for (const { name, args } of calls) await host.call(name, args);
    await host.close();
  },
};

describe("the same call gets the same decision by the same rule", () => {
  test.each(Object.entries(WAYS))("from %s", async (way, make) => {
    const cwd = makeTree(FILES);
    await make(cwd);
    const { stdout } = await runMain(["audit", "search", "--json"], { cwd });
    const lines = (JSON.parse(stdout) as { lines: readonly Record<string, string>[] }).lines.filter(
      ({ tool }) => tool !== "tool.call_subordinate",
    );
    const told = lines.map(({ tool = "", decision, rule }) => [tool.slice("tool.".length), decision, rule]);
    const excluded = way === "library" || way.startsWith("a subordinate");
    expect(told).toEqual([
      ...CALLS.map(([name, , decision, rule]) => [name, decision, rule]),
      // All but this one.
      ["local", ...(excluded ? ["block", "excluded_tools"] : ["run", "level"])],
    ]);
  });
});
