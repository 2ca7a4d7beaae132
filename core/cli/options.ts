import { type ParseArgsConfig, parseArgs } from "node:util";
import { HostError } from "../sdk/errors.ts";

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
  locale: { type: "string", value: "L", help: "the language of descriptions" },
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
 * @throws HostError USAGE (exit code 2) for an unknown option, a missing or a superfluous value
 */
export function parseCommandLine(argv: readonly string[], own: OptionTable): CommandLine {
  const options: OptionTable = { ...own };
  for (const [name, row] of Object.entries(COMMON_OPTIONS)) {
    options[name] = { type: row.type, ...("short" in row ? { short: row.short } : {}) };
  }
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
    return { values, words: positionals };
  } catch (error) {
    throw new HostError("USAGE", (error as Error).message.replace(/\. To specify a positional.*$/u, "."), {
      kind: "usage",
    });
  }
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
