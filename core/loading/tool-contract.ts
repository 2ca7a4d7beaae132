import type { JsonSchema } from "../sdk/schema.ts";
import type { RiskLevel, ToolRole } from "../sdk/tool.ts";

/** What the host knows of a tool without running it. */
export interface ToolContract {
  readonly description?: string;
  /** null: any object is accepted. */
  readonly parameters: JsonSchema | null;
  readonly output?: JsonSchema;
  /** `dynamic`: a function of the arguments. */
  readonly risk: RiskLevel | "dynamic";
  readonly sends: readonly string[];
  readonly parallel: "safe" | "serial";
  readonly untrusted: boolean;
  /** Milliseconds. */
  readonly timeoutMs?: number;
  readonly role?: ToolRole;
}
