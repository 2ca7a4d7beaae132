import type { HostOptions } from "../host/options.ts";
import type { Host } from "../host.ts";
import { HostError } from "../sdk/errors.ts";
import { nearest } from "../sdk/nearest.ts";
import type { Command, CommandContext, OwnOptions } from "./command.ts";
import { COMMANDS, DEFAULT_COMMAND } from "./commands.ts";
import { type CommandLine, commandIndex, parseCommandLine, switchOption, textOption } from "./options.ts";
import { openTerminal, type Streams, type Terminal } from "./terminal.ts";
import { usageError } from "./usage.ts";

/**
 * Runs one command line.
 * @param argv the words behind the program's name; without a command, `chat`. Common options may stand before it.
 * @returns the exit code: 0 done, 1 the check or the call failed, 2 wrong usage
 */
export async function main(argv: readonly string[], streams: Streams): Promise<number> {
  const end = argv.indexOf("--");
  const terminal = openTerminal(streams, argv.slice(0, end < 0 ? undefined : end).includes("--json"));
  try {
    const at = commandIndex(argv);
    if (at === undefined && (argv.includes("--help") || argv.includes("-h"))) return await showOverview(terminal);
    if (at === undefined) return await runCommand(DEFAULT_COMMAND, argv, terminal);
    const name = argv[at] ?? "";
    const rest = argv.toSpliced(at, 1);
    if (name !== "help") return await runCommand(name, rest, terminal);
    const [topic] = rest;
    return topic === undefined ? await showOverview(terminal) : await runCommand(topic, ["--help"], terminal);
  } catch (error) {
    return fail(error, terminal);
  }
}

/**
 * {@link main} for a process that does nothing else, which it ends: content may have left a timer or a socket behind,
 * which must not keep a command that is done. What was written is out by then.
 */
export async function runAndExit(argv: readonly string[]): Promise<never> {
  const code = await main(argv, process);
  for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve));
  process.exit(code);
}

async function showOverview(terminal: Terminal): Promise<number> {
  const { overview } = await import("./help.ts");
  terminal.say(await overview());
  return 0;
}

async function runCommand(name: string, argv: readonly string[], terminal: Terminal): Promise<number> {
  const command = await findCommand(name);
  const line = parseCommandLine(name, argv, command.options);
  if (switchOption(line, "help")) {
    const { commandHelp } = await import("./help.ts");
    terminal.say(commandHelp(command));
    return 0;
  }
  let opened: Promise<Host> | undefined;
  const host: CommandContext["host"] = (options = {}) => {
    opened ??= openHost(hostOptions(line, terminal), options);
    return opened;
  };
  try {
    return await command.run({ line, terminal, host, hostOptions: () => hostOptions(line, terminal) });
  } finally {
    // A host that failed to open has already failed the command.
    await opened?.then(
      (host) => host.close(),
      () => undefined,
    );
  }
}

async function findCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load) return (await load()).command;
  const names = Object.keys(COMMANDS);
  const close = nearest(name, names);
  // Whoever forgets `run` writes a sentence.
  const hint = close
    ? `did you mean ${close}?`
    : /\s/u.test(name)
      ? `toolroom run "${name}" asks the agent`
      : undefined;
  throw usageError(`expected a command (${names.join(", ")}), found "${name}"${hint ? `; ${hint}` : ""}`);
}

async function openHost(common: HostOptions, { keepsListing, ...own }: OwnOptions): Promise<Host> {
  const { openHost: open } = await import("../host.ts");
  return await open({ ...common, ...own }, keepsListing ? { keepsListing } : {});
}

function hostOptions(line: CommandLine, terminal: Terminal): HostOptions {
  const option = (name: string) => {
    const value = textOption(line, name);
    return value === undefined ? {} : { [name]: value };
  };
  return {
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
  };
}

function fail(error: unknown, terminal: Terminal): number {
  if (error instanceof HostError) {
    terminal.note(`toolroom: ${error.message}`);
    return error.kind === "usage" ? 2 : 1;
  }
  terminal.note(`toolroom: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}
