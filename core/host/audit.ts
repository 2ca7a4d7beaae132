import { join } from "node:path";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import { isOn, type Settings } from "../discovery/settings.ts";
import type { CallAudit } from "../dispatch/environment.ts";
import type { AuditLine } from "../governance/audit-line.ts";
import { createAuditLog } from "../governance/audit-log.ts";
import type { AuditFilter, AuditLines } from "../governance/audit-reader.ts";
import type { Masker } from "../governance/mask.ts";
import { numberSetting, textSetting } from "./setting-values.ts";

/** What was decided of calls, for people and programs. It can be read whether the audit log is on now or not. */
export interface Audit {
  /** Absolute. */
  readonly file: string;
  /**
   * The last lines that fit, the oldest first; at most 50 where nothing else is said.
   * @throws HostError AUDIT_UNREADABLE, USAGE for a `since` that is no time
   */
  search(filter?: AuditFilter & { readonly limit?: number }): Promise<AuditLines>;
  /** Tells lines as any process writes them, until the signal fires. @throws HostError as `search` */
  follow(
    tell: (line: AuditLine) => void,
    options: { readonly filter?: AuditFilter; readonly signal: AbortSignal },
  ): Promise<void>;
}

/** The audit log of one host. */
export interface HostAudit {
  /** For the calls of one turn; undefined where the log is off. */
  noteFor(who: Omit<CallAudit, "note">): CallAudit | undefined;
  flush(): void;
  readonly store: Audit;
  close(): void;
}

/** What {@link createHostAudit} takes. */
export interface HostAuditOptions {
  readonly settings: Settings;
  readonly root: string;
  /** The host's state directory. */
  readonly state: string;
  readonly masker: Pick<Masker, "maskJson">;
  report(item: Diagnostic): void;
}

const DEFAULT_LIMIT = 50;

/** What the settings say when the host starts holds to its end. */
export function createHostAudit({ settings, root, state, masker, report }: HostAuditOptions): HostAudit {
  const named = textSetting(settings, "audit.file");
  const file = named === undefined ? join(state, "audit", "audit.jsonl") : join(root, named);
  const log = isOn(settings, "audit.enabled")
    ? createAuditLog({
        file,
        maxBytes: numberSetting(settings, "audit.maxBytes", 10 * 1024 * 1024),
        keep: numberSetting(settings, "audit.keep", 5),
        report,
      })
    : undefined;
  const reading = async <T>(work: (reader: typeof import("../governance/audit-reader.ts")) => T | Promise<T>) => {
    const reader = await import("../governance/audit-reader.ts");
    try {
      return await work(reader);
    } catch (error) {
      const message = `the audit log cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      throw hostError(diagnostic("AUDIT_UNREADABLE", { file, message, hint: "Make the file readable." }));
    }
  };
  return {
    noteFor: ({ session, turn, agent, subordinate }) => log && { session, turn, agent, subordinate, note: log.note },
    flush: () => log?.flush(),
    store: {
      file,
      async search({ limit = DEFAULT_LIMIT, ...filter } = {}) {
        requireTime(filter);
        log?.flush();
        return masker.maskJson(await reading(({ readAudit }) => readAudit(file, filter, limit))) as AuditLines;
      },
      async follow(tell, { filter = {}, signal }) {
        requireTime(filter);
        const told = (line: AuditLine): void => tell(masker.maskJson(line) as AuditLine);
        await reading(({ followAudit }) => followAudit(file, { filter, signal, tell: told }));
      },
    },
    close: () => log?.close(),
  };
}

function requireTime({ since }: AuditFilter): void {
  if (since === undefined || !Number.isNaN(Date.parse(since))) return;
  const message = `expected a time such as 2030-01-31T12:00Z, found ${JSON.stringify(since)}`;
  throw hostError(diagnostic("USAGE", { message }), "usage");
}
