import type { Command } from "./command.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./commands.ts";
import { COMMON_OPTIONS } from "./options.ts";

/** All commands, and the options that every one takes. */
export async function overview(): Promise<string> {
  const lines = ["toolroom <command> [options]", "", `Commands (${DEFAULT_COMMAND} is the default):`];
  for (const load of Object.values(COMMANDS)) {
    const { command } = await load();
    lines.push(`  ${command.usage}`, `      ${command.summary}`);
  }
  lines.push(
    "",
    ...commonOptions(),
    "",
    "toolroom <command> --help tells the options of one command; --version prints the version.",
    "Exit codes: 0 done, 1 the check or the call failed, 2 wrong usage.",
  );
  return lines.join("\n");
}

/** One command with its options. */
export function commandHelp(command: Command): string {
  const own: Record<string, HelpRow> = {};
  for (const [name, row] of Object.entries(command.options)) {
    own[name] = { help: command.optionHelp[name] ?? "", ...(row.type === "string" ? { value: "VALUE" } : {}) };
  }
  const lines = [`toolroom ${command.usage}`, "", command.summary, ""];
  if (Object.keys(own).length > 0) lines.push("Options:", ...optionLines(own), "");
  return [...lines, ...commonOptions()].join("\n");
}

interface HelpRow {
  readonly value?: string;
  readonly help: string;
}

function commonOptions(): string[] {
  return ["Options of every command:", ...optionLines(COMMON_OPTIONS)];
}

function optionLines(table: Readonly<Record<string, HelpRow>>): string[] {
  return Object.entries(table).map(
    ([name, { value, help }]) => `  ${`--${name}${value ? ` ${value}` : ""}`.padEnd(18)} ${help}`,
  );
}
