import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Agent, Host } from "../../core/host.ts";
import { type Tree, toolSource } from "../helpers/tree.ts";
import { bothWays, FORMATS } from "./both-ways.ts";
import type { House } from "./house.ts";
import { scriptOf, TURNS } from "./twelve-turns.ts";

const SECRET = "sesame-0123456789";

/** The source of a tool with these parameters whose `execute` is this. */
const tool = (parameters: string, body: string, statics = "") => `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Tool, z } from "toolroom";
const parameters = z.object({ ${parameters} });
const come: (() => void)[] = [];
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  ${statics}
  async execute(args: z.infer<typeof parameters>) {
    const note = (line: string) => appendFileSync(join(this.workspace.root, "notes.txt"), line + "\\n");
    ${body}
  }
}
`;

const FILES: Tree = {
  "usr/secrets.env": `DOOR=${SECRET}\n`,
  "usr/agents/poet/agent.yaml": "title: the poet\ncontext: You write in rhymes.\n",
  // Nobody goes on before all three have come: one after the other they would run out of time.
  "usr/tools/meet.ts": tool(
    "who: z.string()",
    `await new Promise<void>((resolve) => {
      come.push(resolve);
      if (come.length === 3) for (const go of come) go();
    });
    return this.success(args.who + " met " + (come.length - 1) + " others");`,
    'static readonly parallel = "safe"; static readonly timeoutMs = 10_000;',
  ),
  "usr/tools/vault.ts": tool(
    "key: z.string()",
    `const right = args.key === "sesame-" + "0123456789";
    const forms = [args.key, Buffer.from(args.key).toString("base64"), encodeURIComponent(args.key + "/")];
    return this.success(("opened with " + forms.join(" ") + "\\n").repeat(1000), { right });`,
  ),
  "usr/tools/note.ts": tool("line: z.string()", 'note(args.line); return this.success("noted");'),
  "usr/tools/finish.ts": tool(
    "",
    'note("finished"); return this.response({ message: "The ship is ready.", breakLoop: true });',
  ),
  "usr/tools/endless.ts": tool(
    "",
    `await this.setProgress("half of it");
    await new Promise((resolve) => this.signal.addEventListener("abort", resolve));
    note("endless ended by " + this.signal.reason.code);
    return this.success("too late");`,
  ),
  "usr/tools/same.ts": toolSource("always the same"),
};

/** What a person does while a turn runs. */
const HANDS: Readonly<Record<string, (agent: Agent, host: Host) => () => void>> = {
  speak: (agent, host) => onceSaid(host, () => agent.intervene("No, three.")),
  "stop the tool": (agent, host) => {
    const off = host.on("tool_progress", () => void setImmediate(() => agent.stop()));
    return off;
  },
  "stop the model": (agent, host) => onceSaid(host, () => agent.stop()),
};

/** Acts when all has come that comes of a reply which never ends. */
function onceSaid(host: Host, act: () => void): () => void {
  let said = "";
  const off = host.on("text_delta", ({ text }) => {
    said += text;
    if (!said.includes("twelve")) return;
    off();
    act();
  });
  return off;
}

/** Says all twelve, and gives what is left of it. */
async function converse(host: Host, { root, workspace }: House) {
  const agent = await host.agent({ session: "new" });
  const ends = [];
  for (const { message, hand } of TURNS) {
    const off = hand && HANDS[hand]?.(agent, host);
    const { answer, stopped = null } = await agent.run(message);
    off?.();
    ends.push([answer, stopped]);
  }
  const sessions = await host.sessions.list();
  const main = sessions.find(({ parent }) => parent === null);
  const others = sessions.filter(({ parent }) => parent !== null);
  expect(main).toMatchObject({ id: agent.id, state: "running", turns: TURNS.length });
  expect(others).toMatchObject([{ parent: agent.id, agent: "sub-1", profile: "poet" }]);
  const ids = [agent.id, ...others.map(({ id }) => id)];
  const files = ids.map((id) => readFileSync(join(root, "usr/sessions", `${id}.jsonl`), "utf8"));
  const spills = readdirSync(join(root, "usr/sessions", agent.id, "spill"));
  return {
    ends,
    transcript: files.map((text) => plain(text, { root, ids })).join("\n"),
    spills: spills.map((name) => readFileSync(join(root, "usr/sessions", agent.id, "spill", name), "utf8")),
    notes: readFileSync(join(workspace, "notes.txt"), "utf8"),
  };
}

/** A transcript without what is another value in each run (times, places, random ids); lines that repeat are counted. */
function plain(text: string, { root, ids }: { root: string; ids: readonly string[] }): string {
  const named = ids.reduce((known, id, index) => known.replaceAll(id, `<session ${index}>`), text);
  return named
    .replaceAll(root, "<root>")
    .replaceAll(/"ts":"[^"]*"/gu, '"ts":"…"')
    .replaceAll(/"durationMs":\d+/gu, '"durationMs":"…"')
    .replaceAll(/"model":"[^"]*"/gu, '"model":"…"')
    .replaceAll(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gu, "<uuid>")
    .replaceAll(/(opened with [^\\]*\\n)\1+/gu, (all, line) => `${all.length / line.length} times ${line}`);
}

const CASES = FORMATS.flatMap((format) => (["native", "json"] as const).map((protocol) => ({ format, protocol })));

it.each(CASES)(
  "twelve turns leave the transcript that is expected, recorded and replayed: $format, $protocol",
  async ({ format, protocol }) => {
    const { script, refused } = scriptOf(protocol);
    const settings = { protocol, risk_profiles: { default: { auto_approve: ["call_subordinate"] } } };
    const files = { ...FILES, "usr/settings.yaml": JSON.stringify(settings) };
    const both = await bothWays({ format, script, files, loose: true, inRoot: true }, converse);
    const { outcome, recorded, cassette, events } = both;
    expect(refused).toEqual([]);
    const { ends, transcript, spills, notes } = outcome as Awaited<ReturnType<typeof converse>>;
    expect(ends).toEqual(TURNS.map(({ answer, stopped = null }) => [answer, stopped]));
    await expect(transcript).toMatchFileSnapshot(`transcripts/twelve-turns.${protocol}.jsonl`);

    // What stood behind the call that ended the turn has not run, and the tool that was stopped had heard of it.
    expect(notes).toBe("finished\nendless ended by STOPPED\n");
    // The right key came to the tool, and to nobody else, in no form.
    const vault = events.flatMap((event) =>
      event.type === "tool_end" && event.name === "vault" ? [event.result] : [],
    );
    expect(vault).toMatchObject([{ error: { code: "SECRET_UNKNOWN" } }, { status: "partial", data: { right: true } }]);
    expect(spills).toHaveLength(1);
    expect(spills[0]).toMatch(/^(opened with §§secret\(DOOR\) §§secret\(DOOR\) §§secret\(DOOR\)%2F\n){1000}$/u);
    const everywhere = [transcript, cassette, JSON.stringify([events, recorded]), ...spills].join("\n");
    expect(everywhere).toContain("§§secret(DOOR)");
    for (const form of [SECRET, Buffer.from(SECRET).toString("base64").slice(2, -4), encodeURIComponent(SECRET)])
      expect(everywhere).not.toContain(form);
  },
);
