import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { AuditEntry, AuditLine } from "../../core/governance/audit-line.ts";
import { createAuditLog } from "../../core/governance/audit-log.ts";
import { followAudit, readAudit } from "../../core/governance/audit-reader.ts";
import { makeTree } from "../helpers/tree.ts";

const ENTRY: AuditEntry = {
  face: "cli",
  session: null,
  turn: "t1",
  agent: "agent.default",
  subordinate: null,
  call: "c1",
  tool: "tool.demo",
  owner: "usr",
  method: null,
  args: "0".repeat(64),
  summary: "{}",
  decision: "run",
  code: null,
  rule: "level",
  setting: "level supervised of risk profile default (its default)",
  risk: { level: "low", reasons: [] },
  approver: null,
  outcome: "success",
  durationMs: 1,
  generation: 1,
};

function open(options: { readonly maxBytes?: number; readonly keep?: number; readonly file?: string } = {}) {
  const { file = join(makeTree({}), "audit/audit.jsonl"), maxBytes = 1_000_000, keep = 2 } = options;
  const found: Diagnostic[] = [];
  const log = createAuditLog({ file, maxBytes, keep, report: (item) => void found.push(item) });
  onTestFinished(log.close);
  const note = (call: string, more: Partial<AuditEntry> = {}) => log.note({ ...ENTRY, call, ...more });
  return { file, found, log, note };
}

const calls = (file: string, limit = 1_000, filter = {}) =>
  readAudit(file, filter, limit).lines.map(({ call }) => call);

describe("the audit log", () => {
  it("is lines of JSON with version and time, for the owner of the file alone, and opens nothing before the first", () => {
    const { file, log, note } = open();
    log.flush();
    expect(existsSync(file)).toBe(false);
    note("c1");
    expect(existsSync(file)).toBe(false);
    log.flush();
    const [line, end] = readFileSync(file, "utf8").split("\n");
    expect(end).toBe("");
    expect(JSON.parse(String(line))).toEqual({
      v: 1,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      ...ENTRY,
    });
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is put aside when it would grow too large, and the oldest goes", () => {
    const { file, log, note } = open({ maxBytes: 1_200 });
    for (let n = 0; n < 12; n++) {
      note(`c${n}`);
      log.flush();
    }
    expect(readdirSync(join(file, "..")).sort()).toEqual(["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]);
    for (const name of ["", ".1", ".2"]) expect(statSync(file + name).size).toBeLessThanOrEqual(1_200);
    const kept = calls(file);
    expect(kept).toEqual(Array.from({ length: 12 }, (_, n) => `c${n}`).slice(-kept.length));
    expect(kept.length).toBeGreaterThan(3);
  });

  it("is shared by several hosts, also where one of them puts it aside or somebody takes it away", () => {
    const one = open({ maxBytes: 2_000 });
    const two = open({ maxBytes: 2_000, file: one.file });
    for (let n = 0; n < 10; n++) {
      const { note, log } = n % 2 ? one : two;
      note(`c${n}`);
      log.flush();
    }
    expect(calls(one.file)).toEqual(Array.from({ length: 10 }, (_, n) => `c${n}`));
    renameSync(one.file, `${one.file}.moved`);
    one.note("later");
    one.log.flush();
    expect(calls(one.file).at(-1)).toBe("later");
  });

  it("tells once that nothing can be written, keeps what it was told, and goes on when it can", () => {
    const directory = makeTree({ blocked: "a file where a directory should be" });
    const { file, found, log, note } = open({ file: join(directory, "blocked/audit.jsonl") });
    for (const call of ["c1", "c2"]) {
      note(call);
      log.flush();
    }
    expect(found).toMatchObject([{ code: "AUDIT_UNWRITABLE", severity: "error", file }]);
    rmSync(join(directory, "blocked"));
    mkdirSync(join(directory, "blocked"));
    note("c3");
    log.flush();
    expect(calls(file)).toEqual(["c1", "c2", "c3"]);
    expect(found).toHaveLength(1);
  });

  it("says how much it had to let go", () => {
    const directory = makeTree({ blocked: "" });
    const { file, log, note } = open({ file: join(directory, "blocked/audit.jsonl"), maxBytes: 10_000_000 });
    for (let n = 0; n < 600; n++) note(`c${n}`, { summary: "x".repeat(3_000) });
    rmSync(join(directory, "blocked"));
    log.flush();
    const { lines, lost } = readAudit(file, {}, 1_000);
    expect(lost).toBeGreaterThan(100);
    // The line that says so may push out one more.
    expect(Math.abs(lines.length + lost - 600)).toBeLessThanOrEqual(1);
    expect(lines.at(-1)?.call).toBe("c599");
  });
});

describe("reading it", () => {
  const lineOf = (more: Partial<AuditLine>) =>
    `${JSON.stringify({ v: 1, time: "2030-01-01T00:00:00.000Z", ...ENTRY, ...more })}\n`;
  const file = () => {
    const made = join(makeTree({}), "audit.jsonl");
    writeFileSync(`${made}.1`, lineOf({ call: "a", tool: "tool.other", code: "NO_APPROVER", decision: "ask" }));
    writeFileSync(
      made,
      `${lineOf({ call: "b", session: "s1", time: "2030-01-02T00:00:00.000Z" })}no JSON\n${lineOf({ call: "c", summary: '{"path":"Read me"}', agent: "agent.careful" })}`,
    );
    return made;
  };

  it("finds by each field and by text, the last ones in their order", () => {
    const at = file();
    expect(readAudit(at, {}, 10)).toMatchObject({ broken: 1, lines: [{ call: "a" }, { call: "b" }, { call: "c" }] });
    expect(calls(at, 2)).toEqual(["b", "c"]);
    const found = (filter: object) => calls(at, 10, filter).join("");
    expect(found({ tool: "other" })).toBe("a");
    expect(found({ tool: "tool.demo" })).toBe("bc");
    expect(found({ code: "NO_APPROVER", decision: "ask" })).toBe("a");
    expect(found({ session: "s1" })).toBe("b");
    expect(found({ agent: "careful" })).toBe("c");
    expect(found({ since: "2030-01-01T12:00Z" })).toBe("b");
    expect(found({ text: "read ME" })).toBe("c");
    expect(found({ face: "library" })).toBe("");
    expect(readAudit(join(makeTree({}), "none.jsonl"), {}, 10)).toEqual({ lines: [], broken: 0, lost: 0 });
  });

  it("follows what is written, over a file that is put aside", async () => {
    const { file: at, log, note } = open({ maxBytes: 1_000 });
    note("before");
    log.flush();
    const stop = new AbortController();
    const told: string[] = [];
    const following = followAudit(at, {
      filter: { tool: "demo" },
      signal: stop.signal,
      tell({ call }) {
        told.push(call);
        if (call === "c4") stop.abort();
        else next();
      },
    });
    let n = 0;
    const next = (): void => {
      note("unasked", { tool: "tool.other" });
      note(`c${++n}`);
      log.flush();
    };
    next();
    await following;
    expect(told).toEqual(["c1", "c2", "c3", "c4"]);
  });
});
