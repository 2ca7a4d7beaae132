import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";
import type { Host } from "../../core/host.ts";
import type { JsonObject } from "../../core/sdk/result.ts";
import { makeTree, writeTree } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";

const ABSENT = "<absent>";
const CASES = fileURLToPath(new URL("../cases", import.meta.url));

/** A folder of `tests/cases/` with steps of a host: `tree/` is the root, the bundled content is the project's own. */
interface Case {
  readonly title: string;
  readonly profile?: string;
  readonly project?: string;
  /** The host watches: nothing is reloaded behind a change, and what must be so is asked again until it is. */
  readonly watch?: boolean;
  /** Whether the root is trusted; default true. */
  readonly trust?: boolean;
  readonly host: readonly Step[];
}

/** One change of the root. Paths are relative to it. */
type Action =
  | { readonly write: string; readonly text?: string }
  | { readonly remove: string }
  /** Moved there, over what there was. */
  | { readonly rename: string; readonly to: string }
  /** With its content as it was. */
  | { readonly touch: string };

/**
 * What is done, and what must be so then. In an expectation a text between slashes is a pattern, `<absent>` means
 * that the key is not there, and a mapping `{some: […]}` in place of a list means that these are among its items.
 */
interface Step {
  /** Changes of the root, in a host that does not watch with a reload behind them. */
  readonly do?: readonly Action[];
  /** How often the changes are made. */
  readonly times?: number;
  readonly profile?: string;
  /** A tool's name; `args` are its arguments. */
  readonly call?: string;
  readonly args?: JsonObject | string;
  readonly run?: string;
  readonly explain?: string;
  readonly kind?: string;
  /** How often. */
  readonly reload?: number;
  /** What became of the call, turn, explanation or last reload. */
  readonly is?: unknown;
  /** The receipts since the step before, in a host that watches. */
  readonly receipts?: unknown;
  /** Tools by name. */
  readonly list?: Readonly<Record<string, unknown>>;
  readonly prompt?: { readonly has?: readonly string[]; readonly lacks?: readonly string[] };
  readonly status?: unknown;
  /** Everything that is wrong, in its order. */
  readonly diagnostics?: unknown;
}

const read = (name: string): Partial<Case> => parse(readFileSync(join(CASES, name, "case.yaml"), "utf8"));
const names = readdirSync(CASES).filter((name) => existsSync(join(CASES, name, "case.yaml")) && read(name).host);

it.each(names.sort())("%s", async (name) => {
  const { title, host: steps, profile, project, watch = false, trust = true } = read(name) as Case;
  const root = makeTree({ "usr/plugins/.gitkeep": "" });
  cpSync(join(CASES, name, "tree"), root, { recursive: true });
  const options = { root, watch, trust, ...(profile ? { profile } : {}), ...(project ? { project } : {}) };
  const env = { XDG_CONFIG_HOME: join(root, "nobody"), XDG_STATE_HOME: join(root, "state") };
  const { host } = await openHouse({}, { ...options, ...(trust ? {} : { env }) });
  const receipts: unknown[] = [];
  host.on("reload", (receipt) => receipts.push(receipt));
  for (const [at, step] of steps.entries()) {
    const where = `${title}, step ${at + 1}`;
    receipts.length = 0;
    for (let time = step.times ?? 1; time > 0; time--) for (const action of step.do ?? []) act(root, action);
    const check = async (): Promise<void> => {
      const outcome = await perform(host, watch && step.reload === undefined ? { ...step, reload: 0 } : step);
      if (step.is !== undefined) hold(outcome, step.is, where);
      if (step.receipts !== undefined) hold(receipts, step.receipts, where);
      await look(host, step, where);
    };
    if (watch) await eventually(check);
    else await check();
  }
});

function act(root: string, action: Action): void {
  if ("remove" in action) rmSync(join(root, action.remove), { recursive: true });
  else if ("rename" in action) renameSync(join(root, action.rename), join(root, action.to));
  else if ("touch" in action) utimesSync(join(root, action.touch), new Date(), new Date());
  else writeTree(root, { [action.write]: action.text ?? "" });
}

/** With a deadline that only a fault reaches. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + 10_000; ; ) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function perform(host: Host, step: Step): Promise<unknown> {
  const options = step.profile === undefined ? {} : { profile: step.profile };
  const { call, run, explain, kind, args = {} } = step;
  let receipt: unknown;
  for (let left = step.reload ?? (step.do ? 1 : 0); left > 0; left--) receipt = await host.reload();
  if (call !== undefined) return await host.call(call, args, options);
  if (run !== undefined) return await host.run(run, options);
  if (explain !== undefined) return await host.explain(explain, { ...options, ...(kind ? { kind } : {}) });
  return receipt;
}

async function look(host: Host, step: Step, where: string): Promise<void> {
  const options = step.profile === undefined ? {} : { profile: step.profile };
  if (step.list) {
    const tools = Object.fromEntries((await host.list(options)).tools.map((tool) => [tool.name, tool]));
    hold(tools, step.list, where);
  }
  if (step.prompt) {
    const { text } = await host.prompt(options);
    for (const part of step.prompt.has ?? []) expect(text, where).toContain(part);
    for (const part of step.prompt.lacks ?? []) expect(text, where).not.toContain(part);
  }
  if (step.status) hold(await host.status(), step.status, where);
  if (step.diagnostics) hold(host.diagnostics(options), step.diagnostics, where);
}

function hold(found: unknown, expected: unknown, where: string): void {
  expect(found, where).toEqual(matcher(expected));
  expectAbsent(found, expected, where);
}

function matcher(expected: unknown): unknown {
  if (typeof expected === "string" && /^\/.*\/$/su.test(expected)) {
    return expect.stringMatching(new RegExp(expected.slice(1, -1), "u"));
  }
  if (Array.isArray(expected)) return expected.map(matcher);
  if (typeof expected !== "object" || expected === null) return expected;
  const { some } = expected as { some?: unknown };
  if (Array.isArray(some)) return expect.arrayContaining(some.map(matcher));
  const there = Object.entries(expected).filter(([, value]) => value !== ABSENT);
  return expect.objectContaining(Object.fromEntries(there.map(([key, value]) => [key, matcher(value)])));
}

/** Where the expectation says `<absent>`, nothing may be. */
function expectAbsent(found: unknown, expected: unknown, where: string): void {
  if (typeof expected !== "object" || expected === null || typeof found !== "object" || found === null) return;
  for (const [key, value] of Object.entries(expected)) {
    if (value === ABSENT) expect(Object.keys(found), where).not.toContain(key);
    else expectAbsent((found as Record<string, unknown>)[key], value, where);
  }
}
