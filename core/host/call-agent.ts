import type { Control } from "../agent/control.ts";
import type { History } from "../agent/history.ts";
import type { Registry } from "../loading/registry.ts";
import type { SkillSummary, ToolAgent } from "../sdk/tool.ts";
import type { Authority } from "./authority.ts";

/** What an agent is to the tools of one call, or of one turn. */
export interface CallAgentOptions {
  readonly id: string;
  readonly face: string;
  readonly registry: Registry;
  /** Fires when the call is stopped. */
  readonly signal: AbortSignal;
  readonly history?: History | undefined;
  readonly control?: Control | undefined;
  /** What the call may not use is not offered to it either. */
  readonly authority: Pick<Authority, "refusal">;
  /** How its superior names the agent. */
  readonly agent?: string | undefined;
  readonly depth: number;
  /** What it can ask of others, outside of a call of its own. */
  others(): Pick<ToolAgent, "delegate" | "jobs">;
}

/** What a checkpoint of an agent does: ends what was stopped, waits while the turn is paused. */
export function createCheckpoint({
  signal,
  control,
}: Pick<CallAgentOptions, "signal" | "control">): () => void | Promise<void> {
  return () => {
    signal.throwIfAborted();
    return control?.checkpoint();
  };
}

/** The narrow view of the agent that tools and extensions are given. */
export function createCallAgent(options: CallAgentOptions): ToolAgent {
  const { id, face, registry, history, authority, others } = options;
  const { view } = registry;
  const checkpoint = createCheckpoint(options);
  const agent: ToolAgent = {
    profile: view.profile.id,
    context: { id, face, project: view.project, agent: options.agent, depth: options.depth },
    history: NO_ENTRIES,
    config: view.settings.values,
    tools: async () => registry.summaries().filter((tool) => !authority.refusal(tool.id)),
    skills: async () => skillsOf(view),
    profiles: async () => view.profiles.map(({ id: name, title, description }) => ({ id: name, title, description })),
    delegate: async (task) => await others().delegate(task),
    jobs: () => others().jobs(),
    handleIntervention: async () => await checkpoint(),
  };
  // Looked up each time, because it grows. Not an accessor of the literal: most calls have none, and that is slow to make.
  return history ? Object.defineProperty(agent, "history", { get: () => history.entries() }) : agent;
}

const NO_ENTRIES: ToolAgent["history"] = Object.freeze([]);

function skillsOf(view: Registry["view"]): readonly SkillSummary[] {
  return view.catalog.list("skill").flatMap(({ id, winner }) => {
    if (!winner) return [];
    const { name, description } = view.skill(winner);
    return [{ id, name, description, directory: winner.file.replace(/[\\/][^\\/]*$/u, ""), plugin: winner.plugin }];
  });
}
