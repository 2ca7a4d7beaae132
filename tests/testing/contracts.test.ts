import { describe, expect, test } from "vitest";
import type { ToolResult } from "../../core/sdk/result.ts";
import { missingArguments, unknownArguments, wrongTypes } from "../../core/testing/contracts/arguments.ts";
import { asking } from "../../core/testing/contracts/asking.ts";
import { concurrency } from "../../core/testing/contracts/concurrency.ts";
import { escapes } from "../../core/testing/contracts/escapes.ts";
import { fragment as fragmentContract } from "../../core/testing/contracts/fragment.ts";
import { hugeInput, unicodeInput } from "../../core/testing/contracts/inputs.ts";
import { masking } from "../../core/testing/contracts/masking.ts";
import { reloads } from "../../core/testing/contracts/reloads.ts";
import { envelope, jsonData, sampleCall } from "../../core/testing/contracts/results.ts";
import { abortBefore, abortDuring, timeout } from "../../core/testing/contracts/stopping.ts";
import type { Subject } from "../../core/testing/subject.ts";
import { fragment, subjectOf, toolModule, verdict } from "./bad-tools.ts";

const READS = 'import { readFileSync, existsSync, writeFileSync } from "node:fs"; import { join } from "node:path";';

describe("a tool that gives back what it holds", () => {
  test("may hold it", async () => {
    const body = `this.setInterval(() => {}, 1e6);
      const listener = () => {};
      process.on("toolroom-test-held", listener);
      this.onDispose(() => process.off("toolroom-test-held", listener));
      return this.success(args.text);`;
    const subject = await subjectOf(toolModule(body));
    expect(await verdict(reloads, subject)).toBe("kept");
  });

  test("may take long, when it listens to its signal", async () => {
    const body = 'await sleep(args.ms, undefined, { signal: this.signal }); return this.success("done");';
    const top = 'import { setTimeout as sleep } from "node:timers/promises";';
    const slow = { args: { ms: 60_000 } };
    const subject = await subjectOf(toolModule(body, "ms: z.number()", top), { args: { ms: 0 }, slow });
    expect(await verdict(abortDuring, subject)).toBe("kept");
    expect(await verdict(timeout, subject)).toBe("kept");
  });
});

/** A host that checks nothing: whatever it is asked, it answers as for the sample. */
async function answeredBlindly(): Promise<Subject> {
  const subject = await subjectOf(toolModule("return this.success(args.text);"));
  return { ...subject, call: async () => await subject.call(subject.sample.args) };
}

describe("what the host gives every tool is looked at, too", () => {
  test.each([unknownArguments, missingArguments, wrongTypes])("$name", async (contract) => {
    const good = await subjectOf(toolModule("return this.success(args.text);"));
    expect(await verdict(contract, good)).toBe("kept");
    expect(await verdict(contract, await answeredBlindly())).toMatch(
      /^broken: expected INVALID_PARAM at \/.* after it ran/su,
    );
  });

  test("the envelope", async () => {
    const subject = await subjectOf(toolModule("return this.success(args.text);"));
    const { sample } = subject;
    expect(await verdict(envelope, subject)).toBe("kept");
    const withResult = (result: ToolResult): Subject => ({ ...subject, sample: { ...sample, result } });
    expect(await verdict(envelope, withResult({ ...sample.result }))).toMatch(
      /^broken: .*a value at its root that is not frozen/su,
    );
    const foreign = Object.freeze({ ...sample.result, extra: 1 });
    expect(await verdict(envelope, withResult(foreign))).toMatch(/^broken: .*a field "extra" that no result has/su);
  });

  test("that a call which was stopped before does not run", async () => {
    const good = await subjectOf(toolModule("return this.success(args.text);"));
    expect(await verdict(abortBefore, good)).toBe("kept");
    expect(await verdict(abortBefore, await answeredBlindly())).toMatch(/^broken: expected ABORTED/u);
  });
});

describe("a bad tool is told", () => {
  test("when it throws for its own sample", async () => {
    const subject = await subjectOf(toolModule("return this.success(args.text.missing.length);"));
    expect(await verdict(sampleCall, subject)).toMatch(
      /^broken: expected the sample call \{"text":"text"\} \(its schema\) to work, found EXECUTION_ERROR: .* Mend the tool/su,
    );
  });

  test("when it changes its arguments", async () => {
    const subject = await subjectOf(toolModule('args.text = "other"; return this.success("done");'));
    expect(await verdict(sampleCall, subject)).toMatch(/read only property/u);
  });

  test("when its data is not JSON", async () => {
    const subject = await subjectOf(toolModule('return this.success("done", { at: new Date() });'));
    expect(await verdict(jsonData, subject)).toMatch(/^broken: expected data that is JSON .* an instance of Date/su);
  });

  test("when its data does not fit its output", async () => {
    const subject = await subjectOf(
      `import { Tool, z } from "toolroom";
       export default class extends Tool {
         static readonly output = z.object({ lines: z.number() });
         async execute() { return this.success("done", { lines: "three" }); }
       }`,
    );
    expect(await verdict(jsonData, subject)).toMatch(/\/data\/lines: expected number/u);
  });

  test("when it has no fragment, or one whose example does not fit", async () => {
    const body = "return this.success(args.text);";
    const without = await subjectOf(toolModule(body));
    expect(await verdict(fragmentContract, without)).toMatch(
      /^broken: expected a fragment beside .*, prompts\/agent\.system\.tool\.it\.md, found none/u,
    );
    const right = await subjectOf(toolModule(body), {
      plugin: { "prompts/agent.system.tool.it.md": fragment("{ text: hello }") },
    });
    expect(await verdict(fragmentContract, right)).toBe("kept");
    expect(right.sample).toMatchObject({ args: { text: "hello" }, from: "the first example of its fragment" });
    const wrong = await subjectOf(toolModule(body), {
      args: { text: "a" },
      plugin: { "prompts/agent.system.tool.it.md": fragment("{ txt: hello }") },
    });
    expect(await verdict(fragmentContract, wrong)).toMatch(/^broken: .*agent\.system\.tool\.it\.md.*"txt"/u);
  });

  test("when it has no schema and fails for anything but what it expects", async () => {
    const subject = await subjectOf(toolModule("return this.success(args.text.toUpperCase());", ""), {
      args: { text: "a" },
    });
    expect(await verdict(missingArguments, subject)).toMatch(/^broken: expected an answer to no argument at all/u);
    expect(await verdict(unknownArguments, subject)).toBe("kept: its schema accepts unknown arguments");
    expect(await verdict(wrongTypes, subject)).toBe("kept: its schema says no type of any argument");
  });

  test.each([
    ["its preview", 'static preview(args, { workspace }) { return write(workspace, "a").then(() => "a"); }'],
    [
      "its risk function",
      'static async risk(args, { workspace }) { await write(workspace, "a"); return { level: "low", reasons: [] }; }',
    ],
    ["its preview, what is there", 'static async preview(args, { workspace }) { await write(workspace, "b"); }'],
  ])("when %s changes something", async (_, part) => {
    const module = `import { Tool, z } from "toolroom";
      const write = (workspace, name) => workspace.write(name + ".txt", "done");
      export default class extends Tool {
        static readonly parameters = z.object({ text: z.string() });
        ${part}
        async execute() { return this.success("done"); }
      }`;
    const subject = await subjectOf(module, { files: { "b.txt": "before" } });
    expect(await verdict(asking, subject)).toMatch(
      /^broken: expected the files to be as they were when \{"text":"text"\} was denied: .*, found .*"done"/u,
    );
  });

  test("and one that only looks while it is asked about, or is never asked about, is not", async () => {
    const looks = `import { Tool, z } from "toolroom";
      export default class extends Tool {
        static readonly parameters = z.object({ text: z.string() });
        static async preview(args, { workspace }) { return await workspace.readText("b.txt"); }
        async execute() { await this.workspace.write("b.txt", "after"); return this.success("done"); }
      }`;
    const subject = await subjectOf(looks, {
      files: { "b.txt": "before" },
      settings: { risk_profiles: { default: {} } },
    });
    expect(await verdict(asking, subject)).toBe("kept");
    const answers = toolModule("return this.success(args.text);").replace(
      "static",
      'static readonly role = "answer"; static',
    );
    expect(await verdict(asking, await subjectOf(answers))).toBe("kept: it answers for the agent, so nobody is asked");
  });

  test("when it reads outside of the workspace", async () => {
    const body = "return this.success(readFileSync(join(this.workspace.root, args.path), 'utf8'));";
    const subject = await subjectOf(toolModule(body, "path: z.string()", READS));
    expect(subject.sample.result.status).toBe("success");
    expect(await verdict(escapes, subject)).toMatch(
      /^broken: expected nothing of a file outside of the workspace for .*\.\.\/outside\/canary/u,
    );
  });

  test("when it follows a link out", async () => {
    const body = `if (args.path.includes("..") || args.path.startsWith("/") || args.path.includes("\\0") || args.path.length > 1000)
        return this.failure("ACCESS_DENIED", "not inside");
      try { return this.success(readFileSync(join(this.workspace.root, args.path), "utf8")); }
      catch { return this.failure("NOT_FOUND", "not there"); }`;
    const subject = await subjectOf(toolModule(body, "path: z.string()", READS));
    expect(await verdict(escapes, subject)).toMatch(/^broken: .*toolroom-link\/canary\.txt/u);
  });

  test("when it tells whether a file outside exists", async () => {
    const body = `const there = existsSync(join(this.workspace.root, args.path));
      try { return this.success(await this.workspace.readText(args.path)); }
      catch (error) { return this.failure(there ? error.code : "NOT_FOUND", "no"); }`;
    const subject = await subjectOf(toolModule(body, "path: z.string()", READS));
    expect(await verdict(escapes, subject)).toMatch(
      /^broken: expected the same words for a file outside whether it exists/u,
    );
  });

  test("when it writes outside", async () => {
    const body = `try { writeFileSync(join(this.workspace.root, args.file), "x"); } catch {}
      return this.failure("ACCESS_DENIED", "no");`;
    const subject = await subjectOf(toolModule(body, "file: z.string()", READS));
    expect(await verdict(escapes, subject)).toMatch(/^broken: expected the directory beside the workspace as it was/u);
  });

  test("when half a character, or a text that is too long for it, makes it throw", async () => {
    const unicode = await subjectOf(toolModule("return this.success(encodeURIComponent(args.text));"));
    expect(await verdict(unicodeInput, unicode)).toMatch(
      /^broken: expected an answer to half of a surrogate pair in text/u,
    );
    const huge = await subjectOf(
      toolModule("return this.success(String(Math.max(...args.text.split(' ').map((word) => word.length))));"),
    );
    expect(await verdict(hugeInput, huge)).toMatch(
      /^broken: expected an answer to a megabyte of text in text.*call stack/u,
    );
  });

  test("when calls at the same time share what the module holds", async () => {
    const subject = await subjectOf(
      toolModule(
        "current = args.text; await new Promise((resolve) => setImmediate(resolve)); return this.success(current);",
        "text: z.string()",
        "let current = '';",
      ),
    );
    expect(await verdict(concurrency, subject)).toMatch(
      /^broken: expected message to be "text" for \{"text":"text"\}, as it is for a call alone, found "text(?: again){7}" with 8 calls/u,
    );
  });

  test("but not when it writes, or takes another time for each call", async () => {
    const write = `await this.workspace.write(args.path, args.text); const began = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 2));
      return this.success(\`took \${performance.now() - began} ms\`, { tookMs: performance.now() - began });`;
    const subject = await subjectOf(toolModule(write, "path: z.string(), text: z.string()"), {
      args: { path: "new/file.txt", text: "a" },
    });
    expect(await verdict(concurrency, subject)).toBe("kept");
  });

  test("when it goes on after it was stopped", async () => {
    const body = "await new Promise((resolve) => setTimeout(resolve, 1_000)); return this.success(args.text);";
    const subject = await subjectOf(toolModule(body));
    const goesOn = /^broken: expected execute to end within 60 ms after .*, found that it goes on\. Hand this\.signal/u;
    expect(await verdict(abortDuring, subject)).toMatch(goesOn);
    expect(await verdict(timeout, subject)).toMatch(goesOn);
  });

  test("when it leaves timers or listeners with each reload", async () => {
    const work = "return this.success(args.text);";
    const timers = await subjectOf(toolModule(work, undefined, "setInterval(() => {}, 1e6).unref();"));
    expect(await verdict(reloads, timers)).toMatch(/^broken: .*, found \d+ timers of versions before/u);
    const listeners = await subjectOf(toolModule(work, undefined, 'process.on("toolroom-test-leak", () => {});'));
    expect(await verdict(reloads, listeners)).toMatch(/more of process\.on\("toolroom-test-leak"\) with each/u);
    process.removeAllListeners("toolroom-test-leak");
  });

  test("when a helper that it imports leaves timers", async () => {
    const subject = await subjectOf(
      toolModule("return this.success(text(args.text));", undefined, 'import { text } from "../lib/text.ts";'),
      { plugin: { "lib/text.ts": "setInterval(() => {}, 1e6).unref();\nexport const text = (value) => value;\n" } },
    );
    expect(await verdict(reloads, subject)).toMatch(/timers of versions before/u);
  });

  test.each([
    ["spells it out", "args.text.split('').join(' ')"],
    ["turns it round", "[...args.text].reverse().join('')"],
    ["tells its beginning", "args.text.slice(0, 14)"],
  ])("when it %s", async (_, words) => {
    const subject = await subjectOf(toolModule(`return this.success(${words});`));
    expect(await verdict(masking, subject)).toMatch(/^broken: expected nothing of a secret in the result/u);
  });

  test("when it logs a part of a secret", async () => {
    const subject = await subjectOf(toolModule('this.log.debug(args.text.slice(1)); return this.success("done");'));
    expect(await verdict(masking, subject)).toMatch(/^broken: expected nothing of a secret in usr\/logs\//u);
  });

  test("when it throws outside of a call", async () => {
    const subject = await subjectOf(
      toolModule(
        "Promise.reject(new Error('nobody waits')); await new Promise((resolve) => setTimeout(resolve, 5)); return this.success(args.text);",
      ),
    );
    expect(await verdict(sampleCall, subject)).toMatch(
      /^broken: expected nothing to go wrong outside of a call, found STRAY_ERROR/u,
    );
  });

  test("when it is not served", async () => {
    const unmet = "---\ndescription: It.\nwhen: knowledge.enabled\n---\n## it\n";
    const module = toolModule("return this.success(args.text);");
    const plugin = { "prompts/agent.system.tool.it.md": unmet };
    await expect(subjectOf(module, { plugin })).rejects.toThrow(
      /found TOOL_UNMET: .*knowledge\.enabled.* Give the option settings/u,
    );
    const settings = { knowledge: { enabled: true } };
    expect((await subjectOf(module, { plugin, settings })).sample.result.status).toBe("success");
    // What asks a person is approved: a test is its author's own.
    const asking = { risk_profiles: { default: { always_ask: ["it"] } } };
    expect((await subjectOf(module, { settings: asking })).sample.result.status).toBe("success");
    const broken = { "plugin.yaml": "name: [\n" };
    await expect(subjectOf(module, { plugin: broken })).rejects.toThrow(/found MANIFEST_INVALID/u);
  });

  test("when it does not load", async () => {
    await expect(subjectOf("export default class {")).rejects.toThrow(/to load, found LOAD_SYNTAX in line \d/u);
  });
});

describe("what a contract cannot see", () => {
  test("is said: a call that is over at once, a tool without texts or paths", async () => {
    const subject = await subjectOf(toolModule('return this.success("done");', "count: z.number()"));
    expect(await verdict(abortDuring, subject)).toMatch(/^kept: it ended before it was stopped/u);
    expect(await verdict(masking, subject)).toBe("kept: it takes no text");
    expect(await verdict(escapes, subject)).toBe("kept: none of its arguments is a path");
  });

  test("is an error where the author says otherwise", async () => {
    const subject = await subjectOf(toolModule("return this.success(args.text);"), {
      slow: { args: { text: "long" } },
    });
    expect(await verdict(abortDuring, subject)).toMatch(/^broken: expected the call of the option slow/u);
  });
});
