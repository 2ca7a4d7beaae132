import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost } from "../goals.mjs";

const FILES = 5;

/**
 * What a command of 200 words may do: parsed, each of its commands judged, its files looked up, its plan printed. The baseline
 * parses it and does nothing more.
 */
export const commandPolicy = {
  name: "policy decision on a command of 200 words",
  against: "the parser alone",
  unit: "ms",
  rounds: 41,
  warmUp: () => 20,
  goal: () => atMost(1, "ms"),
  async setup({ context }) {
    const { judgeCommand } = await context.core("shell/judge-command.js");
    const { loadParser } = await context.core("shell/parser.js");
    const { createWorkspace } = await context.core("governance/workspace.js");
    const root = context.path("command-policy");
    mkdirSync(join(root, "src"), { recursive: true });
    for (let index = 0; index < FILES; index++) writeFileSync(join(root, "src", `file-${index}.ts`), "");
    const workspace = await createWorkspace({ root });
    const policy = {
      allowed_commands: ["cat", "find", "git", "grep", "head", "wc"],
      low_risk_commands: ["grep", "head", "wc"],
      denied_commands: ["rm"],
    };
    const command = commandOf();
    const { level, plan } = await judgeCommand(command, { workspace, policy });
    if (level !== "medium" || plan?.kind !== "bash") throw new Error(`expected a plan of medium risk, found ${level}`);
    const parse = await loadParser();
    const times = context.smoke ? 1 : 20;
    const each = async (run) => {
      const start = performance.now();
      for (let index = 0; index < times; index++) await run();
      return (performance.now() - start) / times;
    };
    return {
      ours: () => each(() => judgeCommand(command, { workspace, policy })),
      baseline: () => each(async () => parse(command)),
    };
  },
};

/** As an agent searches: pipelines of 40 words, each over a file and what lies below. */
function commandOf() {
  const pipelines = Array.from({ length: FILES }, (_, index) => {
    const words = "-e alpha -e beta -e 'gamma delta' -e epsilon";
    const search = `grep -rn --include=*.ts ${words} --exclude-dir=dist src/file-${index}.ts 2>/dev/null`;
    return `${search} | grep -v "import ${index}" | head -n 20 | wc -l && git log --oneline --since yesterday -n 5 --stat && cat notes todo changes`;
  });
  const command = pipelines.join(" && ");
  const count = command.split(/\s+/u).length;
  if (count < 200) throw new Error(`expected at least 200 words, found ${count}`);
  return command;
}
