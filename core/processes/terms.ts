import type { SandboxWish } from "../discovery/risk-profile-keys.ts";
import type { FileRules } from "../governance/file-rules.ts";

/** What holds for the processes of an agent. */
export interface ProcessTerms {
  readonly rules: FileRules;
  readonly sandbox: SandboxWish;
  /** The setting that says so, as denials name it. */
  readonly sandboxSetting: string;
  readonly network: boolean;
  readonly passthrough: readonly string[];
}
