import { randomUUID } from "node:crypto";
import { parseYaml } from "../../core/discovery/yaml.ts";
import { isObject } from "../../core/dispatch/schema-rules.ts";
import type { HostOptions } from "../../core/host/options.ts";
import type { ModelMessage, ModelRequest } from "../../core/model/model.ts";
import type { HostEvent } from "../../core/sdk/events.ts";
import { call, type ScriptedModel, type ScriptStep, scriptedModel, text } from "../helpers/scripted-model.ts";
import { DELEGATING, type Tree, toolSource } from "../helpers/tree.ts";
import { type House, openHouse } from "./house.ts";

/** What an agent says, one reply after the other, by the first words that it was told. */
export type Parts = Readonly<Record<string, readonly (readonly ScriptStep[])[]>>;

/** A host whose agents all speak by their parts. */
export interface Agency extends House {
  readonly model: ScriptedModel;
  readonly events: HostEvent[];
  /** What the agent with this first message was asked, oldest first. */
  asked(first: string): readonly ModelRequest[];
}

/** A model that plays all agents of a host; an agent without a part answers with its last message. */
function modelOf(parts: Parts, options: Parameters<typeof scriptedModel>[1] = {}): ScriptedModel {
  return scriptedModel((request) => {
    const said = request.messages.filter(({ role }) => role === "assistant").length;
    const part = parts[firstOf(request)];
    return part ? (part[Math.min(said, part.length - 1)] ?? []) : [text(request.messages.at(-1)?.content ?? "")];
  }, options);
}

/** The files, with a superior that may delegate without a question: in each risk profile, and where there is none. */
function delegating(files: Tree): Tree {
  const changed: Record<string, string> = { ...DELEGATING };
  for (const [path, text] of Object.entries(files)) {
    const read = path.endsWith("settings.yaml") ? parseYaml(text) : { error: undefined };
    const settings = "value" in read && isSettings(read.value) ? read.value : undefined;
    const own = path === "usr/settings.yaml";
    changed[path] = settings && (own || settings.risk_profiles) ? JSON.stringify(withDelegation(settings, own)) : text;
  }
  return changed;
}

interface Settings {
  readonly risk_profiles?: Readonly<Record<string, { readonly auto_approve?: readonly string[] }>>;
}

/** Whether settings are what they should be, as far as delegation goes: what a test spoils stays as it is. */
function isSettings(value: unknown): value is Settings {
  if (!isObject(value)) return false;
  const { risk_profiles: profiles = {} } = value;
  return isObject(profiles) && Object.values(profiles).every(isObject);
}

function withDelegation(settings: Settings, own: boolean): Settings {
  const profiles: NonNullable<Settings["risk_profiles"]> = {
    ...(own ? { default: {} } : {}),
    ...settings.risk_profiles,
  };
  const allowed = Object.entries(profiles).map(([name, profile]) => [
    name,
    { ...profile, auto_approve: [...(profile.auto_approve ?? []), "call_subordinate"] },
  ]);
  return { ...settings, risk_profiles: Object.fromEntries(allowed) };
}

/** Opens a host whose agents play `parts`, and may delegate without a question. */
export async function openAgency(
  parts: Parts,
  files: Tree = {},
  options: HostOptions & { readonly protocol?: "native" | "json"; readonly workspaceFiles?: Tree } = {},
): Promise<Agency> {
  const { protocol = "native", ...rest } = options;
  const model = modelOf(parts, { protocol });
  const house = await openHouse(delegating(files), { model, ...rest });
  const events: HostEvent[] = [];
  house.host.onAny((event) => events.push(event));
  return {
    ...house,
    model,
    events,
    asked: (first) => model.requests.filter((request) => firstOf(request) === first),
  };
}

function firstOf({ messages }: Pick<ModelRequest, "messages">): string {
  return messages.find(({ role }) => role === "user")?.content ?? "";
}

/** The results that a model was given, as text. */
export function resultsIn({ messages }: Pick<ModelRequest, "messages">): readonly string[] {
  return messages.flatMap((message: ModelMessage) => (message.role === "tool" ? [message.content] : []));
}

/** The source of a tool whose `execute` is this. */
export function toolOf(body: string, statics = 'static readonly risk = "low";'): string {
  return `import { Tool } from "toolroom";
export default class extends Tool {
  ${statics}
  async execute(args) {
    ${body}
  }
}
`;
}

/** A tool that goes on until it is stopped, and tells its progress. */
export const ENDLESS = toolOf(
  'await this.setProgress("half"); await new Promise((resolve) => this.signal.addEventListener("abort", resolve)); return this.success("too late");',
);

/** Calls that are to run in the background. */
export type Calls = readonly (readonly [name: string, args?: object])[];
/** A call of the tool under test. */
export const parallel = (args: object) => call("parallel", args, `p${randomUUID()}`);
export const start = (calls: Calls, more: object = {}) =>
  parallel({ tool_calls: calls.map(([tool_name, tool_args = {}]) => ({ tool_name, tool_args })), ...more });

/** Waits for a file of the workspace, and says its name. */
const GATED = `import { existsSync } from "node:fs";
import { join } from "node:path";
import { Tool, z } from "toolroom";
const parameters = z.object({ name: z.string() });
let running = 0;
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ name }: z.infer<typeof parameters>) {
    running++;
    await this.setProgress("running " + running);
    while (!existsSync(join(this.workspace.root, name))) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      await this.agent.handleIntervention();
    }
    running--;
    return this.success(name + " is open");
  }
}
`;
/** Tools for the background: `gated` waits for a file, `endless` for a stop, `greet` for nothing. */
export const FILES: Tree = {
  "usr/tools/gated.ts": GATED,
  "usr/tools/endless.ts": ENDLESS,
  "usr/tools/greet.ts": toolSource("hello"),
};

/** One agent that plays one part; results of its calls as it was told them. */
export async function playing(part: readonly (readonly ScriptStep[])[], files: Tree = {}, options = {}) {
  const agency = await openAgency({ go: part }, { ...FILES, ...files }, options);
  const agent = await agency.host.agent({ session: "new" });
  const told = (): readonly string[] => resultsIn(agency.asked("go").at(-1) ?? { messages: [] });
  return { ...agency, agent, told };
}
