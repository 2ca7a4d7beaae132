import { randomBytes } from "node:crypto";
import type { Diagnostic, DiagnosticCode } from "../diagnostics.ts";
import { openDiscovery, type View } from "../discovery/discovery.ts";
import type { HostOptions } from "../host/options.ts";
import { createHost, type Host } from "../host.ts";
import type { Approver } from "../sdk/approval.ts";
import type { HostEvent } from "../sdk/events.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";
import { breach } from "./failure.ts";
import { type Ground, makeGround } from "./ground.ts";
import type { TestToolOptions, WorkspaceFiles } from "./options.ts";
import type { Place } from "./place.ts";
import { type Sample, sampleOf } from "./sample.ts";
import { type SchemaFacts, schemaFacts } from "./schema-facts.ts";

/** One tool under test: a host of its own with a copy of the tool, and what is known of it. */
export interface Subject {
  readonly id: string;
  readonly place: Place;
  readonly ground: Ground;
  readonly host: Host;
  readonly options: TestToolOptions;
  readonly facts: SchemaFacts;
  readonly sample: Sample;
  /** What the layers hold for the tool. */
  readonly view: View;
  /** A secret that the host knows. */
  readonly secret: { readonly name: string; readonly value: string };
  readonly limits: Limits;
  /** All that the host told so far. */
  readonly events: readonly HostEvent[];
  /** One call through the whole dispatch. @param method as in `name:method` */
  call(args: JsonObject, options?: { readonly signal?: AbortSignal; readonly method?: string }): Promise<ToolResult>;
  /** An empty workspace but for the files that the sample needs, and these. */
  clear(files?: WorkspaceFiles): void;
  /** What went wrong beside the calls since this was last asked. */
  troubles(): readonly Diagnostic[];
  /** Another host on the same directories, which the caller closes. */
  another(options: Pick<HostOptions, "model">): Promise<Host>;
  /** The same, one that asks about every call. The tool's settings are those of the test, its risk profile is not. */
  asking(approver: Approver): Promise<Host>;
  close(): Promise<void>;
}

/** How much a contract asks for. */
export interface Limits {
  /** How long a tool that was stopped may go on, in milliseconds. */
  readonly settleMs: number;
  /** How often it is loaded anew. */
  readonly reloads: number;
}

/** What goes wrong in a tool outside of its calls. */
const TROUBLES: ReadonlySet<DiagnosticCode> = new Set([
  "STRAY_ERROR",
  "LISTENER_REFUSED",
  "TOOL_HOOK_FAILED",
  "STALE_CALL",
]);

/** What every author's tool is held to. */
export const LIMITS: Limits = { settleMs: 2_000, reloads: 20 };

/**
 * Opens a host on a copy of the tool's plugin (profile, project), loads the tool, and finds a call that it can be tested
 * with. Nothing of the author's directories is written to, and nothing of the machine counts: no variables, no settings.
 *
 * @throws Error where the tool does not load
 */
export async function openSubject(place: Place, options: TestToolOptions, limits: Limits = LIMITS): Promise<Subject> {
  const secret = { name: "TOOLROOM_TEST_SECRET", value: `tr${randomBytes(18).toString("hex")}` };
  const ground = makeGround(place, { ...options, secrets: { ...options.secrets, [secret.name]: secret.value } });
  const { root, workspace } = ground;
  const open = (more: Pick<HostOptions, "model" | "approver">): Promise<Host> =>
    createHost({
      ...{ root, workspace, trust: true, guard: true, env: {}, face: "test" },
      // A test is its author's own: what settings or the plugin have asked about is approved.
      approver: () => ({ decision: "approve" }),
      ...(place.profile === undefined ? {} : { profile: place.profile }),
      ...(place.project === undefined ? {} : { project: place.project }),
      ...more,
    });
  const host = await open({ model: options.model ?? "offline" });
  const { id } = place;
  const events: HostEvent[] = [];
  host.onAny((event) => events.push(event));
  const told = new Set<string>();
  try {
    const schema = await host.parameters(id);
    await requireServed(host, place);
    const { profile } = await host.list();
    const view = openDiscovery({ root, home: host.home, env: {} }).view(profile, place.project);
    const facts = schemaFacts(schema);
    const call: Subject["call"] = (args, { signal, method } = {}) =>
      host.call(method === undefined ? id : `${id}:${method}`, args, signal ? { signal } : {});
    await options.setup?.(host);
    const sample = await sampleOf({ options, facts, view, id, call, clear: ground.clear });
    return {
      ...{ id, place, ground, host, options, facts, sample, view, secret, limits, events, call },
      clear: (files = {}) => ground.clear({ ...sample.files, ...files }),
      troubles() {
        return host.diagnostics().filter((item) => {
          const key = JSON.stringify(item);
          if (!TROUBLES.has(item.code) || told.has(key)) return false;
          told.add(key);
          return true;
        });
      },
      another: open,
      async asking(approver) {
        ground.ask(true);
        try {
          return await open({ model: options.model ?? "offline", approver });
        } finally {
          ground.ask(false);
        }
      },
      async close() {
        await host.close();
        ground.remove();
      },
    };
  } catch (error) {
    await host.close();
    ground.remove();
    throw error;
  }
}

/** @throws Error where the tool is not served, or its module does not load */
async function requireServed(host: Host, { id, file }: Place): Promise<void> {
  const { tools, diagnostics } = await host.list();
  const found = [...host.diagnostics(), ...diagnostics];
  const unserved = tools.some(({ name }) => name === id)
    ? undefined
    : (found.find(({ code, file: at }) => code === "TOOL_UNMET" && at?.includes(id)) ?? found.find(isError));
  const fault =
    found.find((item) => isError(item) && item.code.startsWith("LOAD_") && item.file?.includes(id)) ?? unserved;
  if (fault === undefined) return;
  const { code, line, message, hint } = fault;
  throw breach({
    expected: `${file} to load`,
    found: `${code}${line === undefined ? "" : ` in line ${line}`}: ${message}`,
    todo: code === "TOOL_UNMET" ? "Give the option settings." : (hint ?? "Mend it."),
  });
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}
