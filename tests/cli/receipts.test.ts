import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runMain } from "../helpers/main.ts";
import { makeTree, toolSource } from "../helpers/tree.ts";

const root = makeTree({
  "usr/settings.yaml": "receipts:\n  enabled: true\n",
  "usr/tools/demo.ts": toolSource("done"),
});
const file = join(root, "usr/ledger/ledger.jsonl");
const receipts = (...words: string[]) => runMain(["receipts", ...words], { cwd: root });
const json = async (...words: string[]) => {
  const { code, stdout } = await receipts(...words, "--json");
  return { code, value: JSON.parse(stdout) };
};

describe("receipts", () => {
  let receipt = "";

  beforeAll(async () => {
    const { stdout } = await runMain(["call", "demo", "--json"], { cwd: root });
    ({ receipt } = JSON.parse(stdout));
    await runMain(["call", "nothing"], { cwd: root });
  });

  it("lists what has a receipt, and with --all or an outcome the rest", async () => {
    const { stdout } = await receipts();
    expect(stdout).toMatch(/^time \(UTC\) .*\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}usr\.demo {2}success {2}run {2}/u);
    expect(stdout).toContain(receipt);
    expect((await json()).value.calls).toMatchObject([{ id: receipt, face: "cli" }]);
    expect((await json("--all")).value.calls).toHaveLength(2);
    expect((await json("list", "--outcome", "unknown")).value.calls).toMatchObject([{ code: "UNKNOWN_TOOL" }]);
    expect((await json("list", "--all", "--limit", "1", "--tool", "demo")).value.calls).toHaveLength(1);
    expect((await receipts("--tool", "other")).stdout).toContain("receipts.enabled");
  });

  it("shows one, and refuses what is none", async () => {
    expect((await json("show", receipt)).value).toMatchObject({ receipt: true, entry: { tool: "demo", n: 2 } });
    expect((await receipts("show", receipt)).stdout).toMatch(/^receipt +rcpt_\w+\n/u);
    const [call] = (await json("list", "--outcome", "unknown")).value.calls;
    expect((await json("show", call.id)).value).toMatchObject({ receipt: false });
    const { code, stderr } = await receipts("show", "rcpt_nothing");
    expect(code).toBe(1);
    expect(stderr).toContain("RECEIPT_UNKNOWN");
  });

  it("compares an entry with a text and with arguments", async () => {
    const text = join(makeTree({ "text.txt": `done\n[receipt: ${receipt}]` }), "text.txt");
    const same = await json("show", receipt, "--text", text, "--args", "{}");
    expect(same).toMatchObject({ code: 0, value: { sameText: true, sameArgs: true } });
    writeFileSync(text, "done");
    expect((await receipts("show", receipt, "--text", text)).code).toBe(0);
    writeFileSync(text, "done.");
    const other = await json("show", receipt, "--text", text, "--args", '{"a":1}');
    expect(other).toMatchObject({ code: 1, value: { sameText: false, sameArgs: false } });
    for (const [option, value] of [
      ["--text", "nothing"],
      ["--args", "{"],
    ] as const)
      expect((await receipts("show", receipt, option, value)).code).toBe(2);
  });

  it("exports what somebody else verifies from the file alone", async () => {
    const elsewhere = makeTree({});
    const to = join(elsewhere, "export.json");
    expect((await json("export", "--to", to)).value).toEqual({ file: to, from: 1, lines: 5 });
    const verified = await runMain(["receipts", "verify", "export.json", "--json"], { cwd: elsewhere });
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, calls: 2, receipts: 1, problems: [] });
    const { id } = JSON.parse(verified.stdout).keys[0];
    const by = async (key: string) => await runMain(["receipts", "verify", to, "--key", key], { cwd: elsewhere });
    expect((await by(id)).code).toBe(0);
    expect(await by("0123456789abcdef")).toMatchObject({ code: 1, stdout: expect.stringContaining("only 0123") });
    writeFileSync(to, (await receipts("export", receipt)).stdout.replace("usr", "usx"));
    expect((await runMain(["receipts", "verify", "export.json"], { cwd: elsewhere })).code).toBe(1);
    expect((await receipts("export", "rcpt_nothing")).code).toBe(1);
    expect((await receipts("export", "--to", "/nothing/here")).code).toBe(2);
    expect((await runMain(["receipts", "export"], { cwd: elsewhere })).stderr).toContain("receipts.enabled");
  });

  it("verifies, and names the line that is not what was written", async () => {
    const intact = readFileSync(file, "utf8");
    const lines = intact.split("\n");
    const whole = await receipts("verify");
    expect(whole.code).toBe(0);
    expect(whole.stdout).toMatch(
      /^The ledger is as it was written: 5 lines, 2 calls, 1 receipts, signed with \w{16}\.\n$/u,
    );
    const broken = async (text: string) => {
      writeFileSync(file, text);
      const { code, stdout } = await receipts("verify");
      writeFileSync(file, intact);
      expect(code).toBe(1);
      expect(stdout).toContain("The ledger is not as it was written");
      return stdout;
    };
    expect(await broken(intact.replace("demo", "Demo"))).toMatch(/^line 2: changed: /u);
    expect(await broken(lines.toSpliced(1, 1).join("\n"))).toMatch(/^line 2: missing: /u);
    expect(
      await broken(
        lines
          .with(1, lines[3] as string)
          .with(3, lines[1] as string)
          .join("\n"),
      ),
    ).toMatch(/: order: /u);
    expect(await broken(lines.slice(0, 3).join("\n"))).toMatch(/: cut: /u);
    expect((await json("verify")).value).toMatchObject({ ok: true });
  });

  it("says how it is used", async () => {
    for (const words of [
      ["forget"],
      ["show"],
      ["show", "a", "b"],
      ["list", "x"],
      ["--limit", "0"],
      ["--outcome", "ok"],
    ])
      expect((await receipts(...words)).code, words.join(" ")).toBe(2);
    expect((await receipts("verify", "nothing.json")).stderr).toMatch(/LEDGER_UNREADABLE: .*nothing\.json/u);
  });
});
