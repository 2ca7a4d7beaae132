import { describe, expect, it, onTestFinished } from "vitest";
import type { EventMap } from "../../core/sdk/events.ts";
import { startWireServer, type WireScript } from "../helpers/wire-server.ts";
import { openHouse } from "./house.ts";

const SKILL = "---\nname: cooking\ndescription: How to cook.\n---\nFirst the water.\n";
const FILES = {
  "usr/settings.yaml": "agent: { contextTokens: 6000 }\n",
  "usr/skills/cooking/SKILL.md": SKILL,
};

async function wired(script: WireScript, files: Record<string, string> = FILES) {
  const server = await startWireServer(script);
  onTestFinished(server.close);
  const env = { TOOLROOM_BASE_URL: server.baseURL };
  const house = await openHouse(files, { model: "openai-compatible/test", env });
  const compactions: EventMap["compaction"][] = [];
  house.host.on("compaction", (made) => compactions.push(made));
  const said = (index = -1): string[] =>
    server.requests
      .at(index)
      ?.body.messages.map(({ content }: { content: unknown }) => String(content))
      .slice(1);
  return { ...house, server, said, compactions };
}

/** Whether a question is one for a summary: it has no tools. */
const isSummary = ({ body }: { body: { tools?: unknown } }): boolean => body.tools === undefined;

describe("a context that is nearly full", () => {
  it("is made room in before the model is asked; a skill that was loaded stays, and a resume sees the same", async () => {
    const { host, server, said, compactions, again } = await wired((request, index) => {
      if (isSummary(request)) return { text: "They talked of the sea." };
      return index === 0
        ? { calls: [{ id: "c1", name: "skills_tool", args: { action: "load", skill_name: "cooking" } }] }
        : { text: `answer ${"y".repeat(2_000)}` };
    });
    const agent = await host.agent({ session: "new" });
    let turns = 0;
    while (compactions.length === 0 && turns < 30) await agent.run(`question ${++turns} ${"x".repeat(2_000)}`);
    expect(compactions).toMatchObject([{ by: "model", turnId: expect.any(String) }]);
    expect(compactions[0]?.tokensBefore).toBeGreaterThan(4_800);
    expect(compactions[0]?.tokensAfter).toBeLessThan(4_800);
    expect(server.requests.filter(isSummary)).toHaveLength(1);
    const summary = server.requests.find(isSummary)?.body.messages;
    expect(summary[0].content).toMatch(/Write the summary/);
    expect(summary[1].content).toMatch(/^\[person\]\nquestion 1/);
    expect(said()[0]).toMatch(/^Summary of the conversation[\s\S]*They talked of the sea\.$/);
    expect(said()[1]).toMatch(/Kept from earlier, the result of skills_tool[\s\S]*First the water\./);
    expect(said()[1]).not.toContain("skill:cooking");
    expect(said().at(-1)).toMatch(new RegExp(`^question ${turns} `));
    expect(agent.usage().contextFill).toBeLessThan(0.8);
    const before = said();
    await host.close();
    const resumed = await (await again()).agent({ session: agent.id });
    await resumed.run("and now?");
    expect(said().slice(0, before.length)).toEqual(before);
    expect(said().at(-1)).toBe("and now?");
  });

  it("is summarised by rule where the model fails at it; the turn goes on, and that is told", async () => {
    const { host, compactions } = await wired((request) =>
      isSummary(request) ? { status: 500, message: "no" } : { text: "y".repeat(3_000) },
    );
    const agent = await host.agent();
    for (let turn = 0; turn < 12 && compactions.length === 0; turn++)
      await agent.run(`question ${turn} ${"x".repeat(2_000)}`);
    expect(compactions).toMatchObject([
      { by: "rule", summary: expect.stringMatching(/rule[\s\S]*older lines were left out\)\n- asked: "question/) },
    ]);
    expect(host.diagnostics().map(({ code }) => code)).toContain("COMPACTION_FAILED");
  });

  it("of the offline model is summarised by rule, without a word to anybody else", async () => {
    const { host } = await openHouse(
      { "usr/settings.yaml": "agent: { contextTokens: 2000 }\n" },
      { workspaceFiles: { "README.md": "# Ship\n" } },
    );
    const compactions: EventMap["compaction"][] = [];
    host.on("compaction", (made) => compactions.push(made));
    const agent = await host.agent();
    for (let turn = 0; turn < 20; turn++) await agent.run("How many lines does README.md have?");
    expect(compactions.length).toBeGreaterThan(0);
    expect(compactions.every(({ by }) => by === "rule")).toBe(true);
    expect(agent.usage()).toMatchObject({ inputTokens: 0, contextTokens: 2_000 });
    expect(agent.usage().contextFill).toBeLessThan(0.85);
    expect(host.diagnostics().filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("has the words of the person's own file where there is one", async () => {
    const files = { "usr/prompts/fw.compaction.md": "Be brief, {{profile}}." };
    const { host, server } = await wired((request) => ({ text: isSummary(request) ? "short" : "so" }), files);
    const agent = await host.agent();
    for (const message of ["one", "two", "three"]) await agent.run(message);
    expect(await agent.compact()).toMatchObject({ by: "model", summary: expect.stringMatching(/short$/) });
    expect(server.requests.find(isSummary)?.body.messages[0].content).toBe("Be brief, default.");
  });
});
