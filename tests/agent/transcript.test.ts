import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTranscript } from "../../core/agent/transcript.ts";
import type { RecordBody, TranscriptRecord } from "../../core/agent/transcript-records.ts";
import { scanTranscript } from "../../core/agent/transcript-scan.ts";
import { makeTree } from "../helpers/tree.ts";

const now = () => new Date("2026-11-30T12:00:00.000Z");
const fail = (error: unknown): void => {
  throw error;
};
const user = (n: number, content = `message ${n}`): RecordBody => ({ type: "user", n, kind: "message", content });

/** A transcript with these records. */
function written(records: readonly RecordBody[]): string {
  const file = join(makeTree({}), "s.jsonl");
  const transcript = openTranscript({ file, as: "new", fail, now });
  for (const record of records) transcript.append(record);
  transcript.close();
  return file;
}

async function scan(file: string) {
  const records: TranscriptRecord[] = [];
  const outcome = await scanTranscript(file, (record) => records.push(record));
  return { records, ...outcome };
}

describe("a transcript", () => {
  it("is one JSON object a line, with version and time, for its owner only", () => {
    const file = written([user(1), { type: "turn", answer: "héllo\u2028\n", turns: 1 }]);
    expect(readFileSync(file, "utf8")).toBe(
      '{"v":1,"ts":"2026-11-30T12:00:00.000Z","type":"user","n":1,"kind":"message","content":"message 1"}\n' +
        '{"v":1,"ts":"2026-11-30T12:00:00.000Z","type":"turn","answer":"héllo\u2028\\n","turns":1}\n',
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is there as soon as append returns, and may be synced and closed twice", async () => {
    const file = join(makeTree({}), "s.jsonl");
    const transcript = openTranscript({ file, as: "new", fail, now });
    transcript.append(user(1));
    expect(readFileSync(file, "utf8")).toContain("message 1");
    await transcript.sync();
    transcript.close();
    transcript.close();
    transcript.append(user(2));
    await transcript.sync();
    expect((await scan(file)).records).toHaveLength(1);
  });

  it("replaces no file, and begins none where one should go on", () => {
    const file = written([user(1)]);
    expect(() => openTranscript({ file, as: "new", fail })).toThrow(/EEXIST/);
    const more = openTranscript({ file, as: "old", fail, now });
    more.append(user(2));
    more.close();
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(3);
  });

  it("says once that it cannot be written, and what could not be written at all leaves no half line", () => {
    const found: unknown[] = [];
    const file = join(makeTree({}), "s.jsonl");
    const transcript = openTranscript({ file, as: "new", fail: (error) => void found.push(error), now });
    transcript.append(user(1));
    // Nothing that came from JSON is like this; but a caller of the library may hand anything in.
    transcript.append({ type: "call", id: "1", name: "t", args: { big: 1n } });
    transcript.append(user(2));
    expect(found).toHaveLength(1);
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(1);
  });

  it("on a full disk is over, and nobody's turn fails", async () => {
    const found: unknown[] = [];
    const transcript = openTranscript({ file: "/dev/full", as: "old", fail: (error) => void found.push(error) });
    transcript.append(user(1));
    transcript.append(user(2));
    await transcript.sync();
    expect(found).toHaveLength(1);
  });
});

describe("reading a transcript", () => {
  it("gives back what was written, also lines that are longer than a piece of the file", async () => {
    const records = [user(1, "日本".repeat(200_000)), user(2), user(3, "x".repeat(262_144)), user(4)];
    const { records: read, damaged, torn, open, size } = await scan(written(records));
    expect(read.map(({ v: _v, ts: _ts, ...record }) => record)).toEqual(records);
    expect({ damaged, torn, open }).toEqual({ damaged: [], torn: 0, open: false });
    expect(size).toBeGreaterThan(1_000_000);
  });

  it("that was cut at any byte: all whole lines, and how much is torn", async () => {
    const file = written([user(1), user(2, "zwei €"), user(3)]);
    const bytes = readFileSync(file);
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a);
    for (let length = 0; length <= bytes.length; length++) {
      writeFileSync(file, bytes.subarray(0, length));
      const { records, torn, open, damaged } = await scan(file);
      const whole = ends.filter((end) => end < length).length;
      const isComplete = ends.includes(length);
      expect(records).toHaveLength(whole + (isComplete ? 1 : 0));
      expect(open).toBe(isComplete);
      expect(torn).toBe(isComplete ? 0 : length - ((ends[whole - 1] ?? -1) + 1));
      expect(damaged).toEqual([]);
    }
  });

  it("passes over what is damaged, and says where and what", async () => {
    const file = written([user(1), user(2), user(3), user(4), user(5), user(6)]);
    const lines = readFileSync(file, "utf8").split("\n");
    lines[1] = "{";
    lines[2] = '{"v":1,"ts":"x","type":"nonsense"}';
    lines[3] = '{"v":1,"ts":"x","type":"user","n":"four","kind":"message","content":""}';
    writeFileSync(file, Buffer.concat([Buffer.from(`${lines.slice(0, 4).join("\n")}\n`), Buffer.from([0xff, 0x0a])]));
    writeFileSync(file, `\n[]\n{}\n${lines[5]}\n`, { flag: "a" });
    const { records, damaged } = await scan(file);
    expect(records.map((record) => "n" in record && record.n)).toEqual([1, 6]);
    expect(damaged).toEqual([
      { line: 2, fault: expect.stringMatching(/not JSON/) },
      { line: 3, fault: expect.stringMatching(/type "nonsense"/) },
      { line: 4, fault: "n of a record user is not valid" },
      { line: 5, fault: "it is not UTF-8" },
      { line: 6, fault: expect.stringMatching(/not JSON/) },
      { line: 7, fault: "it is not an object" },
      { line: 8, fault: "it has no version and time" },
    ]);
  });
});
