import type { Diagnostic } from "../diagnostics.ts";
import type { AuditEntry } from "../governance/audit-line.ts";
import type { CallEnd } from "../governance/call-end.ts";
import type { CallRisk } from "../governance/call-risk.ts";
import type { Denial } from "../governance/denials.ts";
import type { LedgerEntry } from "../governance/ledger-lines.ts";
import type { HostLog } from "../governance/log.ts";
import type { Masker } from "../governance/mask.ts";
import type { ProcessGuard } from "../governance/process-guard.ts";
import type { Ruling } from "../governance/ruling.ts";
import type { SeenFiles } from "../governance/seen-files.ts";
import type { CallFiles } from "../governance/workspace.ts";
import type { Hooks } from "../hooks.ts";
import type { LoadedTool, ToolOutcome } from "../loading/tool-module.ts";
import type { EventMap } from "../sdk/events.ts";
import type { ToolProcesses } from "../sdk/processes.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";
import type { LoopData, RiskLevel, ToolAgent, ToolSummary } from "../sdk/tool.ts";
import type { Workspace } from "../sdk/workspace.ts";
import type { DispatchRequest } from "./request.ts";

/** A tool that a name was resolved to. */
export interface DispatchTarget {
  /** The tool's id, also where an alias was asked for. */
  readonly id: string;
  /** The plugin, `core` for a core tool, else the layer's directory. */
  readonly owner: string;
  /** The module's file as messages show it. */
  readonly path: string;
  /** Loads the module, or says what is wrong with it. */
  load(): Promise<ToolOutcome>;
  /** The plugin's merged settings. */
  config(): JsonObject;
  /** Runs `dispose` when this version of the module is not served any more. @returns a function that forgets it again */
  onDispose(dispose: () => void | Promise<void>): () => void;
  /** The version of the module that the calls run. Absent = it is served for ever. */
  readonly version?: TargetVersion;
  /** What others than its author say of its risk, as a server does of the tools that it offers: it raises, and never lowers. */
  readonly riskHint?: { readonly level: RiskLevel; readonly reason: string };
  /** Whether its calls may run beside others, as far as can be told. Absent = no. */
  isParallel?(): Promise<boolean>;
}

/** One version of a tool's module. What its instances do after its end reaches nobody. */
export interface TargetVersion {
  /** It is not served any more, and no call of it runs. */
  readonly ended: boolean;
  /** Is told of a timer that it made by itself. */
  hold(timer: NodeJS.Timeout): void;
  /** Is told of what a tool did after the end, which was dropped. @param what such as `setProgress` */
  dropped(tool: string, what: string): void;
}

/** The generation of the registry that a call, or a whole turn, is served from. */
export interface DispatchLease {
  readonly generation: number;
  /** @param name an id or an alias, already checked for its form */
  resolve(name: string): DispatchTarget | undefined | Promise<DispatchTarget | undefined>;
  /** The tool of role `fallback`, which answers for unknown names. */
  fallback(): Promise<DispatchTarget | undefined>;
  /** What there is, to name what is near an unknown name. */
  names(): readonly ToolSummary[];
}

/** A call that is about to run, as policy and approval see it: exactly what would be executed. */
export interface AuthoriseCall {
  readonly id: string;
  readonly tool: LoadedTool;
  readonly owner: string;
  readonly method: string | undefined;
  /** Validated, with defaults, deep-frozen; secrets are still placeholders. */
  readonly args: JsonObject;
  readonly face: string;
  /** How much harm it can do: what the tool says of it. @param policy what the tool's own function is shown */
  risk(policy: JsonObject): CallRisk | Promise<CallRisk>;
  /** What it would change, for whoever is asked; undefined where its tool shows nothing. Never rejects. */
  preview?(policy: JsonObject): Promise<string | undefined> | undefined;
  /** Fires when the call is stopped while it waits for leave; made when it is asked for. */
  signal(): AbortSignal;
  /** Is told how far judging has come before the call waits: what is known of one that is stopped there. */
  judged?(facts: VerdictFacts): void;
}

/** The answer of policy and approval, with how it came about. */
export type Verdict = VerdictFacts &
  (
    | {
        readonly run: true;
        /** Told once how the call ended, or that it did not run after all. */
        readonly ended?: (end: CallEnd) => void;
      }
    | { readonly deny: Refusal }
    /** A person's text stands in place of the result, and nothing is run. */
    | { readonly replace: { readonly message: string } }
  );

/** Where what is decided of calls is written down, and who asks for them. */
export interface CallAudit extends Pick<AuditEntry, "session" | "turn" | "agent" | "subordinate"> {
  note(entry: AuditEntry): void;
}

/** Where the calls of a turn are entered when receipts are on. */
export interface CallLedger extends Pick<LedgerEntry, "turn" | "agent"> {
  /** @returns the id of the entry; undefined where it could not be written */
  enter(entry: LedgerEntry): string | undefined | Promise<string | undefined>;
}

/** What a call that is refused ends with. */
export type Refusal = Pick<Denial, "code" | "message"> &
  Partial<Pick<Denial, "hint" | "pointer" | "retryable" | "data" | "rule" | "setting">>;

/** What the ledger is told of a verdict. */
export interface VerdictFacts {
  /** What policy said before anybody was asked. Default: `run`, of a refusal `block`. */
  readonly decision?: "run" | "ask" | "block";
  /** Who was asked and answered. Default: nobody. */
  readonly approver?: string;
  /** What it hangs on. */
  readonly ruling?: Ruling;
  /** The key that asked or refused, or the rule that somebody else named. */
  readonly rule?: string;
  /** The id of the question, or of the standing approval. */
  readonly approval?: string;
  /** What was approved: see `approvalHash`. Nothing else is run. */
  readonly bound?: string;
}

/** The events that a call makes. */
export type CallEvent = {
  [Name in CallEventName]: { readonly type: Name } & Omit<EventMap[Name], "turnId" | "agent">;
}[CallEventName];
type CallEventName = "tool_start" | "tool_progress" | "tool_end";

/** Where the calls of a turn are kept. */
export interface CallHistory {
  /** Told right before the tool runs, so that a host that ends now can say which call had begun. */
  callStarted?(request: DispatchRequest): void;
  addToolResult(request: DispatchRequest, result: ToolResult): void;
}

/** The call that somebody asks others for. */
export interface CallRef {
  readonly id: string;
  /** The tool's id. */
  readonly tool: string;
  readonly signal: AbortSignal;
}

/** Everything outside of the dispatcher that a call works with. */
export interface DispatchEnvironment {
  readonly lease: DispatchLease;
  readonly agent: ToolAgent;
  readonly workspace: Workspace;
  readonly hooks: Hooks;
  readonly log: HostLog;
  readonly masker: Masker;
  /** Stops the call; a reason that is a ToolError gives the result its code, any other is ABORTED. */
  readonly signal: AbortSignal;
  readonly loopData: LoopData;
  /** Where the call comes from: `cli`, `library`, … */
  readonly face: string;
  readonly settings: {
    /** The deadline of tools that do not name one, in milliseconds. */
    readonly timeoutMs: number;
  };
  /** Captures and attributes what tools print. Absent = they print for themselves. */
  readonly guard?: ProcessGuard | undefined;
  /** Why nothing may run now, whatever is called: asked before anything of a call is loaded or run. Absent = nothing stops it. */
  readonly halted?: (() => Refusal | undefined) | undefined;
  /** Why a tool may not be called, whatever the arguments: then it is not even loaded. Absent = all may. @param id of the tool */
  readonly refusal?: ((id: string) => Denial | undefined) | undefined;
  /** Where the results of a turn are kept; absent for a call without an agent. */
  readonly history?: CallHistory | undefined;
  /**
   * What the agent's `handleIntervention` does, without a promise where nothing is to be waited for: a call passes
   * four checkpoints. Absent = the agent is asked.
   */
  readonly checkpoint?: ((progress?: string) => void | Promise<void>) | undefined;
  /** What the agent does for one call: through it the call's signal stops what it asked for. */
  readonly forCall?: ((call: CallRef) => Pick<ToolAgent, "delegate" | "jobs">) | undefined;
  /** How long checkpoints have waited, in milliseconds: time that a deadline does not count. */
  readonly heldMs?: (() => number) | undefined;
  authorise(call: AuthoriseCall): Verdict | Promise<Verdict>;
  /** Is told that a result with text from outside goes to whoever asked. @param tool who brought it */
  readonly readUntrusted?: ((tool: string) => void) | undefined;
  /** Puts secrets in for their placeholders. @throws ToolError SECRET_UNKNOWN */
  readonly reveal?: ((args: JsonObject) => JsonObject) | undefined;
  /** Absent = the audit log is off. */
  readonly audit?: CallAudit | undefined;
  /** Absent = receipts are off. */
  readonly ledger?: CallLedger | undefined;
  /** Keeps a text that is too long for the model. @returns the path to name in its place */
  readonly spill?: ((name: string, text: string) => Promise<string>) | undefined;
  /** Real paths of the directories that file tools may read beside the workspace: where such texts are kept. */
  readonly readable?: (() => readonly string[]) | undefined;
  /** Which files the call may touch, and in whose turn it changes them. Absent: those of the workspace. */
  readonly files?: (() => Pick<CallFiles, "rules" | "turns">) | undefined;
  /** What the agent has read and written. Absent without a conversation. */
  readonly seen?: SeenFiles | undefined;
  /** What a call runs programs with. Absent: it runs none. */
  readonly processes?: ((call: CallRef & { readonly workspace: Workspace }) => ToolProcesses) | undefined;
  /** Where in the author's source an error arose. */
  readonly mapError?: ((error: unknown) => { readonly file?: string; readonly line?: number }) | undefined;
  on(event: CallEvent): void;
  /** Is told of what goes wrong beside the call itself. */
  report(diagnostic: Diagnostic): void;
  /** Hears the name of each step, for tests. */
  readonly trace?: ((step: string) => void) | undefined;
}
