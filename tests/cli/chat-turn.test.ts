import { afterEach, describe, expect, test } from "vitest";
import { cli } from "../helpers/cli.ts";
import { type Sitting, sitDown } from "../helpers/terminal.ts";
import { DELEGATING, makeTree, toolSource } from "../helpers/tree.ts";
import { startWireServer, type WireScript, type WireServer } from "../helpers/wire-server.ts";

const root = makeTree({
  ...DELEGATING,
  "usr/tools/steps.ts": toolSource("done").replace(
    "return",
    'await this.setProgress("half way"); if (this.args.fail) return this.failure("NOT_FOUND", "nothing there"); return',
  ),
  "usr/tools/endless.ts": toolSource("").replace("return", "await new Promise(() => {}); return"),
});
const MARKDOWN = "# Result\n\n- **two** lines\n- `a.txt`\n\n```sh\nwc -l a.txt\n```\nDone.";
const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function modelOf(script: WireScript): Promise<{ env: Record<string, string>; wire: WireServer }> {
  const wire = await startWireServer(script);
  servers.push(wire);
  return { wire, env: { TOOLROOM_MODEL: "openai-compatible/local", TOOLROOM_BASE_URL: wire.baseURL } };
}

async function sit(script: WireScript, more: Record<string, string> = {}): Promise<Sitting & { wire: WireServer }> {
  const { env, wire } = await modelOf(script);
  const chat = sitDown(["chat"], { cwd: root, env: { ...env, ...more } });
  await chat.shows(/> /);
  return { ...chat, wire };
}

async function leave(chat: Sitting): Promise<void> {
  chat.type("\x04");
  expect(await chat.code).toBe(0);
}

/** What was said to the model, of a request. */
const told = (wire: WireServer, index: number): string => JSON.stringify(wire.requests[index]?.body.messages);

/** Without the sequences that move a cursor; those of colours stay. */
const still = (text: string): string => text.replaceAll(/\x1b\[\d*[A-HJK]/gu, "");

describe("what a chat shows", () => {
  test("at a terminal: Markdown, calls with arguments, progress, duration and fault, usage", async () => {
    const chat = await sit([
      {
        text: "I **look**.",
        calls: [
          { name: "steps", args: { deep: true } },
          { name: "steps", args: { fail: true } },
        ],
      },
      { text: MARKDOWN },
    ]);
    chat.type("How long is it?\r");
    await chat.shows(/context \d+ % full.*> /s);
    const screen = still(chat.screen());
    expect(screen).toContain("I \x1b[1mlook\x1b[22m.\n");
    expect(screen).toContain('\x1b[2m  → steps {"deep":true}\x1b[22m\n\x1b[2m  … steps: half way\x1b[22m\n');
    expect(screen).toMatch(/\x1b\[2m {2}← steps success, \d+ ms\x1b\[22m\n/u);
    expect(screen).toMatch(/\x1b\[2m {2}← steps error NOT_FOUND, \d+ ms\x1b\[22m\n/u);
    expect(screen).toMatch(/• \x1b\[1mtwo\x1b\[22m lines\n• \x1b\[36ma\.txt\x1b\[39m\n\n/u);
    expect(screen).not.toContain("```");
    expect(screen).toMatch(/\nDone\.\n\x1b\[2m {2}22 tokens in, 14 out; context \d+ % full\x1b\[22m\n/u);
    await leave(chat);
  });

  test("in a pipe, and for a person without colours: the text as it is, no control sequence", async () => {
    const { env } = await modelOf([{ text: MARKDOWN }]);
    const { code, stdout, stderr } = await cli(["chat"], { cwd: root, env, input: "How long is it?\n" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${MARKDOWN}\n` });
    expect(stdout + stderr).not.toContain("\x1b");
    const chat = await sit([{ text: MARKDOWN }], { NO_COLOR: "1" });
    chat.type("How long is it?\r");
    await chat.shows(/context \d+ % full/);
    expect(chat.screen()).toContain(`${MARKDOWN}\n`);
    await leave(chat);
  });

  test("an answer that a tool gives is rendered as well, and shown once", async () => {
    const chat = await sit([{ calls: [{ name: "response", args: { text: "It has **two** lines." } }] }]);
    chat.type("How long is it?\r");
    await chat.shows(/It has \x1b\[1mtwo\x1b\[22m lines\.\n/u);
    await chat.shows(/> /);
    expect(chat.screen()).not.toContain("→ response");
    await leave(chat);
  });
});

describe("while a turn runs", () => {
  test("a line that is typed is told to the agent at once", async () => {
    const chat = await sit([{ text: "Let me think", trouble: "hang" }, { text: "Two, then." }]);
    chat.type("How many?\r");
    await chat.shows(/Let me think/);
    chat.type("take two\r");
    await chat.shows(/Two, then\..*> /s);
    expect(told(chat.wire, 1)).toMatch(/How many\?.*Let me think.*take two/);
    await leave(chat);
  });

  test("it interrupts a tool", async () => {
    const chat = await sit([{ calls: [{ name: "endless", args: {} }] }, { text: "As you like." }]);
    chat.type("Begin\r");
    await chat.shows(/→ endless/);
    chat.type("leave it\r");
    await chat.shows(/← endless error ABORTED, .*As you like\..*> /s);
    expect(told(chat.wire, 1)).toContain("leave it");
    await leave(chat);
  });

  test("it is for the subordinate that works, which is shown as one", async () => {
    const chat = await sit(({ body }) => {
      const said = JSON.stringify(body.messages);
      if (said.includes("Begin")) {
        if (said.includes("sub-1")) return { text: "All done." };
        return { calls: [{ name: "call_subordinate", args: { message: "look into it" } }] };
      }
      return said.includes("leave it") ? { text: "Left." } : { calls: [{ name: "endless", args: {} }] };
    });
    chat.type("Begin\r");
    await chat.shows(/⇢ sub-1 \(default\) look into it.*\n\S* {4}→ endless/su);
    chat.type("leave it\r");
    await chat.shows(
      / {4}← endless error ABORTED.* {4}⇠ sub-1 answered.* {2}← call_subordinate success.*All done\..*> /su,
    );
    expect(chat.screen()).not.toContain("Left.");
    expect(told(chat.wire, 2)).toMatch(/look into it.*leave it/);
    await leave(chat);
  });

  test("what comes meanwhile waits for the line, and the line waits for its end", async () => {
    const chat = await sit([
      { text: "First.", calls: [{ name: "endless", args: {} }] },
      { text: "Second **part**." },
      { text: "Third." },
    ]);
    chat.type("Begin\r");
    await chat.shows(/→ endless/);
    chat.type("no");
    await chat.shows(/\n> no/);
    // Taken back again: the screen belongs to the turn.
    chat.type("\x7f\x7f");
    chat.type("go on\rand now?");
    await chat.shows(/Second \x1b\[1mpart\x1b\[22m\..*full.*> and now\?/s);
    chat.type("\r");
    await chat.shows(/Third\./);
    expect(told(chat.wire, 1)).toContain('"go on"');
    expect(told(chat.wire, 2)).toContain('"and now?"');
    await leave(chat);
  });

  test("Esc pauses, and goes on", async () => {
    const chat = await sit((_, index) =>
      index === 0 ? { calls: [{ name: "endless", args: {} }] } : { text: `Number ${index}.` },
    );
    chat.type("Begin\r");
    await chat.shows(/→ endless/);
    chat.type("\x1b");
    await chat.shows(/‖ paused/);
    chat.type("\x1b");
    await chat.shows(/‖ goes on/);
    chat.type("\x1b");
    await chat.shows(/‖ paused/);
    // A message ends a pause as well.
    chat.type("skip it\r");
    await chat.shows(/Number 1\..*> /s);
    await leave(chat);
  });

  test("Ctrl-C stops it, also when it is paused; what was being typed stays", async () => {
    const chat = await sit([{ calls: [{ name: "endless", args: {} }] }, { text: "Well." }]);
    chat.type("Begin\r");
    await chat.shows(/→ endless/);
    chat.type("\x1b");
    await chat.shows(/‖ paused/);
    chat.type("half a li\x03");
    await chat.shows(/← endless error STOPPED.*The turn was stopped\..*> half a li/s);
    chat.type("ne\r");
    await chat.shows(/Well\./);
    expect(told(chat.wire, 1)).toContain('"half a line"');
    await leave(chat);
  });

  test("commands have to wait", async () => {
    const chat = await sit([{ calls: [{ name: "endless", args: {} }] }]);
    chat.type("Begin\r");
    await chat.shows(/→ endless/);
    chat.type("/compact\r");
    await chat.shows(/\/compact has to wait/);
    chat.type("\r\x03");
    await chat.shows(/The turn was stopped\..*> /s);
    await leave(chat);
  });

  test("lines of a pipe are messages of their own", async () => {
    const { env, wire } = await modelOf([{ text: "One." }, { text: "Two." }]);
    const { stdout } = await cli(["chat"], { cwd: root, env, input: "first\nsecond\n" });
    expect(stdout).toBe("One.\nTwo.\n");
    expect(wire.requests).toHaveLength(2);
  });
});
