import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLine } from "../../core/governance/ledger-lines.ts";
import { callsWith, lastCalls } from "../../core/governance/ledger-reader.ts";
import { isReceiptId } from "../../core/governance/receipt-id.ts";
import { entry, ledgerBench } from "./ledger-bench.ts";

const kindsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).kind);

describe("a ledger", () => {
  it("has a line for each call, chained, signed, and private to its owner", async () => {
    const { enter, lines, places, verify, found } = ledgerBench();
    const ids = await enter("c1", "c2");
    expect(kindsOf(lines())).toEqual(["key", "call", "call", "seal"]);
    expect(ids.every((id) => isReceiptId(String(id)))).toBe(true);
    expect(JSON.parse(lines()[1] as string)).toEqual({
      ...entry({ call: "c1" }),
      v: 1,
      n: 2,
      kind: "call",
      id: ids[0],
      run: "r1",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      key: expect.stringMatching(/^[0-9a-f]{16}$/u),
      prev: expect.stringMatching(/^[0-9a-f]{64}$/u),
      witness: expect.any(String),
    });
    expect(readFileSync(places.head, "utf8")).toBe(lines().at(-1));
    for (const file of [places.key, places.file, places.head]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(places.directory).mode & 0o777).toBe(0o700);
    expect(await verify()).toMatchObject({ ok: true, lines: 4, calls: 2, receipts: 2, unsigned: 0, notes: [] });
    expect(found).toEqual([]);
  });

  it("enters a call without a promise, and it is with the operating system when that is done", () => {
    const { open, lines } = ledgerBench();
    const ledger = open();
    expect(ledger.enter(entry())).toBeTypeOf("string");
    expect(kindsOf(lines())).toEqual(["key", "call"]);
  });

  it("goes on where another host left it, with the same key", async () => {
    const { enter, lines, verify } = ledgerBench();
    await enter("c1");
    await enter("c2");
    expect(kindsOf(lines())).toEqual(["key", "call", "seal", "call", "seal"]);
    expect(await verify()).toMatchObject({ ok: true, keys: [{ line: 1 }] });
  });

  it("is written by two hosts in turns, and its chain does not fork", async () => {
    const { open, verify } = ledgerBench();
    const [a, b] = [open("a"), open("b")];
    const entered = Array.from({ length: 60 }, (_, index) => [
      a.enter(entry({ call: `a${index}` })),
      b.enter(entry({ call: `b${index}` })),
    ]).flat();
    const ids = await Promise.all(entered);
    await Promise.all([a.close(), b.close()]);
    expect(new Set(ids).size).toBe(120);
    expect(await verify()).toMatchObject({ ok: true, calls: 120, unsigned: 0 });
  });

  it("lets others write while one is busy", async () => {
    const { open, verify } = ledgerBench();
    const [busy, other] = [open("a"), open("b")];
    let done = false;
    busy.enter(entry());
    const waiting = Promise.resolve(other.enter(entry())).then((id) => {
      done = true;
      return id;
    });
    while (!done) {
      await busy.enter(entry());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isReceiptId(String(await waiting))).toBe(true);
    await Promise.all([busy.close(), other.close()]);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it("names a last line that a crash tore, takes it out, and goes on with a note", async () => {
    const { enter, places, verify, found, lines } = ledgerBench();
    await enter("c1");
    appendFileSync(places.file, '{"agent":null,"args":"00');
    expect(await verify()).toMatchObject({ ok: false, problems: [{ line: 4, what: "torn" }] });
    await enter("c2");
    expect(found).toMatchObject([{ code: "LEDGER_REPAIRED", message: expect.stringContaining("24 bytes") }]);
    expect(kindsOf(lines())).toEqual(["key", "call", "seal", "note", "call", "seal"]);
    expect(await verify()).toMatchObject({ ok: true, notes: [{ line: 4 }] });
  });

  it("signs what a process that was killed left unsigned", async () => {
    const { enter, open, verify, lines, write, places } = ledgerBench();
    await enter("c1");
    // What a host has written when it is killed: no seal, and the head of before.
    const head = readFileSync(places.head);
    await enter("c2");
    write(lines().slice(0, -1));
    writeFileSync(places.head, head);
    expect(await verify()).toMatchObject({ ok: true, unsigned: 1 });
    const ledger = open();
    await ledger.enter(entry());
    await ledger.close();
    expect(await verify()).toMatchObject({ ok: true, unsigned: 0, calls: 3 });
  });

  it("keeps in mind that its end was cut off: a call after that does not mend it", async () => {
    const { enter, verify, found, lines, write } = ledgerBench();
    await enter("c1");
    await enter("c2");
    write(lines().slice(0, 3));
    expect(await verify()).toMatchObject({ ok: false, problems: [{ line: 4, what: "cut" }] });
    await enter("c3");
    expect(found).toMatchObject([{ code: "LEDGER_BROKEN", message: expect.stringContaining("expected line 5") }]);
    expect(await verify()).toMatchObject({ ok: false, problems: [{ line: 4, what: "missing" }] });
  });

  it("keeps in mind a line that somebody without the key put behind the last seal", async () => {
    const { enter, verify, found, lines, write } = ledgerBench();
    await enter("c1");
    const [, call = "", seal = ""] = lines();
    const { sha256 } = await import("../../core/governance/ledger-lines.ts");
    const { canonicalJson } = await import("../../core/governance/canonical-json.ts");
    const id = `rcpt_${"a".repeat(26)}`;
    write([...lines(), canonicalJson({ ...JSON.parse(call), id, n: 4, prev: sha256(seal) })]);
    expect(await verify()).toMatchObject({ ok: false, problems: [{ line: 4, what: "changed" }] });
    await enter("c2");
    expect(found).toMatchObject([{ code: "LEDGER_BROKEN", message: expect.stringContaining("line 4") }]);
    const { problems } = await verify();
    expect(problems.map(({ line, what }) => [line, what])).toContainEqual([5, "forged"]);
  });

  it("says that its key is gone, and a new one signs from there on", async () => {
    for (const harm of [rmSync, (file: string) => writeFileSync(file, "no key")]) {
      const { enter, verify, found, places } = ledgerBench();
      await enter("c1");
      harm(places.key);
      await enter("c2");
      expect(found).toMatchObject([{ code: "LEDGER_KEY_LOST", message: expect.stringContaining("from line 4") }]);
      expect(await verify()).toMatchObject({ ok: true, keys: [{ line: 1 }, { line: 4 }], notes: [{ line: 4 }] });
    }
  });

  it("that was removed whole begins anew; one whose lines alone are gone does not pass", async () => {
    const { enter, verify, places, lines } = ledgerBench();
    expect(await verify()).toMatchObject({ ok: true, lines: 0 });
    await enter("c1");
    rmSync(places.file);
    expect(await verify()).toMatchObject({ ok: false, problems: [{ what: "cut" }] });
    rmSync(places.head);
    expect(await verify()).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining("is gone") }] });
    rmSync(places.directory, { recursive: true });
    await enter("c1");
    expect(lines()).toHaveLength(3);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it("that cannot be written gives no receipts, and says so", async () => {
    const { open, found, places } = ledgerBench();
    mkdirSync(places.file, { recursive: true });
    const ledger = open();
    expect(ledger.enter(entry())).toBeUndefined();
    expect(found).toMatchObject([{ code: "LEDGER_UNWRITABLE", file: "ledger/ledger.jsonl" }]);
    rmSync(places.directory, { recursive: true });
    expect(ledger.enter(entry())).toBeTypeOf("string");
    await ledger.close();
    expect(ledger.enter(entry())).toBeUndefined();
  });

  it("on a full disk gives no receipts, and goes on when there is room", async () => {
    const { open, found, places, verify } = ledgerBench();
    mkdirSync(places.directory);
    symlinkSync("/dev/full", places.file);
    const ledger = open();
    expect([ledger.enter(entry()), ledger.enter(entry())]).toEqual([undefined, undefined]);
    expect(found[0]).toMatchObject({ code: "LEDGER_UNWRITABLE", message: expect.stringContaining("ENOSPC") });
    rmSync(places.file);
    expect(ledger.enter(entry())).toBeTypeOf("string");
    await ledger.close();
    expect(await verify()).toMatchObject({ ok: true, calls: 1 });
  });

  it("is not waited for without end where another machine has it, and the way out is named", async () => {
    const { open, places, found, verify } = ledgerBench();
    const lock = join(places.lock, "lock-00000000-1-1-00000000");
    mkdirSync(places.lock, { recursive: true });
    writeFileSync(lock, "");
    const ledger = open("r1", 20);
    expect(await Promise.all([ledger.enter(entry()), ledger.enter(entry())])).toEqual([undefined, undefined]);
    expect(found[0]?.message).toMatch(/in the hands of process 1 of another machine; .* delete ledger\/lock\/lock-0/u);
    rmSync(lock);
    expect(ledger.enter(entry())).toBeTypeOf("string");
    await ledger.close();
    expect(await verify()).toMatchObject({ ok: true, calls: 1 });
  });
});

describe("the lines of a ledger", () => {
  it("are found by their ids and by what is asked, newest first", async () => {
    const { enter, places, open } = ledgerBench();
    const [first] = await enter(...Array.from({ length: 30 }, (_, index) => `c${index}`));
    const ledger = open("r2");
    const denied = await ledger.enter(entry({ tool: "other", outcome: "denied", code: "NO_APPROVER" }));
    await ledger.close();
    const found = await callsWith(places.file, [String(first), String(denied), "rcpt_none"]);
    expect([...found.values()].map(({ outcome }) => outcome)).toEqual(["denied", "success"]);
    const calls = async (filter: object, limit = 99) => (await lastCalls(places.file, filter, limit)).length;
    expect(await calls({})).toBe(31);
    expect(await calls({ receipts: true })).toBe(30);
    expect(await calls({ tool: "other" })).toBe(1);
    expect(await calls({ outcome: "success" }, 7)).toBe(7);
    expect(await calls({ run: "r2" })).toBe(1);
    expect(await calls({ turn: "t2" })).toBe(0);
    expect(await calls({ since: "2999" })).toBe(0);
    expect((await lastCalls(places.file, {}, 2)).map(({ call }) => call)).toEqual(["c1", "c29"]);
    expect(await lastCalls(`${places.file}x`, {}, 2)).toEqual([]);
  });

  it("are read from the end of a file of any length, whatever is cut in two by a piece of it", async () => {
    const { enter, places, lines, write } = ledgerBench();
    await enter("é", "芝");
    const [, first = "", last = ""] = lines();
    const filler = (length: number) => "芝".repeat(length / 3);
    for (const length of [0, 3, 1_048_575, 1_048_578, 3_145_728]) {
      for (const shift of [0, 1, 2]) {
        write([first, filler(length), "x".repeat(shift), last]);
        expect(
          (await lastCalls(places.file, {}, 9)).map(({ call }) => call),
          `${length}, ${shift}`,
        ).toEqual(["芝", "é"]);
      }
    }
    write([]);
    expect(await lastCalls(places.file, {}, 9)).toEqual([]);
    writeFileSync(places.file, first);
    expect(await lastCalls(places.file, {}, 9)).toEqual([]);
  });

  it("count in their one form only, with all that belongs to them and nothing else", async () => {
    const { enter, lines } = ledgerBench();
    await enter("c1");
    const call = lines()[1] as string;
    expect(readLine(call)).toHaveProperty("line");
    for (const wrong of [
      call.replace(",", ", "),
      call.slice(0, -1),
      call.replace('"outcome":"success"', '"outcome":"fine"'),
      call.replace('"turn":"t1",', ""),
      call.replace('"v":1', '"v":1,"w":1'),
      call.replace('"v":1', '"v":2'),
      "[]",
      "null",
      '{"kind":"toString"}',
    ]) {
      expect(readLine(wrong), wrong).toHaveProperty("fault");
    }
  });

  it("may be many, and its end is found from any length of them", async () => {
    const { open, verify, places, found } = ledgerBench();
    const ledger = open();
    for (let index = 0; index < 300; index++) await ledger.enter(entry({ call: "x".repeat(500) }));
    await ledger.close();
    truncateSync(places.file, statSync(places.file).size - 1);
    const next = open();
    await next.enter(entry());
    await next.close();
    // The end that is missing was that of the seal.
    expect(found.map(({ code }) => code)).toEqual(["LEDGER_REPAIRED", "LEDGER_BROKEN"]);
    expect((await verify()).problems).toMatchObject([{ what: "missing" }]);
    expect(await lastCalls(places.file, {}, 999)).toHaveLength(301);
  });
});
