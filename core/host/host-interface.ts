import type { Sessions } from "../agent/sessions.ts";
import type { TurnOutcome } from "../agent/turn-options.ts";
import type { Diagnostic } from "../diagnostics.ts";
import type { Kind } from "../discovery/catalog.ts";
import type { Explanation } from "../discovery/explain.ts";
import type { LocaleCoverage } from "../dox/locale-coverage.ts";
import type { ToolDefinition } from "../model/model.ts";
import type { ReloadReceipt } from "../sdk/events.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { Agent, AgentOptions, RunOptions } from "./agent.ts";
import type { HostApprovals } from "./approvals.ts";
import type { Audit } from "./audit.ts";
import type { CallOptions } from "./calls.ts";
import type { CheckOptions, CheckReport } from "./checking.ts";
import type { Doctor } from "./doctor.ts";
import type { EstopSwitch } from "./estop-switch.ts";
import type { Events } from "./events.ts";
import type { GenerationHistory } from "./generation-history.ts";
import type { ListedItem, Listing } from "./listing.ts";
import type { FilledLocales, FillQuestion, LocaleQuestion } from "./locale-content.ts";
import type { ProfileOption } from "./options.ts";
import type { HostPolicy } from "./policy-questions.ts";
import type { Receipts } from "./receipts.ts";
import type { ShownPrompt } from "./shown-prompt.ts";
import type { HostStatus } from "./status.ts";

/** One running instance. It owns all of its state; two hosts live in one process. */
export interface Host {
  /** Absolute. */
  readonly root: string;
  /** Absolute. */
  readonly home: string;
  /** Absolute. */
  readonly workspace: string;
  /** Whether what lies in the root is used; else it is listed, and bundled content runs as if the root were empty. */
  readonly trusted: boolean;
  /** The generation that new calls are served from; 1 at the start. */
  readonly generation: number;
  /** The tools of a profile. Runs no module. @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED */
  list(options?: ProfileOption): Promise<Listing>;
  /** The winners of another kind, without hidden profiles if not asked for. Runs no module. */
  items(kind: Kind, options?: ProfileOption & { readonly hidden?: boolean }): readonly ListedItem[];
  /** Every candidate of every layer for one id. Runs no module. @throws HostError USAGE for an unknown kind */
  explain(id: string, options?: ProfileOption & { readonly kind?: string }): Promise<Explanation>;
  /** The assembled system prompt, as the model that would be asked gets it. Runs the extensions at `system_prompt`, and no module of a tool whose contract is known. */
  prompt(options?: ProfileOption): Promise<ShownPrompt>;
  /** One call through the whole dispatch; never rejects for anything that the tool or the arguments do. `args` as text must be JSON. */
  call(name: string, args: JsonObject | string, options?: CallOptions): Promise<ToolResult>;
  /** The argument schema of a tool, or null where it accepts any object or is not known. */
  parameters(name: string, options?: ProfileOption): Promise<JsonSchema | null>;
  /**
   * The function definitions that a model gets, as `provider` is sent them. Loads what has no cached schema.
   * @throws HostError MODEL_UNKNOWN for a provider that is not known
   */
  toolDefinitions(options?: ProfileOption & { readonly provider?: string }): Promise<readonly ToolDefinition[]>;
  /** One turn of a new agent. @throws HostError MODEL_UNKNOWN, MODEL_UNREACHABLE, MODEL_REFUSED */
  run(message: string, options?: RunOptions): Promise<TurnOutcome>;
  /** An agent that keeps its history over several turns. */
  agent(options?: AgentOptions): Promise<Agent>;
  /** What was written down of conversations. */
  readonly sessions: Sessions;
  /** What the ledger of the root holds of calls. */
  readonly receipts: Receipts;
  /** What was decided of calls. */
  readonly audit: Audit;
  /** Loads every tool of the profile, reads the settings of every plugin, and tells what is wrong. */
  loadAll(options?: ProfileOption): Promise<readonly Diagnostic[]>;
  /**
   * Do code, prompts and documents agree? Runs the modules of tools whose contract is not known yet, and the extensions
   * at `system_prompt`.
   * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, USAGE (`since`, `baseline`), BASELINE_INVALID, FIX_REFUSED
   */
  check(options?: CheckOptions): Promise<CheckReport>;
  /** How much of the root's content is described in which languages. @throws HostError LOCALE_INVALID, USAGE (usage) */
  locales(question?: LocaleQuestion): Promise<readonly LocaleCoverage[]>;
  /**
   * Adds what a language lacks to the `tools.ftl` of the root's plugins, in English and marked as untranslated.
   * @throws HostError LOCALE_INVALID, USAGE (usage), FIX_REFUSED
   */
  fillLocale(question: FillQuestion): Promise<FilledLocales>;
  /** What the policy says of calls, asked without running them. */
  readonly policy: HostPolicy;
  /** Stops everything of all hosts of the root, until it is turned off. */
  readonly estop: EstopSwitch;
  /** What a person has approved for more than one call, and what waits for him. */
  readonly approvals: HostApprovals;
  status(): Promise<HostStatus>;
  /** Reads the directories again; calls that run keep the generation that they started with. */
  reload(): Promise<ReloadReceipt>;
  /**
   * Begins to watch where the option `watch` is `later`; resolves when the root watches are ready, and what changed
   * since the start is taken up as a generation. Where the host watches already, nothing more happens.
   * @throws HostError HOST_CLOSED, USAGE (usage) where it was opened without `watch`
   */
  watch(): Promise<void>;
  /** Looks at what the host depends on: Node, cache, watcher, limits, model, content, leaked timers. */
  doctor(): Promise<Doctor>;
  /** The generations that there were; one can be rolled back to. */
  readonly generations: GenerationHistory;
  on: Events["on"];
  onAny: Events["onAny"];
  /** Everything that is wrong, as far as it is known now; each finding once. */
  diagnostics(options?: ProfileOption): readonly Diagnostic[];
  /** Writes the caches and gives everything back. Calls after it reject. */
  close(): Promise<void>;
}
