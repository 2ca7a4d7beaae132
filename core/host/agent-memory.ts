import type { CompactionOptions } from "../agent/compaction.ts";
import type { History } from "../agent/history.ts";
import type { ResumedSession } from "../agent/session-open.ts";
import { addUsage } from "../agent/usage.ts";
import type { Diagnostic } from "../diagnostics.ts";
import type { Registry } from "../loading/registry.ts";
import { type Model, OFFLINE } from "../model/model.ts";
import type { Prompts } from "../prompt/assemble.ts";
import type { Usage } from "../sdk/events.ts";
import type { ProfileLease } from "./calls.ts";
import { type MessageWords, messageWords } from "./prompting.ts";
import { numberSetting } from "./setting-values.ts";
import type { Team } from "./team.ts";

/** What an agent and those who worked for it have used. Tokens are 0 where no provider counted them. */
export interface AgentUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What the model can be given at once: the setting `agent.contextTokens`. */
  readonly contextTokens: number;
  /** The share of it that the next question takes, from 0; counted as far as the provider did, else estimated. */
  readonly contextFill: number;
  /** How many calls it and those who work for it may make now, by `max_actions_per_hour`; null: no limit. */
  readonly actionsLeft: number | null;
}

/** What an agent found that goes on with a session. */
export interface Resumption {
  /** Turns that had ended. */
  readonly turns: number;
  /** The last turn had not ended. */
  readonly interrupted: boolean;
  /** Calls that had begun and of which nobody knows what became. They are not run again; the model is told. */
  readonly uncertain: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
}

/** Where it stands what an agent has used, and what its subordinates have. */
interface Memory {
  readonly history: Pick<History, "usage" | "delegated" | "tokens">;
  readonly team: Pick<Team, "usage">;
}

/** What an agent and its subordinates have used so far. */
export function allUsage({ history, team }: Memory): Usage {
  return [history.delegated, team.usage()].reduce(addUsage, history.usage);
}

/** The state of an agent's context. */
export function usageOf(memory: Memory, registry: Registry): Omit<AgentUsage, "actionsLeft"> {
  const { inputTokens = 0, outputTokens = 0 } = allUsage(memory);
  const contextTokens = contextTokensOf(registry);
  return { inputTokens, outputTokens, contextTokens, contextFill: memory.history.tokens / contextTokens };
}

/** Tells the model what the process before left, and the transcript that somebody goes on. */
export async function goOn(
  { history, interrupted, uncertain, goOn: mark }: ResumedSession,
  { model, words }: { readonly model: Model; readonly words: MessageWords },
): Promise<Resumption> {
  const { turns } = history;
  if (interrupted || uncertain.length > 0) {
    const calls = uncertain.map((call) => {
      const workers = [...history.subordinates.values()].filter((one) => one.call === call.id && !one.over);
      const worked = workers.map(
        ({ id, profile }) => `; the subordinate ${id} (${profile}) worked for it and can go on`,
      );
      return `- ${call.name} ${JSON.stringify(call.args ?? {})} (call ${call.id}${worked.join("")})`;
    });
    history.addUser(
      await words("fw.msg_resumed.md", {
        calls: calls.join("\n"),
        interrupted: interrupted ? "yes" : "",
      }),
      "note",
    );
  }
  mark(model.id);
  return { turns, interrupted, uncertain };
}

/** How the history of an agent is summarised. */
export function compactionOptions(
  { prompts, report }: { readonly prompts: Prompts; report(item: Diagnostic): void },
  { registry, signal }: ProfileLease,
  model: Model,
): CompactionOptions {
  return {
    contextTokens: contextTokensOf(registry),
    // The offline model cannot summarise.
    model: model.id === OFFLINE ? undefined : model,
    instructions: async () => await messageWords(prompts, registry, model.protocol)("fw.compaction.md", {}),
    signal,
    report,
  };
}

function contextTokensOf({ view }: Registry): number {
  return numberSetting(view.settings, "agent.contextTokens", 128_000);
}
