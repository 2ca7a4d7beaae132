import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { formsOf } from "../../core/governance/mask-forms.ts";
import type { HostOptions } from "../../core/host/options.ts";
import type { EventName } from "../../core/sdk/events.ts";
import type { Tree } from "../helpers/tree.ts";
import { startWireServer } from "../helpers/wire-server.ts";
import { openHouse } from "./house.ts";

const SECRET = "s3cr3t/+\"quote\"\\ 'ä' end";
const MULTI = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END KEY-----\n";
const SECRETS = `# Opens the {{vault}}
TOKEN=${JSON.stringify(SECRET)}

KEY_FILE="${MULTI}"
`;
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** A tool that lets its argument out wherever a tool can. */
const LEAK = `import { Tool } from "toolroom";
import { createHash } from "node:crypto";
export default class extends Tool {
  static readonly risk = "low";
  async execute({ texts, big, fail }) {
    const [text] = texts;
    const sha = createHash("sha256").update(text).digest("hex");
    console.log("printed", text);
    process.stderr.write(text + "\\n");
    this.log.warn("logged " + text, { text, [text]: new Error(text) });
    await this.setProgress("working with " + text);
    if (fail === "throw") throw new Error("with " + text, { cause: new Error(text) });
    if (fail === "code") return this.failure("CONFLICT", "with " + text, { hint: text, pointer: "/" + text, cause: { text }, data: { text } });
    const forms = [text, Buffer.from(text).toString("base64"), "user:" + text, encodeURIComponent(text), JSON.stringify({ text })];
    forms[2] = Buffer.from(forms[2]).toString("base64");
    return this.response({
      message: sha + " " + forms.join(" | ") + (big ? ("\\n" + text).repeat(4000) : ""),
      additional: { forms, [text]: { deep: [text] } },
    });
  }
}
`;
const FILES: Tree = { "usr/secrets.env": SECRETS, "usr/tools/leak.ts": LEAK };

function expectNoSecret(text: string, secret = SECRET): void {
  for (const form of [secret, ...formsOf(secret)]) expect(text).not.toContain(form);
  // As JSON writes it once more.
  expect(text).not.toContain(JSON.stringify(JSON.stringify(secret)).slice(3, -3));
}

/** Everything below `usr/` that the host has written. */
function written(root: string): string {
  return readdirSync(join(root, "usr"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "secrets.env")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

async function openListening(files: Tree = FILES, options: HostOptions = {}) {
  const house = await openHouse(files, { guard: true, ...options });
  const events: unknown[] = [];
  const names: readonly EventName[] = [
    "turn_start",
    "text_delta",
    "reasoning_delta",
    "tool_start",
    "tool_progress",
    "tool_end",
    "warning",
    "turn_end",
    "reload",
  ];
  for (const name of names) house.host.on(name, (payload) => void events.push(payload));
  return { ...house, events };
}

describe("a call that asks for a secret", () => {
  it("is given the value, and nobody else ever sees it", async () => {
    const { host, root, events } = await openListening();
    const args = { texts: ["§§secret(token)"] };
    const result = await host.call("leak", args);
    expect(result.message).toBe(
      `${sha(SECRET)} §§secret(TOKEN) | §§secret(TOKEN) | dXNlcjp§§secret(TOKEN) | §§secret(TOKEN) | {"text":"§§secret(TOKEN)"}`,
    );
    expect(result.context.args).toEqual(args);
    expect(result.additional).toMatchObject({ "§§secret(TOKEN)": { deep: ["§§secret(TOKEN)"] } });
    expect(events).toMatchObject([{ name: "leak", args }, { text: "working with §§secret(TOKEN)" }, { result }]);
    await host.close();
    const log = written(root);
    expect(log).toContain("printed §§secret(TOKEN)");
    expect(log).toContain("logged §§secret(TOKEN)");
    for (const text of [JSON.stringify([result, events]), log]) expectNoSecret(text);
  });

  it.each(["throw", "code"])("and fails (%s) says why without it", async (fail) => {
    const { host, root, events } = await openListening();
    const result = await host.call("leak", { texts: ["§§secret(TOKEN)"], fail });
    expect(result.error?.message).toMatch(/^with §§secret\(TOKEN\)/u);
    expect(JSON.stringify(result.error?.cause)).toContain("§§secret(TOKEN)");
    await host.close();
    for (const text of [JSON.stringify([result, events]), written(root)]) expectNoSecret(text);
  });

  it("of several lines gets all of them", async () => {
    const { host } = await openListening();
    const { message, context } = await host.call("leak", { texts: ["§§secret(KEY_FILE)"] });
    expect(message).toContain(sha(MULTI));
    expect(JSON.stringify([message, context])).not.toMatch(/MIIEv|BEGIN KEY/u);
  });

  it("and prints a lot of it leaves none in the file that keeps the whole", async () => {
    const { host, root } = await openListening();
    const result = await host.call("leak", { texts: ["§§secret(TOKEN)"], big: true });
    expect(result).toMatchObject({ status: "partial", context: { truncated: { path: expect.any(String) } } });
    await host.close();
    const files = written(root);
    expect(files.split("\n§§secret(TOKEN)").length).toBeGreaterThan(4000);
    expectNoSecret(files + JSON.stringify(result));
  });

  it("that does not exist is refused with the names that do, and can be mended", async () => {
    const { host } = await openListening();
    const result = await host.call("leak", { texts: ["x", { y: "§§secret(PASSWORD)" }] });
    expect(result).toMatchObject({
      status: "error",
      message: expect.stringMatching(/^SECRET_UNKNOWN: .*PASSWORD.*KEY_FILE, TOKEN/u),
      error: { code: "SECRET_UNKNOWN", class: "model", retryable: false, pointer: "/texts/1/y" },
    });
  });

  it("that is the environment's own is refused, and its value is hidden all the same", async () => {
    const env = { MAIL_PASSWORD: "of-the-environment" };
    const { host } = await openListening(FILES, { env });
    expect((await host.call("leak", { texts: ["§§secret(MAIL_PASSWORD)"] })).error?.code).toBe("SECRET_UNKNOWN");
    expect((await host.call("leak", { texts: ["of-the-environment"] })).message).toContain(
      " §§secret(MAIL_PASSWORD) |",
    );
  });
});

describe("an agent", () => {
  const OPTIONS = { profile: "default", session: "new" };

  it.each(["native", "json"])("works with placeholders only (%s)", async (protocol) => {
    const call = { name: "leak", args: { texts: ["§§secret(TOKEN)", { deep: "§§secret(KEY_FILE)" }] } };
    const answer = `Done; the value was ${SECRET}, in base64 ${Buffer.from(SECRET).toString("base64")}.`;
    const inText = (name: string, args: object) => ({ text: JSON.stringify({ tool_name: name, tool_args: args }) });
    const server = await startWireServer(
      protocol === "native"
        ? [{ text: `I ask with ${SECRET}`, reasoning: SECRET, calls: [call] }, { text: answer }]
        : [inText(call.name, call.args), inText("response", { text: answer })],
    );
    const env = { TOOLROOM_BASE_URL: server.baseURL };
    const settings = `models: { providers: { openai-compatible: { protocol: ${protocol} } } }\n`;
    const { host, root, events } = await openListening(
      { ...FILES, "usr/settings.yaml": settings },
      { env, model: "openai-compatible/test" },
    );
    const agent = await host.agent(OPTIONS);
    const outcome = await agent.run(`Use ${SECRET} please`);
    expect(outcome.answer).toBe("Done; the value was §§secret(TOKEN), in base64 §§secret(TOKEN).");
    expect(outcome.calls[0]).toMatchObject({ ...call, status: "success" });

    const bodies = server.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toContain("Use §§secret(TOKEN) please");
    expect(bodies[0]).toContain("`§§secret(TOKEN)`: Opens the {{vault}}");
    expect(bodies[1]).toContain(sha(SECRET));
    const streamed = events.map((event) => (event as { text?: string }).text ?? "").join("");
    if (protocol === "native") expect(streamed).toContain("the value was §§secret(TOKEN), in base64 §§secret(TOKEN).");
    await host.close();
    await server.close();
    const transcript = written(root);
    expect(transcript).toContain("Use §§secret(TOKEN) please");
    for (const text of [...bodies, JSON.stringify([outcome, events]), transcript]) {
      expectNoSecret(text);
      expect(text).not.toMatch(/MIIEv/u);
    }
  });

  it("goes on with an old session without what has become a secret since", async () => {
    const server = await startWireServer([{ text: "hello" }]);
    const env = { TOOLROOM_BASE_URL: server.baseURL };
    const { host, write } = await openListening({}, { env, model: "openai-compatible/test" });
    const first = await host.agent({ session: "new" });
    await first.run(`It is ${SECRET}`);
    first.close();
    write(FILES);
    await host.reload();
    const again = await host.agent({ session: first.id });
    await again.run("And now?");
    expect(server.requests[1]?.body.messages.map(({ content }: { content: string }) => content)).toContain(
      "It is §§secret(TOKEN)",
    );
    const said = JSON.stringify([
      await host.sessions.show(first.id),
      await host.sessions.list(),
      server.requests[1]?.body,
    ]);
    expect(said).toContain("It is §§secret(TOKEN)");
    expectNoSecret(said);
    await server.close();
  });

  it("fails without them", async () => {
    const server = await startWireServer([{ status: 400, message: `bad header ${SECRET}` }]);
    const env = { TOOLROOM_BASE_URL: server.baseURL };
    const { host, events } = await openListening(FILES, { env, model: "openai-compatible/test" });
    const error = await host.run("hello").then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({
      code: "MODEL_REFUSED",
      message: expect.stringContaining("bad header §§secret(TOKEN)"),
    });
    expectNoSecret(`${error?.message}${error?.stack}${JSON.stringify(events)}`);
    await server.close();
  });
});

describe("the prompt", () => {
  it("names the secrets, with the words above them as they stand, and only where there are any", async () => {
    const { host, write } = await openHouse(FILES);
    const { text } = await host.prompt();
    expect(text).toContain("- `§§secret(KEY_FILE)`\n- `§§secret(TOKEN)`: Opens the {{vault}}\n");
    expectNoSecret(text);
    write({ "usr/secrets.env": "" });
    await host.reload();
    const without = (await host.prompt()).text;
    expect(without).not.toMatch(/§§|Secrets/u);
    expect(without).not.toMatch(/\n\n\n/u);
  });
});

describe("the files of secrets", () => {
  it("are read at the start and at every reload, the project's over the person's", async () => {
    const files = { ...FILES, "usr/projects/site/secrets.env": "TOKEN=value-of-site" };
    const { host, write, root } = await openHouse(files, { project: "site", guard: true });
    const value = async () => (await host.call("leak", { texts: ["§§secret(TOKEN)"] })).message.split(" ")[0];
    expect(await value()).toBe(sha("value-of-site"));
    expect(JSON.stringify(await host.call("leak", { texts: [SECRET] }))).toContain("§§secret(TOKEN)");
    write({ "usr/projects/site/secrets.env": "TOKEN=another-value" });
    expect(await value()).toBe(sha("value-of-site"));
    const receipt = await host.reload();
    expect(receipt.status).toBe("ok");
    expect(await value()).toBe(sha("another-value"));
    rmSync(join(root, "usr/projects/site/secrets.env"));
    await host.reload();
    expect(await value()).toBe(sha(SECRET));
    expect((await host.call("leak", { texts: ["value-of-site another-value"] })).message).not.toMatch(
      /value-of|another/u,
    );
  });

  it("have diagnostics with file and line, which go when they are mended", async () => {
    const { host, write } = await openHouse({ "usr/secrets.env": "A=abc\nnonsense\nB=value-b\n" });
    const found = () => host.diagnostics().filter(({ file }) => file === "usr/secrets.env");
    expect(found()).toMatchObject([
      { code: "SECRET_TOO_SHORT", severity: "warning", line: 1 },
      { code: "SECRETS_INVALID", severity: "error", line: 2 },
    ]);
    const wrong = await host.reload();
    expect(wrong).toMatchObject({ status: "failed", diagnostics: [{ code: "SECRETS_INVALID" }] });
    write({ "usr/secrets.env": "A=abcd\n" });
    expect(await host.reload()).toMatchObject({ status: "ok", files: ["usr/secrets.env"], diagnostics: [] });
    expect(found()).toEqual([]);
  });

  it("do not come out by a module that fails while it loads", async () => {
    process.env.OF_A_TEST = SECRET;
    onTestFinished(() => void delete process.env.OF_A_TEST);
    const thrower = `throw new Error("cannot reach " + process.env.OF_A_TEST);`;
    const { host, root } = await openHouse({ ...FILES, "usr/tools/thrower.ts": thrower });
    const result = await host.call("thrower", {});
    expect(result.error).toMatchObject({ code: "TOOL_LOAD_FAILED" });
    const said = [result, await host.list(), await host.explain("thrower"), host.diagnostics(), await host.loadAll()];
    expect(JSON.stringify(said)).toContain("cannot reach §§secret(TOKEN)");
    await host.close();
    for (const text of [JSON.stringify(said), written(root)]) expectNoSecret(text);
  });
});
