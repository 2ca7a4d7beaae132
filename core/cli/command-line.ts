import type { Host } from "../host.ts";
import { HostError } from "../sdk/errors.ts";
import type { Command } from "./command.ts";
import { COMMON_OPTIONS, type CommandLine, parseCommandLine, switchOption, textOption } from "./options.ts";
import { openTerminal, type Streams, type Terminal } from "./terminal.ts";

/** Each command's module is imported when it is asked for, because start-up time is part of the interface. */
const COMMANDS: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  run: () => import("./commands/run.ts"),
  chat: () => import("./commands/chat.ts"),
  list: () => import("./commands/list.ts"),
  explain: () => import("./commands/explain.ts"),
  prompt: () => import("./commands/prompt.ts"),
  call: () => import("./commands/call.ts"),
  check: () => import("./commands/check.ts"),
};

/**
 * Runs one command line.
 * @param argv the words behind the program's name; without a command, `chat`
 * @returns the exit code: 0 done, 1 the check or the call failed, 2 wrong usage
 */
export async function main(argv: readonly string[], streams: Streams): Promise<number> {
  const [first, ...rest] = argv;
  const terminal = openTerminal(streams, argv.includes("--json"));
  try {
    if (first === "--help" || first === "-h" || first === "help") return await overview(terminal);
    if (first === undefined || first.startsWith("-")) return await runCommand("chat", argv, terminal);
    return await runCommand(first, rest, terminal);
  } catch (error) {
    return fail(error, terminal);
  }
}

async function runCommand(name: string, argv: readonly string[], terminal: Terminal): Promise<number> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    throw new HostError("USAGE", `"${name}" is not a command; the commands are ${Object.keys(COMMANDS).join(", ")}.`, {
      kind: "usage",
    });
  }
  const { command } = await load();
  const line = parseCommandLine(argv, command.options);
  if (switchOption(line, "help")) {
    terminal.say(helpText(command));
    return 0;
  }
  let opened: Promise<Host> | undefined;
  const host = (): Promise<Host> => {
    opened ??= openHost(line, terminal);
    return opened;
  };
  try {
    return await command.run({ line, terminal, host });
  } finally {
    // A host that failed to open has already failed the command.
    await opened?.then(
      (host) => host.close(),
      () => undefined,
    );
  }
}

async function openHost(line: CommandLine, terminal: Terminal): Promise<Host> {
  const { createHost } = await import("../host.ts");
  const option = (name: string) => {
    const value = textOption(line, name);
    return value === undefined ? {} : { [name]: value };
  };
  return await createHost({
    ...option("root"),
    ...option("profile"),
    ...option("project"),
    ...option("workspace"),
    ...option("model"),
    ...option("locale"),
    trust: switchOption(line, "trust"),
    guard: true,
    face: "cli",
    env: terminal.env,
    cwd: terminal.cwd(),
  });
}

function fail(error: unknown, terminal: Terminal): number {
  if (error instanceof HostError) {
    terminal.note(`toolroom: ${error.message}`);
    if (error.kind === "usage") terminal.note("toolroom --help lists the commands and options.");
    return error.kind === "usage" ? 2 : 1;
  }
  terminal.note(`toolroom: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}

async function overview(terminal: Terminal): Promise<number> {
  const lines = ["toolroom <command> [options]", "", "Commands (chat is the default):"];
  for (const load of Object.values(COMMANDS)) {
    const { command } = await load();
    lines.push(`  ${command.usage}`, `      ${command.summary}`);
  }
  lines.push(
    "",
    "Options of every command:",
    ...optionLines(COMMON_OPTIONS),
    "",
    "Exit codes: 0 done, 1 the check or the call failed, 2 wrong usage.",
  );
  terminal.say(lines.join("\n"));
  return 0;
}

function helpText(command: Command): string {
  const own: Record<string, { value?: string; help: string }> = {};
  for (const [name, row] of Object.entries(command.options)) {
    own[name] = { help: command.optionHelp[name] ?? "", ...(row.type === "string" ? { value: "VALUE" } : {}) };
  }
  const lines = [`toolroom ${command.usage}`, "", command.summary, ""];
  if (Object.keys(own).length > 0) lines.push("Options:", ...optionLines(own), "");
  return [...lines, "Options of every command:", ...optionLines(COMMON_OPTIONS)].join("\n");
}

function optionLines(table: Readonly<Record<string, { value?: string; help: string }>>): string[] {
  return Object.entries(table).map(
    ([name, { value, help }]) => `  ${`--${name}${value ? ` ${value}` : ""}`.padEnd(18)} ${help}`,
  );
}
