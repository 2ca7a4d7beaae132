import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCase } from "../../core/testing/cases.ts";
import type { ToolCase } from "../../core/testing/options.ts";
import { subjectOf, toolModule } from "./bad-tools.ts";

const TOOL = toolModule(
  `await this.setProgress("at work");
   if (args.text === "no") return this.failure("NOT_FOUND", "it is not there", { pointer: "/text" });
   return this.response({ message: "It says " + args.text + ".", data: { text: args.text, list: [1, { a: 2 }] }, additional: { keep: "it" } });`,
);

test("a case says what has to come of a call, and every expectation that is not met is told", async () => {
  const subject = await subjectOf(TOOL);
  const run = async (given: Omit<ToolCase, "name">) => {
    try {
      await runCase(subject, { name: "x", ...given });
      return "met";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const args = { text: "yes" };
  expect(await run({ args })).toBe("met");
  expect(
    await run({
      args,
      expect: { message: "It says yes.", breakLoop: false, data: { text: "yes" }, additional: { keep: "it" } },
    }),
  ).toBe("met");
  expect(await run({ args, expect: { message: /says y/u, data: { list: [1, { a: 2 }] } } })).toBe("met");
  expect(await run({ args: { text: "no" }, expect: { code: "NOT_FOUND", pointer: "/text" } })).toBe("met");

  expect(await run({ args: { text: "no" } })).toMatch(
    /^expected status success, found status error; the message is "NOT_FOUND: /u,
  );
  expect(await run({ args, expect: { code: "NOT_FOUND" } })).toMatch(
    /^expected status error and code NOT_FOUND, found status success and code of no error;/u,
  );
  expect(await run({ args, expect: { message: "It says", breakLoop: true } })).toMatch(
    /^expected message "It says" and breakLoop true, found another message and breakLoop false; the message is "It says yes\."\. The call was \{"text":"yes"\}\.$/u,
  );
  expect(await run({ args, expect: { data: { list: [1] } } })).toMatch(/^expected data \{"list":\[1\]\}, found data /u);
  expect(await run({ expect: { code: "INVALID_PARAM", pointer: "/text" } })).toBe("met");
});

test("each case has a workspace of its own, with its files and those of all", async () => {
  const subject = await subjectOf(TOOL, { files: { "all.txt": "all" } });
  const args = { text: "yes" };
  await runCase(subject, {
    name: "first",
    args,
    files: { "deep/first.txt": "1" },
    setup: ({ workspace }) => expect(readdirSync(workspace)).toEqual(["all.txt", "deep"]),
  });
  let looked = false;
  await runCase(subject, {
    name: "second",
    args,
    async check(result, { workspace, call, progress, host }) {
      expect(existsSync(join(workspace, "deep"))).toBe(false);
      expect(progress()).toEqual(["at work"]);
      expect((await call({ text: "more" })).message).toBe("It says more.");
      expect(progress()).toEqual(["at work", "at work"]);
      expect(host.workspace).toBe(workspace);
      looked = result.status === "success";
    },
  });
  expect(looked).toBe(true);
});

test("a signal stops the call, and a method is one", async () => {
  const subject = await subjectOf(
    toolModule("return this.success(this.method + ' ' + args.action);", 'action: z.enum(["list", "load"])'),
  );
  await runCase(subject, { name: "method", method: "load", expect: { message: "load load" } });
  const args = { action: "list" };
  await runCase(subject, { name: "stopped", args, signal: AbortSignal.abort(), expect: { code: "ABORTED" } });
});
