import { createHash, createPublicKey, verify } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../core/governance/canonical-json.ts";
import { exportLedger, type LedgerExport, verifyFile } from "../../core/governance/ledger-export.ts";
import { openLedgerFile } from "../../core/governance/ledger-file.ts";
import { type LedgerKey, makeLedgerKey, readLedgerKey } from "../../core/governance/ledger-key.ts";
import { isSigned } from "../../core/governance/ledger-lines.ts";
import { verifyOwnLedger } from "../../core/governance/ledger-own.ts";
import { ledgerPlaces } from "../../core/governance/ledger-places.ts";
import { makeTree } from "../helpers/tree.ts";
import { entry, ledgerBench } from "./ledger-bench.ts";

/** A ledger of two hosts: a key, three calls and a seal, two calls and a seal. */
async function written() {
  const bench = ledgerBench();
  await bench.enter("c1", "é → 芝", "c3");
  await bench.enter("c4", "c5");
  const intact = readFileSync(bench.places.file);
  const broken = async (change: (lines: string[]) => readonly string[]) => {
    bench.write(change(intact.toString().split("\n").slice(0, -1)));
    const { ok, problems } = await bench.verify();
    return { ok, problems: problems.map(({ line, what }) => `${line} ${what}`) };
  };
  return { ...bench, intact, broken };
}

describe("the verification", () => {
  it("finds any changed byte, and names its line or the one behind it", async () => {
    const { places, intact, verify } = await written();
    const flips = fc.record({
      at: fc.nat(intact.length - 1),
      bits: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(flips, async ({ at, bits }) => {
        const changed = Buffer.from(intact);
        changed[at] = (intact[at] as number) ^ bits;
        writeFileSync(places.file, changed);
        const { ok, problems } = await verify();
        const line = intact.subarray(0, at).toString("latin1").split("\n").length;
        expect(ok).toBe(false);
        const named = problems.map((problem) => problem.line);
        expect(named.some((number) => number === line || number === line + 1)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("finds any changed byte of a line without this host's key, too", async () => {
    const { places, intact, verify } = await written();
    rmSync(places.key);
    for (let at = 0; at < intact.length; at += 41) {
      const changed = Buffer.from(intact);
      changed[at] = (intact[at] as number) ^ 1;
      writeFileSync(places.file, changed);
      expect((await verify()).ok, `byte ${at}`).toBe(false);
    }
  });

  it("finds a line that was dropped, wherever it stood", async () => {
    const { broken, lines } = await written();
    const { length } = lines();
    expect(length).toBe(8);
    for (let at = 0; at < length; at++) {
      const { problems } = await broken((all) => all.toSpliced(at, 1));
      expect(problems, `line ${at + 1}`).toContain(at + 1 === length ? `${length} cut` : `${at + 1} missing`);
    }
  });

  it("finds two lines that changed places, any two", async () => {
    const { broken } = await written();
    for (const [a, b] of [
      [1, 2],
      [1, 3],
      [3, 5],
      [4, 7],
      [0, 1],
    ] as const) {
      const { problems } = await broken((all) => all.with(a, all[b] as string).with(b, all[a] as string));
      expect(problems, `${a + 1} and ${b + 1}`).toContainEqual(expect.stringMatching(/ order$/u));
      expect(problems.some((problem) => Number.parseInt(problem, 10) <= b + 1)).toBe(true);
    }
  });

  it("finds a line that was put in: of the ledger itself, of another one, of nobody", async () => {
    const { broken } = await written();
    const other = ledgerBench();
    await other.enter("c1", "c2");
    const foreign = other.lines();
    expect((await broken((all) => all.toSpliced(3, 0, all[1] as string))).problems).toEqual(["4 order"]);
    expect((await broken((all) => all.toSpliced(3, 0, foreign[2] as string))).ok).toBe(false);
    expect((await broken((all) => all.toSpliced(3, 0, foreign[1] as string))).problems).toContain("4 unsigned");
    expect((await broken((all) => all.toSpliced(3, 0, "{}"))).problems).toEqual(["4 changed"]);
    expect((await broken((all) => all.toSpliced(3, 0, ""))).problems).toEqual(["4 changed"]);
  });

  it("finds an end that was cut off, at any byte", async () => {
    const { places, intact, verify } = await written();
    for (let length = 0; length < intact.length; length += 43) {
      writeFileSync(places.file, intact.subarray(0, length));
      const { ok, problems } = await verify();
      expect(ok, `${length} bytes`).toBe(false);
      expect(problems.map(({ what }) => what)).toContain("cut");
    }
  });

  it("finds a head that is gone or changed", async () => {
    const { places, verify } = await written();
    writeFileSync(places.head, "{}");
    expect((await verify()).problems).toMatchObject([{ what: "cut" }]);
    rmSync(places.head);
    expect((await verify()).problems).toMatchObject([{ what: "head" }]);
  });

  it("does not take a ledger that somebody else signed with his own key under the name of ours", async () => {
    const { broken } = await written();
    const stranger = makeLedgerKey(join(makeTree({}), "key.pem"));
    const resigned = (key: LedgerKey) => (line: string) => {
      const { witness: _, ...body } = JSON.parse(line);
      const text = canonicalJson(body);
      return canonicalJson({ ...body, witness: isSigned(body) ? key.sign(text) : key.seal(text) });
    };
    const { problems } = await broken((all) => all.map(resigned(stranger)));
    expect(problems).toContain("1 changed");
  });

  it("does not take a ledger that somebody else made whole, and calls after that do not mend it", async () => {
    const { places, verify, enter, found } = await written();
    const other = ledgerBench();
    await other.enter("c1", "c2");
    for (const name of ["file", "head"] as const) copyFileSync(other.places[name], places[name]);
    expect((await verify()).problems).toMatchObject([{ line: 1, what: "unsigned" }]);
    await enter("c6");
    expect(found.map(({ code }) => code)).toEqual(["LEDGER_KEY_LOST", "LEDGER_BROKEN"]);
    expect((await verify()).problems).toMatchObject([{ what: "forged" }]);
  });

  it("does not take lines of another key behind ours, which is not lost", async () => {
    const { places, verify, enter, found } = await written();
    const elsewhere = { ...ledgerPlaces(makeTree({})), file: places.file, head: places.head };
    mkdirSync(elsewhere.directory);
    const file = openLedgerFile({ places: elsewhere, run: "r9", now: () => new Date(), found: () => {} });
    file.append({ kind: "call", id: `rcpt_${"a".repeat(26)}`, ...entry({ call: "forged" }) });
    file.seal();
    file.close();
    expect((await verify()).problems).toMatchObject([{ line: 9, what: "unsigned" }]);
    await enter("c6");
    expect(found).toMatchObject([{ code: "LEDGER_BROKEN", message: expect.stringContaining("which was not lost") }]);
    expect((await verify()).problems.map(({ what }) => what)).toEqual(["unsigned", "forged"]);
  });

  it("knows that the end was cut off together with the note of it, also after more calls", async () => {
    const { places, verify, enter, found, lines, write } = await written();
    await enter("c6");
    write(lines().slice(0, 8));
    rmSync(places.head);
    await enter("c7");
    expect(found).toMatchObject([{ code: "LEDGER_BROKEN", message: expect.stringContaining("ends at line 8") }]);
    expect((await verify()).problems).toMatchObject([{ line: 9, what: "missing" }]);
  });

  it("takes the lines of one key alone where it is told to", async () => {
    const { places, enter, lines } = await written();
    const { key, public: publicKey } = JSON.parse(lines()[0] as string);
    const problems = async (only: string) => (await verifyOwnLedger(places, only)).problems;
    expect(await problems(key)).toEqual([]);
    expect(await problems(publicKey)).toEqual([]);
    expect(await problems("0".repeat(16))).toMatchObject([{ line: 1, what: "unsigned" }]);
    rmSync(places.key);
    await enter("c6");
    expect(await problems(key)).toMatchObject([{ line: 9, what: "unsigned" }]);
  });

  it("of many lines costs a signature for each seal only", async () => {
    const { open, verify } = ledgerBench();
    const ledger = open();
    for (let index = 0; index < 2000; index++) await ledger.enter(entry({ call: `c${index}` }));
    await ledger.close();
    expect(await verify()).toMatchObject({ ok: true, calls: 2000 });
  });
});

describe("an export", () => {
  async function exported(id?: string) {
    const bench = await written();
    const made = await exportLedger(bench.places.file, { key: readLedgerKey(bench.places.key) as LedgerKey, id });
    const file = join(makeTree({}), "export.json");
    const check = async (value: unknown, only?: string) => {
      writeFileSync(file, JSON.stringify(value));
      return await verifyFile(file, { shown: "export.json", only });
    };
    return { ...bench, made: made as LedgerExport, check };
  }

  it("is verified without the host that made it", async () => {
    const { made, check, lines } = await exported();
    expect(made.lines).toEqual(lines());
    expect(await check(made)).toMatchObject({ ok: true, calls: 5, unsigned: 0 });
  });

  it("of one receipt holds what leads to its seal, and no more", async () => {
    const all = await exported();
    const { id } = JSON.parse(all.lines()[2] as string);
    const key = readLedgerKey(all.places.key) as LedgerKey;
    const made = (await exportLedger(all.places.file, { key, id })) as LedgerExport;
    expect(made.lines).toEqual(all.lines().slice(2, 5));
    expect(await all.check(made)).toMatchObject({ ok: true, lines: 3, calls: 2 });
    expect(await exportLedger(all.places.file, { key, id: "rcpt_none" })).toBeUndefined();
  });

  it("needs nothing but SHA-256, Ed25519 and the public key, as its documents say", async () => {
    const { made } = await exported();
    const [publicKey = ""] = made.keys;
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), type: "spki", format: "der" });
    const isSignedBy = (text: string, signature: string) =>
      verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"));
    let prev = "0".repeat(64);
    for (const [index, line] of made.lines.entries()) {
      const { kind, n, prev: before, witness } = JSON.parse(line);
      expect([n, before]).toEqual([index + 1, prev]);
      if (kind !== "call") expect(isSignedBy(line.replace(`,"witness":"${witness}"`, ""), witness)).toBe(true);
      prev = createHash("sha256").update(line).digest("hex");
    }
    const { sig, ...body } = made;
    expect(isSignedBy(JSON.stringify(body, Object.keys(body).sort()), sig)).toBe(true);
  });

  it("that was changed, shortened or made of other parts is found", async () => {
    const { made, check } = await exported();
    const { lines, keys } = made;
    const ok = async (change: Partial<Record<keyof LedgerExport, unknown>>) => (await check({ ...made, ...change })).ok;
    expect(await ok({})).toBe(true);
    expect(await ok({ lines: lines.slice(0, 5) })).toBe(false);
    expect(await ok({ lines: lines.toSpliced(2, 1) })).toBe(false);
    expect(await ok({ lines: lines.with(1, (lines[1] as string).replace("demo", "Demo")) })).toBe(false);
    expect(await ok({ time: "2000" })).toBe(false);
    expect(await ok({ keys: [] })).toBe(false);
    expect(await ok({ keys: [keys[0], keys[0]?.replace("M", "N")] })).toBe(false);
    expect(await ok({ from: 2 })).toBe(false);
  });

  it("that somebody else made with a key of his own is found by the key that it should have", async () => {
    const { made, check } = await exported();
    const [publicKey = ""] = made.keys;
    const id = JSON.parse(made.lines[0] as string).key;
    const other = ledgerBench();
    await other.enter("c1");
    const forged = await exportLedger(other.places.file, { key: readLedgerKey(other.places.key) as LedgerKey });
    expect((await check(forged)).ok).toBe(true);
    for (const only of [id, publicKey]) {
      expect((await check(made, only)).ok).toBe(true);
      expect((await check(forged, only)).problems.map(({ what }) => what).sort()).toEqual(["cut", "unsigned"]);
    }
  });

  it("and a ledger as it is are both taken; what is neither is refused", async () => {
    const { places, check } = await exported();
    expect(await verifyFile(places.file, { shown: "ledger.jsonl" })).toMatchObject({ ok: true, calls: 5 });
    await expect(check({ format: "toolroom-ledger" })).rejects.toThrow(
      /LEDGER_UNREADABLE: export.json: .*other fields/u,
    );
    await expect(verifyFile("/nothing", { shown: "x" })).rejects.toThrow(/LEDGER_UNREADABLE: x: .*ENOENT/u);
    expect(await check({ some: "thing" })).toMatchObject({ ok: false, problems: [{ line: 1 }] });
  });
});
