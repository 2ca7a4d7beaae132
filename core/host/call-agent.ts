import type { Control } from "../agent/control.ts";
import type { History } from "../agent/history.ts";
import type { Registry } from "../loading/registry.ts";
import type { SkillSummary, ToolAgent, ToolSummary } from "../sdk/tool.ts";

/** What an agent is to the tools of one call, or of one turn. */
export interface CallAgentOptions {
  readonly id: string;
  readonly face: string;
  readonly registry: Registry;
  /** Fires when the call is stopped. */
  readonly signal: AbortSignal;
  readonly history?: History | undefined;
  readonly control?: Control | undefined;
  /** Ids or aliases; what the call may not use is not offered to it either. Absent = all. */
  readonly allowedTools?: readonly string[] | undefined;
}

/** The narrow view of the agent that tools and extensions are given. */
export function createCallAgent(options: CallAgentOptions): ToolAgent {
  const { id, face, registry, signal, history, control, allowedTools } = options;
  const { view } = registry;
  const isAllowed = ({ id: tool, aliases }: ToolSummary): boolean =>
    !allowedTools || [tool, ...aliases].some((name) => allowedTools.includes(name));
  return {
    profile: view.profile.id,
    context: { id, face, project: view.project, depth: 0 },
    get history() {
      return history?.entries() ?? [];
    },
    config: view.settings.values,
    tools: async () => registry.summaries().filter(isAllowed),
    skills: async () => skillsOf(view),
    async handleIntervention() {
      signal.throwIfAborted();
      await control?.checkpoint();
    },
  };
}

function skillsOf(view: Registry["view"]): readonly SkillSummary[] {
  return view.catalog.list("skill").flatMap(({ id, winner }) => {
    if (!winner) return [];
    const { name, description } = view.skill(winner);
    return [{ id, name, description, directory: winner.file.replace(/[\\/][^\\/]*$/u, ""), plugin: winner.plugin }];
  });
}
