import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { openStandingApprovals } from "../../core/governance/standing-approvals.ts";
import type { StandingApproval } from "../../core/sdk/approval.ts";
import { makeTree } from "../helpers/tree.ts";

const SESSION: StandingApproval = {
  id: "one",
  scope: "session",
  tool: "say",
  session: "s",
  hash: "h",
  risk: "medium",
  riskProfile: "default",
  face: "cli",
  modules: "m",
  shown: "{}",
  by: "ann",
  given: "2026-01-01T00:00:00.000Z",
};
const { session, hash, ...COMMON } = SESSION;
const PATTERN: StandingApproval = { ...COMMON, id: "two", scope: "pattern", expires: "2026-01-01T01:00:00.000Z" };

function open(file = join(makeTree({}), "state/approvals.jsonl")) {
  const found: Diagnostic[] = [];
  let now = new Date("2026-01-01T00:00:30.000Z");
  const shown = "usr/approvals.jsonl";
  const store = openStandingApprovals({ file, shown, now: () => now, report: (item) => void found.push(item) });
  const ids = (): readonly string[] => store.list().map(({ id }) => id);
  const setTime = (time: string): void => {
    now = new Date(time);
  };
  return { file, found, store, ids, setTime };
}

describe("standing approvals", () => {
  it("are there for every process of the root, until their time is over or they are revoked", () => {
    const { file, store, ids, setTime } = open();
    expect(ids()).toEqual([]);
    expect(store.add(SESSION)).toBe(true);
    const other = open(file);
    expect(other.store.add(PATTERN)).toBe(true);
    expect(store.list()).toEqual([SESSION, PATTERN]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    setTime("2026-01-01T01:00:00.000Z");
    expect(ids()).toEqual(["one"]);
    expect(other.store.revoke(["one", "none"])).toEqual(["one"]);
    expect(ids()).toEqual([]);
    expect(other.ids()).toEqual(["two"]);
    expect(other.store.revoke("all")).toEqual(["two"]);
    expect([other.ids(), readFileSync(file, "utf8")]).toEqual([[], ""]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("count for nothing up to a damaged line, which may have revoked them", () => {
    const line = (value: object): string => JSON.stringify({ v: 1, type: "approval", ...value });
    const damaged = [
      "{half",
      "7",
      line({ ...SESSION, scope: "always" }),
      line({ ...SESSION, hash: undefined }),
      line({ ...PATTERN, hash: "h" }),
      line({ ...PATTERN, expires: undefined }),
      line({ ...PATTERN, expires: "soon" }),
      line({ ...PATTERN, args: ["a"] }),
      line({ ...PATTERN, risk: "none" }),
      line({ ...SESSION, more: 1 }),
      JSON.stringify({ v: 2, type: "revoked", id: "one" }),
      JSON.stringify({ v: 1, type: "revoked" }),
    ];
    for (const text of damaged) {
      const { file, store, ids, found } = open();
      store.add(SESSION);
      appendFileSync(file, `${text}\n`);
      store.add(PATTERN);
      expect(ids(), text).toEqual(["two"]);
      expect(ids()).toEqual(["two"]);
      expect(found).toEqual([expect.objectContaining({ code: "APPROVALS_INVALID", line: 3, severity: "error" })]);
    }
  });

  it("go on behind a line that was cut short", () => {
    const { file, store, ids } = open();
    store.add(SESSION);
    appendFileSync(file, '{"v":1,"type":"appr');
    store.add(PATTERN);
    expect(ids()).toEqual(["two"]);
  });

  it("are none where others can write the file, where it is a link, or no file", () => {
    const { file, store, ids, found } = open();
    store.add(SESSION);
    chmodSync(file, 0o620);
    expect(ids()).toEqual([]);
    const linked = join(makeTree({}), "approvals.jsonl");
    chmodSync(file, 0o600);
    symlinkSync(file, linked);
    const link = open(linked);
    const directory = join(makeTree({}), "approvals.jsonl");
    mkdirSync(directory);
    const folder = open(directory);
    for (const one of [link, folder]) {
      expect(one.ids()).toEqual([]);
      expect(one.store.add(SESSION)).toBe(false);
    }
    const codes = [found, link.found, folder.found].map((items) => items.map(({ code }) => code));
    expect(codes).toEqual([
      ["APPROVALS_INVALID"],
      ["APPROVALS_INVALID", "APPROVALS_UNWRITABLE"],
      ["APPROVALS_INVALID", "APPROVALS_UNWRITABLE"],
    ]);
    writeFileSync(join(directory, "x"), "");
    expect(folder.store.revoke("all")).toBeUndefined();
  });
});
