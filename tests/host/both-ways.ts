import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { HostOptions } from "../../core/host/options.ts";
import type { Host } from "../../core/host.ts";
import type { HostEvent } from "../../core/sdk/events.ts";
import { makeTree, type Tree } from "../helpers/tree.ts";
import { startWireServer, type WireScript } from "../helpers/wire-server.ts";
import { type House, openHouse } from "./house.ts";

export const FORMATS = ["openai", "anthropic"] as const;
export const README = "# Ship\n\nSails.\n";

interface Told {
  readonly events: readonly HostEvent[];
  readonly outcome: unknown;
}

export interface Both extends Told {
  readonly recorded: Told;
  readonly cassette: string;
  readonly requests: number;
}

/** What a person does, and what is to be the same in the replay. */
type Work = (host: Host, house: House) => Promise<unknown>;

interface Options {
  readonly format: (typeof FORMATS)[number];
  readonly files?: Tree;
  readonly env?: Readonly<Record<string, string>>;
  readonly script: WireScript;
  /** What comes when is a matter of time: turns that overlap, a stop that takes its time to get through. */
  readonly loose?: boolean;
  /** The workspace is the root: so files of the root have the same name wherever it lies. */
  readonly inRoot?: boolean;
  readonly approver?: HostOptions["approver"];
}

/** Does the same work with a model that is recorded and, when its server is gone, with the replay: both tell the same. */
export async function bothWays(options: Options, work: Work): Promise<Both> {
  const { format, files = {}, env = {}, script, loose = false, inRoot = false, approver } = options;
  const server = await startWireServer(script);
  const file = join(makeTree({}), "cassette.json");
  const keys =
    format === "openai"
      ? { OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "sk-test-0123456789" }
      : { ANTHROPIC_BASE_URL: server.baseURL, ANTHROPIC_API_KEY: "sk-ant-0123456789" };
  const open = async (more: HostOptions): Promise<House> => {
    const root = inRoot ? makeTree({ "usr/plugins/.gitkeep": "", "README.md": README, ...files }) : undefined;
    const place = root === undefined ? { workspaceFiles: { "README.md": README } } : { root, workspace: root };
    return await openHouse(files, { ...more, ...place, ...(approver ? { approver } : {}) });
  };
  const recording = { ...env, ...keys, TOOLROOM_CASSETTE: `record:${file}` };
  const live = await open({ model: `${format}/test`, env: recording });
  const told = await watched(live, work);
  await server.close();
  const replayed = await open({ model: `replay/${file}`, env });
  const again = await watched(replayed, work);
  expect(settled(loose ? inTurns(again) : again)).toEqual(settled(loose ? inTurns(told) : told));
  return { ...again, recorded: told, cassette: readFileSync(file, "utf8"), requests: server.requests.length };
}

async function watched(house: House, work: Work): Promise<Told> {
  const { host } = house;
  const events: HostEvent[] = [];
  const off = host.onAny((event) => events.push(event));
  const outcome = await work(host, house);
  off();
  return { events: inOrderOfCalls(events), outcome };
}

/** Calls that run side by side end in any order: their ends stand here in the order of what they were asked. */
function inOrderOfCalls(events: readonly HostEvent[]): readonly HostEvent[] {
  const asked = new Map(events.flatMap((event, at) => (event.type === "tool_start" ? [[event.callId, at]] : [])));
  const ordered: HostEvent[] = [];
  for (let at = 0; at < events.length; ) {
    const run = events.slice(at).findIndex(({ type }) => type !== "tool_end");
    const end = run === -1 ? events.length : at + Math.max(run, 1);
    const place = (event: HostEvent): number => ("callId" in event ? (asked.get(String(event.callId)) ?? 0) : 0);
    ordered.push(...events.slice(at, end).sort((a, b) => place(a) - place(b)));
    at = end;
  }
  return ordered;
}

/** The events turn by turn, in the order in which the turns began, without the pieces of replies. */
function inTurns({ events, outcome }: Told): Told {
  const starts = events.flatMap((event) => (event.type === "turn_start" ? event.turnId : []));
  const of = (turnId: string) =>
    events.filter((event) => event.type !== "text_delta" && "turnId" in event && event.turnId === turnId);
  return { events: starts.flatMap(of), outcome };
}

/** Without what is another value in each run. */
function settled(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item) => (/^(durationMs|callId|turnId|generation)$/u.test(key) ? "…" : item))
      .replaceAll(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gu, "<uuid>")
      .replaceAll(/\b\d{8}T\d{9}-[0-9a-f]{8}\b/gu, "<session>")
      .replaceAll(/"id":"[0-9a-f]{12}"/gu, '"id":"<question>"')
      .replaceAll(/\brcpt_[a-z2-7]{26}\b/gu, "<receipt>")
      .replaceAll(/\buntrusted-[0-9a-f]{24}\b/gu, "<marker>")
      .replaceAll(/127\.0\.0\.1:\d+/gu, "<server>"),
  );
}
