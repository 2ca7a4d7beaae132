export type { Compaction } from "./agent/compaction.ts";
export type { SessionInfo, Sessions, ShownSession } from "./agent/sessions.ts";
export type { TranscriptRecord } from "./agent/transcript-records.ts";
export type { TurnCall, TurnOutcome } from "./agent/turn-options.ts";
export type { Diagnostic, DiagnosticCode, Severity } from "./diagnostics.ts";
export type { Kind, LayerRef } from "./discovery/catalog.ts";
export type { Explanation } from "./discovery/explain.ts";
export type { LocaleCoverage } from "./dox/locale-coverage.ts";
export type { AuditLine } from "./governance/audit-line.ts";
export type { AuditFilter, AuditLines } from "./governance/audit-reader.ts";
export type { LedgerExport } from "./governance/ledger-export.ts";
export type { CallLine, LedgerEntry, LedgerOutcome } from "./governance/ledger-lines.ts";
export type { LedgerFilter } from "./governance/ledger-reader.ts";
export type { LedgerProblem, LedgerReport } from "./governance/ledger-report.ts";
export { obeyedBy } from "./governance/obeyed-files.ts";
export type { Agent, AgentOptions, RunOptions } from "./host/agent.ts";
export type { AgentUsage, Resumption } from "./host/agent-memory.ts";
export type { HostApprovals } from "./host/approvals.ts";
export type { Audit } from "./host/audit.ts";
export type { CallOptions } from "./host/calls.ts";
export type { CheckOptions, CheckReport } from "./host/checking.ts";
export type { Doctor } from "./host/doctor.ts";
export type { DoctorCheck } from "./host/doctor-checks.ts";
export type { EstopStatus, EstopSwitch } from "./host/estop-switch.ts";
export type { LeakedTimers } from "./host/leftovers.ts";
export type { ListedItem, ListedTool, Listing } from "./host/listing.ts";
export type { FilledLocales, FillQuestion, LocaleQuestion } from "./host/locale-content.ts";
export type { HostOptions, ProfileOption } from "./host/options.ts";
export type {
  HostPolicy,
  PolicyAnswer,
  PolicyCaseResult,
  PolicyQuestionOptions,
  ShownPolicy,
} from "./host/policy-questions.ts";
export type { Receipts } from "./host/receipts.ts";
export type { ShownPrompt } from "./host/shown-prompt.ts";
export type { HostStatus } from "./host/status.ts";
export { createHost, type Host } from "./host.ts";
export type {
  Model,
  ModelPart,
  ModelProtocol,
  ModelRequest,
  ToolDefinition,
  ToolExample,
} from "./model/model.ts";
export type {
  ApprovalDecision,
  ApprovalRequest,
  ApprovalScope,
  Approver,
  StandingApproval,
} from "./sdk/approval.ts";
export type { CommandContext, CommandPlan, CommandVerdict } from "./sdk/command.ts";
export type {
  BackgroundCall,
  DelegatedAnswer,
  DelegatedTask,
  Job,
  JobWait,
  ProfileSummary,
  ToolJobs,
} from "./sdk/delegation.ts";
export {
  CALL_CODES,
  type CallErrorClass,
  type CallErrorCode,
  type FailureDetails,
  HostError,
  type ProviderTrouble,
  ToolError,
} from "./sdk/errors.ts";
export type { EventAgent, EventMap, EventName, HostEvent, ReloadReceipt, Usage } from "./sdk/events.ts";
export { Extension, type ExtensionContext } from "./sdk/extension.ts";
export type { Json } from "./sdk/json.ts";
export type { ModelMessage, ModelToolCall } from "./sdk/messages.ts";
export {
  type AskedCall,
  POINTS,
  type PointMap,
  type PointMode,
  type PointName,
  type PromptPart,
} from "./sdk/points.ts";
export type {
  ProcessOutput,
  ProcessRead,
  ProcessResult,
  ProcessRunOptions,
  ProcessSandbox,
  ProcessStartOptions,
  ProcessState,
  ToolProcesses,
} from "./sdk/processes.ts";
export type {
  JsonObject,
  ToolResult,
  ToolResultContext,
  ToolResultError,
  ToolStats,
  ToolStatus,
} from "./sdk/result.ts";
export { type JsonSchema, type SchemaSource, z } from "./sdk/schema.ts";
export {
  type CallPlan,
  type HistoryEntry,
  type LoopData,
  type Preview,
  type ResponseParts,
  type Risk,
  type RiskContext,
  type RiskLevel,
  type RiskVerdict,
  type SkillSummary,
  Tool,
  type ToolAgent,
  type ToolLog,
  type ToolRole,
  type ToolSummary,
} from "./sdk/tool.ts";
export type { FileNow, Workspace, WorkspaceEntry } from "./sdk/workspace.ts";
export type {
  GlobFound,
  GlobQuery,
  SearchedFile,
  SearchedLine,
  SearchFound,
  SearchQuery,
  WorkspaceSearch,
} from "./sdk/workspace-search.ts";
export { judgeCommand } from "./shell/judge-command.ts";
