export type { Diagnostic, DiagnosticCode, Severity } from "./diagnostics.ts";
export {
  CALL_CODES,
  type CallErrorClass,
  type CallErrorCode,
  type FailureDetails,
  HostError,
  ToolError,
} from "./sdk/errors.ts";
export { Extension, type ExtensionContext } from "./sdk/extension.ts";
export type { Json } from "./sdk/json.ts";
export { POINTS, type PointMap, type PointName } from "./sdk/points.ts";
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
  type HistoryEntry,
  type LoopData,
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
export type { Workspace, WorkspaceEntry } from "./sdk/workspace.ts";
