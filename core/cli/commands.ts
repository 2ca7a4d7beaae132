import type { Command } from "./command.ts";
// The one that has to answer sooner than a module is found and read.
import { command as list } from "./commands/list.ts";

/** The commands by name. Each module is imported when it is asked for, because start-up time is part of the interface. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  run: () => import("./commands/run.ts"),
  chat: () => import("./commands/chat.ts"),
  list: async () => ({ command: list }),
  explain: () => import("./commands/explain.ts"),
  prompt: () => import("./commands/prompt.ts"),
  call: () => import("./commands/call.ts"),
  policy: () => import("./commands/policy.ts"),
  estop: () => import("./commands/estop.ts"),
  approvals: () => import("./commands/approvals.ts"),
  check: () => import("./commands/check.ts"),
  test: () => import("./commands/test.ts"),
  trust: () => import("./commands/trust.ts"),
  sessions: () => import("./commands/sessions.ts"),
  receipts: () => import("./commands/receipts.ts"),
  audit: () => import("./commands/audit.ts"),
  watch: () => import("./commands/watch.ts"),
  doctor: () => import("./commands/doctor.ts"),
  locales: () => import("./commands/locales.ts"),
};

/** The command that runs when none is named. */
export const DEFAULT_COMMAND = "chat";
