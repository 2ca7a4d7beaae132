import type { HostOptions } from "../../core/host/options.ts";
import type { ModelMessage, ModelRequest } from "../../core/model/model.ts";
import type { HostEvent } from "../../core/sdk/events.ts";
import { type ScriptedModel, type ScriptStep, scriptedModel, text } from "../helpers/scripted-model.ts";
import type { Tree } from "../helpers/tree.ts";
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
function playing(parts: Parts, options: Parameters<typeof scriptedModel>[1] = {}): ScriptedModel {
  return scriptedModel((request) => {
    const said = request.messages.filter(({ role }) => role === "assistant").length;
    const part = parts[firstOf(request)];
    return part ? (part[Math.min(said, part.length - 1)] ?? []) : [text(request.messages.at(-1)?.content ?? "")];
  }, options);
}

export async function openAgency(
  parts: Parts,
  files: Tree = {},
  options: HostOptions & { readonly protocol?: "native" | "json"; readonly workspaceFiles?: Tree } = {},
): Promise<Agency> {
  const { protocol = "native", ...rest } = options;
  const model = playing(parts, { protocol });
  const house = await openHouse(files, { model, ...rest });
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
