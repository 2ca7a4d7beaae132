import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearest } from "../sdk/nearest.ts";
import { usageError } from "./usage.ts";

/** The options of a command as `node:util` takes them. */
export type OptionTable = NonNullable<ParseArgsConfig["options"]>;

/** Options that every command takes, with the words of their help line. */
export const COMMON_OPTIONS = {
  root: {
    type: "string",
    value: "DIR",
    help: "the directory that holds usr/, agents/, plugins/ (default: the nearest one upwards, else here)",
  },
  profile: { type: "string", value: "P", help: "the agent's profile (default: from settings, else default)" },
  project: { type: "string", value: "J", help: "a project of usr/projects/" },
  workspace: { type: "string", value: "DIR", help: "what file tools may touch (default: the current directory)" },
  model: {
    type: "string",
    value: "ID",
    help: "provider/model (default: profile, settings, TOOLROOM_MODEL, else the offline model)",
  },
  locale: {
    type: "string",
    value: "L",
    help: "the language of descriptions (default: profile, settings, system, else en)",
  },
  json: { type: "boolean", help: "one JSON value on stdout and nothing else there" },
  strict: { type: "boolean", help: "exit 1 when a diagnostic of severity error was found" },
  trust: { type: "boolean", help: "accept this root and its settings for this process" },
  help: { type: "boolean", short: "h", help: "this text" },
} as const satisfies Record<string, { type: "string" | "boolean"; short?: string; value?: string; help: string }>;

/** The values of one command line. */
export interface CommandLine {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  /** What is not an option, in order. */
  readonly words: readonly string[];
}

/**
 * Parses the words behind a command's name.
 * @param own the options of that command
 * @throws HostError USAGE (exit code 2) for an unknown option, a missing or a superfluous value
 */
export function parseCommandLine(command: string, argv: readonly string[], own: OptionTable): CommandLine {
  const options: OptionTable = { ...commonTable(), ...own };
  const line = parseWords(command, argv, options);
  for (const [name, value] of Object.entries(line.values)) {
    if (value === "") throw usageError(`--${name} needs a value, found an empty one`);
  }
  return line;
}

function parseWords(command: string, argv: readonly string[], options: OptionTable): CommandLine {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    return { values, words: positionals };
  } catch (error) {
    throw usageError(wordsFor(error as Error & { code?: string }, { command, names: Object.keys(options) }));
  }
}

/**
 * Where the command's name is: the first word that is neither a common option nor the value of one.
 * @returns an index of `argv`, or undefined when there is no such word
 */
export function commandIndex(argv: readonly string[]): number | undefined {
  const { tokens } = parseArgs({
    args: [...argv],
    options: commonTable(),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const first = tokens.find(({ kind }) => kind !== "option");
  return first?.kind === "positional" ? first.index : undefined;
}

/** The value of a text option, or undefined. */
export function textOption({ values }: CommandLine, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** Whether a switch is on. */
export function switchOption({ values }: CommandLine, name: string): boolean {
  return values[name] === true;
}

function commonTable(): OptionTable {
  const options: OptionTable = {};
  for (const [name, row] of Object.entries(COMMON_OPTIONS)) {
    options[name] = { type: row.type, ...("short" in row ? { short: row.short } : {}) };
  }
  return options;
}

/** Node's words for what is wrong name no command and no way out. */
function wordsFor(
  error: Error & { code?: string },
  { command, names }: { command: string; names: readonly string[] },
): string {
  const option = /'(--?[^' ]+)/u.exec(error.message)?.[1] ?? "";
  if (error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const close = nearest(option.replace(/^-+/u, ""), names);
    const hint = close ? `did you mean --${close}?` : `toolroom ${command} --help tells those it has`;
    return `${command} has no option ${option}; ${hint}`;
  }
  if (error.code !== "ERR_PARSE_ARGS_INVALID_OPTION_VALUE") return error.message;
  if (error.message.includes("does not take")) return `${option} takes no value`;
  return `${option} needs a value; one that begins with - is written ${option}=VALUE`;
}
