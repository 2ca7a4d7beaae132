import type { Json } from "../sdk/json.ts";
import { commandFault, commonCommands, namedCommandFault } from "./command-entry.ts";
import { type Check, COUNT, COUNT_LIMIT, describe, FLAG, isMapping, type Limit, oneOf } from "./fields.ts";
import { isToolName, readCallPattern } from "./pattern-entry.ts";
import { pathFault, rootFault } from "./root-entry.ts";

/** What an agent may do by itself. */
export type AutonomyLevel = "read_only" | "supervised" | "full";

/** What becomes of a call that would send what looks like a secret. */
export type LeakGuard = "off" | "ask" | "block";

/** What keeps in the programs that tools run; from what permits most to what permits least. */
export type SandboxWish = "none" | "auto" | "required" | "bubblewrap";

/** One key of a risk profile. */
export interface RiskProfileKey<Value extends Json> {
  readonly check: Check;
  /** For a list: what is wrong with an entry, if anything. */
  readonly entry?: (entry: Json) => string | undefined;
  readonly default: Value;
  /** What holds where something is written that is no such value; default: as if nothing was. */
  readonly unsound?: Value;
  /** One sentence. */
  readonly meaning: string;
  /** What is written in several ways; default: the value as it is written. */
  read?(written: Json): Value;
  /** Of two values the one that permits no more than either: what holds for an agent that works for another one. */
  narrow(own: Value, above: Value): Value;
}

const LEVELS = ["read_only", "supervised", "full"] as const;
const GUARDS = ["off", "ask", "block"] as const;
const LIST: Check = { expected: "a list", admits: Array.isArray };
const NOTHING: readonly Json[] = [];
const AMOUNT_LIMIT: Check = {
  expected: "a number from 0, or unlimited",
  admits: (value) => value === "unlimited" || (typeof value === "number" && value >= 0 && Number.isFinite(value)),
};
const TOOL_LIMITS: Check = {
  expected: "a mapping of tools to whole numbers from 0, or unlimited",
  admits: (value) =>
    isMapping(value) && Object.entries(value).every(([name, max]) => isToolName(name) && COUNT_LIMIT.admits(max)),
};
const PERCENTAGE: Check = {
  expected: "a number from 0 to 100",
  admits: (value) => typeof value === "number" && value >= 0 && value <= 100,
};
/** What shows files and the system, and changes neither without being told to. */
const COMMANDS = ["cat", "date", "df", "du", "echo", "find", "git", "grep", "head", "ls", "pwd", "tail", "uname", "wc"];
const SANDBOXES = ["none", "auto", "required", "bubblewrap"] as const;
/** What a shell reads from its environment and then runs. */
const STARTS_CODE = /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*)$/u;

/** What a system and its logins hang on. */
const FORBIDDEN = ["/boot", "/dev", "/etc", "/proc", "/sys", "~/.aws", "~/.gnupg", "~/.kube", "~/.ssh"];

/**
 * The keys of `risk_profiles.<name>` in the settings, in the order in which they are shown. A key that is not here is an
 * error, so each is here together with the code that obeys it.
 */
export const RISK_PROFILE_KEYS = {
  level: row<AutonomyLevel>({
    check: oneOf(...LEVELS, "readonly"),
    default: "supervised",
    meaning:
      "what runs by itself: `read_only` (also `readonly`) low risk, `supervised` low risk, `full` low and medium",
    read: (written) => (written === "readonly" ? "read_only" : (written as AutonomyLevel)),
    narrow: (own, above) => LEVELS[Math.min(LEVELS.indexOf(own), LEVELS.indexOf(above))] as AutonomyLevel,
  }),
  block_high_risk: row<boolean>({
    check: FLAG,
    default: true,
    meaning: "whether calls of high risk are blocked; where not, they ask under `supervised` and run under `full`",
    narrow: (own, above) => own || above,
  }),
  auto_approve: row<readonly Json[]>({
    check: LIST,
    entry: patternFault,
    default: NOTHING,
    meaning: "calls that run where they would ask; nothing that is blocked runs by it",
    narrow: (own, above) => own.filter((entry) => above.some((other) => isSame(entry, other))),
  }),
  always_ask: row<readonly Json[]>({
    check: LIST,
    entry: patternFault,
    default: NOTHING,
    meaning: "calls that ask where they would run, at every level",
    narrow: union,
  }),
  approval_timeout_ms: row<number>({
    check: COUNT,
    default: 120_000,
    meaning: "how long a person who is asked has to answer, in milliseconds",
    narrow: Math.min,
  }),
  ask_after_untrusted: row<boolean>({
    check: FLAG,
    default: true,
    meaning:
      "whether calls of medium risk or above ask where they would run, once the turn has read the result of a tool that is `untrusted`",
    narrow: (own, above) => own || above,
  }),
  leak_guard: row<LeakGuard>({
    check: oneOf(...GUARDS),
    default: "ask",
    meaning:
      "what becomes of a call with what looks like a key, a password or a token in an argument that leaves the machine: `off` nothing, `ask` it asks where it would run, `block` it is blocked",
    narrow: (own, above) => GUARDS[Math.max(GUARDS.indexOf(own), GUARDS.indexOf(above))] as LeakGuard,
  }),
  denied_tools: row<readonly Json[]>({
    check: LIST,
    entry: nameFault,
    default: NOTHING,
    meaning: "tools that nobody may call; the model is not told of them",
    narrow: union,
  }),
  excluded_tools: row<readonly Json[]>({
    check: LIST,
    entry: nameFault,
    default: NOTHING,
    meaning: "tools that only the local command line (`run`, `chat`, `call`) may call, and no subordinate",
    narrow: union,
  }),
  // null: no restriction, which an intersection without names must not become.
  allowed_tools: row<readonly Json[] | null>({
    check: LIST,
    entry: nameFault,
    default: null,
    meaning:
      "where it is not empty, the only tools that may be called, besides those discovered at run time, which have `__` in their name",
    read: (written) => (Array.isArray(written) && written.length > 0 ? written : null),
    narrow: (own, above) =>
      own && above ? own.filter((entry) => above.some((other) => isSame(entry, other))) : (own ?? above),
  }),
  allowed_commands: row<readonly Json[]>({
    check: LIST,
    entry: commandFault,
    default: COMMANDS,
    unsound: NOTHING,
    meaning:
      "commands of a shell that are of medium risk; all others are of high risk. `*` means all that the host knows but those that a list has to name, such as `rm`",
    narrow: commonCommands,
  }),
  low_risk_commands: row<readonly Json[]>({
    check: LIST,
    entry: namedCommandFault,
    default: NOTHING,
    meaning: "those of `allowed_commands` that are of low risk, such as `ls`",
    narrow: commonCommands,
  }),
  denied_commands: row<readonly Json[]>({
    check: LIST,
    entry: commandFault,
    default: NOTHING,
    unsound: ["*"],
    meaning: "commands of a shell that nobody may run, also where another command would run them; `*` means all",
    narrow: union,
  }),
  max_actions_per_hour: row<Limit>({
    check: COUNT_LIMIT,
    default: "unlimited",
    unsound: 0,
    meaning: "how many calls a conversation may make in any hour; 0 is none",
    narrow: least,
  }),
  max_tool_actions_per_hour: row<{ readonly [tool: string]: Limit }>({
    check: TOOL_LIMITS,
    default: {},
    unsound: { "*": 0 },
    meaning:
      "the same for single tools, as in `{ shell: 10, github__*: 100 }`; what holds `*` counts for each tool alone",
    narrow: leastOfEach,
  }),
  max_cost_per_day: row<Limit>({
    check: AMOUNT_LIMIT,
    default: "unlimited",
    unsound: 0,
    meaning: "what models may cost in a day (UTC), all agents and processes of the root together; see `models.prices`",
    narrow: least,
  }),
  max_cost_per_month: row<Limit>({
    check: AMOUNT_LIMIT,
    default: "unlimited",
    unsound: 0,
    meaning: "the same for a month",
    narrow: least,
  }),
  cost_warning_percent: row<number>({
    check: PERCENTAGE,
    default: 80,
    meaning: "from how much of such a limit on it is warned",
    narrow: Math.min,
  }),
  unknown_price: row<"warn" | "block">({
    check: oneOf("warn", "block"),
    default: "warn",
    unsound: "block",
    meaning:
      "what becomes of a model that `models.prices` does not name: `warn` asks it, counts nothing, and says so where a cost is limited; `block` does not ask it",
    narrow: (own, above) => (own === "block" ? own : above),
  }),
  workspace_only: row<boolean>({
    check: FLAG,
    default: true,
    meaning:
      "whether file tools stay in the workspace and in `allowed_roots`; only `level: full` together with `false` opens all other paths",
    narrow: (own, above) => own || above,
  }),
  allowed_roots: row<readonly Json[]>({
    check: LIST,
    entry: rootFault,
    default: NOTHING,
    meaning:
      "directories outside of the workspace that file tools may use: a path may be read; `{path, access}` says `read_only`, `read_write` or `write_only`",
    narrow: (own, above) => own.filter((entry) => above.some((other) => isSame(entry, other))),
  }),
  forbidden_paths: row<readonly Json[]>({
    check: LIST,
    entry: pathFault,
    default: FORBIDDEN,
    unsound: ["/"],
    meaning: "paths that file tools may not use at any level, nor what lies below them",
    narrow: union,
  }),
  sandbox: row<SandboxWish>({
    check: oneOf("auto", "bubblewrap", "none", "required"),
    default: "auto",
    unsound: "required",
    meaning:
      "what keeps in the programs that tools run: `auto` a sandbox where there is one, `required` and `bubblewrap` run nothing without it, `none` nothing keeps them in",
    narrow: (own, above) => SANDBOXES[Math.max(SANDBOXES.indexOf(own), SANDBOXES.indexOf(above))] as SandboxWish,
  }),
  sandbox_network: row<boolean>({
    check: FLAG,
    default: false,
    meaning: "whether programs in a sandbox reach the network",
    narrow: (own, above) => own && above,
  }),
  env_passthrough: row<readonly Json[]>({
    check: LIST,
    entry: variableFault,
    default: NOTHING,
    meaning:
      "variables of the host's environment that programs are given besides PATH, HOME, USER, SHELL, TERM, TMPDIR, LANG, LC_ALL and LC_CTYPE; never one that is a secret by its name",
    narrow: (own, above) => own.filter((entry) => above.some((other) => isSame(entry, other))),
  }),
};

type RiskProfileKeys = typeof RISK_PROFILE_KEYS;

/** A key of a risk profile. */
export type RiskProfileKeyName = keyof RiskProfileKeys;

/** The values of a risk profile, each key with one. */
export type RiskProfileValues = {
  readonly [Key in RiskProfileKeyName]: RiskProfileKeys[Key]["default"];
};

/** What a plugin may say for every risk profile, under `policy:` of its manifest: only what permits less. */
export const TIGHTENING_KEYS = ["always_ask", "denied_commands", "denied_tools", "excluded_tools"] as const;

/** A key of {@link TIGHTENING_KEYS}. */
export type TighteningKey = (typeof TIGHTENING_KEYS)[number];

/** Whether `key` is one of a risk profile. */
export function isRiskProfileKey(key: string): key is RiskProfileKeyName {
  return Object.hasOwn(RISK_PROFILE_KEYS, key);
}

function row<Value extends Json>(key: RiskProfileKey<Value>): RiskProfileKey<Value> {
  return key;
}

function patternFault(entry: Json): string | undefined {
  const pattern = readCallPattern(entry);
  return "fault" in pattern ? pattern.fault : undefined;
}

function nameFault(entry: Json): string | undefined {
  if (typeof entry === "string" && isToolName(entry)) return undefined;
  return `expected a tool's name, found ${describe(entry)}`;
}

function variableFault(entry: Json): string | undefined {
  const sound = typeof entry === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/u.test(entry) && !STARTS_CODE.test(entry);
  return sound ? undefined : `expected the name of a variable that starts no code, found ${describe(entry)}`;
}

function least(own: Limit, above: Limit): Limit {
  return own === "unlimited" ? above : above === "unlimited" ? own : Math.min(own, above);
}

function leastOfEach(own: { readonly [tool: string]: Limit }, above: { readonly [tool: string]: Limit }) {
  const names = [...new Set([...Object.keys(own), ...Object.keys(above)])];
  return Object.fromEntries(names.map((name) => [name, least(own[name] ?? "unlimited", above[name] ?? "unlimited")]));
}

function union(own: readonly Json[], above: readonly Json[]): readonly Json[] {
  return [...own, ...above.filter((entry) => !own.some((other) => isSame(entry, other)))];
}

/** Entries are what files hold: the same text means the same. */
function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
