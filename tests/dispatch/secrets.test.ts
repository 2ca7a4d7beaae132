import { describe, expect, it } from "vitest";
import type { AuthoriseCall } from "../../core/dispatch/environment.ts";
import { revealSecrets } from "../../core/governance/secret-placeholders.ts";
import { ToolError } from "../../core/sdk/errors.ts";
import { tool, type WorkbenchOptions, workbench } from "./workbench.ts";

const SECRET = "sk-0123456789";
const known = { values: new Map([["KEY", SECRET]]), withheld: new Set<string>() };

function bench(options: WorkbenchOptions = {}) {
  return workbench({
    ...options,
    secrets: [{ name: "KEY", value: SECRET }],
    env: { reveal: (args) => revealSecrets(args, known), ...options.env },
  });
}

describe("a secret in a call", () => {
  it("is put in after everybody has looked at the arguments, and taken out before anybody sees the result", async () => {
    const seen: unknown[] = [];
    const { call, trace, events, history } = bench({
      tools: {
        echo: tool(function (args: { text: string[] }) {
          seen.push(args, this.args);
          return this.success(`got ${args.text}`, { args });
        }),
      },
      hooks: {
        tool_execute_before: (payload) => void seen.push(payload.args),
        tool_execute_after: ({ result }) => void seen.push(result.message),
      },
      env: {
        authorise: ({ args }: AuthoriseCall) => {
          seen.push(args);
          return { run: true };
        },
      },
    });
    const placeholder = { text: ["§§secret(KEY)"] };
    const value = { text: [SECRET] };
    const result = await call("echo", placeholder);
    expect(seen).toEqual([placeholder, placeholder, value, value, "got §§secret(KEY)"]);
    expect(trace.indexOf("authorise")).toBeLessThan(trace.indexOf("execute"));
    expect(result).toMatchObject({
      message: "got §§secret(KEY)",
      data: { args: placeholder },
      context: { args: placeholder },
    });
    expect(events[0]).toMatchObject({ type: "tool_start", args: placeholder });
    expect(JSON.stringify([events, history])).not.toContain(SECRET);
  });

  it("that does not exist is told to the model, with those that do, and nothing runs", async () => {
    let ran = false;
    const { call, lines } = bench({ tools: { echo: tool(() => (ran = true)) } });
    const result = await call("echo", { a: { b: "§§secret(OTHER)" } });
    expect(result.error).toMatchObject({ code: "SECRET_UNKNOWN", class: "model", retryable: false, pointer: "/a/b" });
    expect(result.message).toMatch(/^SECRET_UNKNOWN: .*OTHER.*available: KEY\n/);
    expect(ran).toBe(false);
    expect(lines).toMatchObject([{ status: "error", code: "SECRET_UNKNOWN" }]);
  });

  it("is out of everything that an error carries", async () => {
    const { call, toolLines } = bench({
      tools: {
        thrown: tool(() => {
          throw new Error(`at ${SECRET}`, { cause: SECRET });
        }),
        coded: tool(() => {
          throw new ToolError("CONFLICT", `at ${SECRET}`, {
            pointer: `/${SECRET}`,
            hint: `not ${SECRET}`,
            cause: { deep: [SECRET] },
            data: { [SECRET]: SECRET },
          });
        }),
        logged: tool(function () {
          this.log.error(`at ${SECRET}`, { error: new Error(SECRET) });
          return this.failure("CONFLICT", SECRET);
        }),
      },
    });
    for (const name of ["thrown", "coded", "logged"]) {
      const text = JSON.stringify(await call(name));
      expect(text).toContain("§§secret(KEY)");
      expect(text).not.toContain(SECRET);
    }
    expect(toolLines).toHaveLength(1);
  });

  it("is out of progress before an extension or a listener hears of it", async () => {
    const heard: string[] = [];
    const { call, events } = bench({
      tools: {
        slow: tool(async function () {
          await this.setProgress(`asking with ${SECRET}`);
          return this.success("done");
        }),
      },
      hooks: { tool_output_update: ({ content }) => void heard.push(content) },
    });
    await call("slow");
    expect(heard).toEqual(["asking with §§secret(KEY)"]);
    expect(events.filter(({ type }) => type === "tool_progress")).toMatchObject([
      { text: "asking with §§secret(KEY)" },
    ]);
  });

  it("does not come through in halves where a text is cut", async () => {
    const stop = new AbortController();
    const { call } = bench({
      tools: {
        slow: tool(async function () {
          // The cut at 2,000 characters from the end goes through the secret.
          await this.setProgress(`${SECRET}${"x".repeat(1_995)}`);
          stop.abort(new ToolError("STOPPED", "stopped"));
          await new Promise(() => {});
        }),
      },
      env: { signal: stop.signal },
    });
    const { message } = await call("slow");
    expect(message).toContain("Progress until then");
    expect(message).not.toMatch(/\dx/);
  });
});
