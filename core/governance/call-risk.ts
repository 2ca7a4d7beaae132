import { type CallErrorCode, isToolError, type ToolError } from "../sdk/errors.ts";
import type { Risk, RiskContext, RiskLevel, RiskVerdict, ToolRole } from "../sdk/tool.ts";
import { isPromiseLike } from "./cancellation.ts";

/** How much harm a call can do, and why. */
export interface CallRisk extends RiskVerdict {
  /** The error that the call would end with, whoever lets it run: nobody has to be asked. */
  readonly refusal?: ToolError;
}

/** What a tool's own function is asked with. */
export interface Weighing {
  readonly args: unknown;
  readonly context: () => RiskContext;
  /** Runs the author's code, for as long as it may take. @throws whatever it throws, or that it took too long */
  run<T>(work: () => T | Promise<T>): T | Promise<T>;
}

const LEVELS: readonly RiskLevel[] = ["low", "medium", "high"];

const DECLARED: Readonly<Record<RiskLevel, CallRisk>> = {
  low: fixed("low", "the tool says so of all its calls"),
  medium: fixed("medium", "the tool says so of all its calls"),
  high: fixed("high", "the tool says so of all its calls"),
};
const UNDECLARED = fixed("medium", "the tool declares no risk");
const ANSWERING = fixed("low", "the tool answers for the agent and declares no risk");

/**
 * The risk of every call of a tool that has no function to say it of each. One that declares nothing is medium; one that
 * answers for the agent is low then, because an agent has to be able to answer.
 */
export function declaredRisk(risk: RiskLevel | undefined, role: ToolRole | undefined): CallRisk {
  if (risk === undefined) return role === undefined ? UNDECLARED : ANSWERING;
  return DECLARED[risk];
}

/** Errors that say that the call cannot do what it is asked for; others say that the function failed. */
const REFUSALS: ReadonlySet<CallErrorCode> = new Set([
  "ACCESS_DENIED",
  "PERMISSION_DENIED",
  "INVALID_PARAM",
  "CONFLICT",
]);

/**
 * What a tool's own function says of a call. One that throws what the call itself would end with, such as the refusal of a
 * path, refuses it; one that throws anything else, or whose answer is none, makes the call high.
 * @param risk `static risk`; what is no function any more has failed, too
 */
export function weighedRisk(risk: Risk | undefined, weighing: Weighing): CallRisk | Promise<CallRisk> {
  const failed = (error: unknown): CallRisk => {
    const message = error instanceof Error ? error.message : String(error);
    if (isToolError(error) && REFUSALS.has(error.code)) return { level: "high", reasons: [message], refusal: error };
    return fixed("high", `the tool's own risk function failed: ${message}`);
  };
  try {
    const ask = risk as Exclude<Risk, RiskLevel>;
    const answer = weighing.run(() => ask(weighing.args, weighing.context()));
    return isPromiseLike(answer) ? answer.then(verdictOf, failed) : verdictOf(answer);
  } catch (error) {
    return failed(error);
  }
}

/** The higher of two risks, with the reasons of both where both are that high: a hint from outside raises, and never lowers. */
export function raisedRisk(risk: CallRisk, level: RiskLevel, reason: string): CallRisk {
  const [own, other] = [LEVELS.indexOf(risk.level), LEVELS.indexOf(level)];
  if (other < own) return risk;
  return { ...risk, level, reasons: other > own ? [reason] : [...risk.reasons, reason] };
}

function verdictOf(answer: unknown): CallRisk {
  const nonsense = (what: string): CallRisk => fixed("high", `the tool's own risk function gave ${what}`);
  if (typeof answer !== "object" || answer === null) return nonsense("no answer of the form {level, reasons}");
  const { level, reasons, deny } = answer as Partial<Record<keyof RiskVerdict, unknown>>;
  const known = LEVELS.find((name) => name === level);
  if (!known) return nonsense("a level that is none of low, medium, high");
  if (!isTexts(reasons)) return nonsense("reasons that are no list of texts");
  if (deny === undefined) return { level: known, reasons: [...reasons] };
  const { rule, message } = (deny ?? {}) as Partial<Record<"rule" | "message", unknown>>;
  if (typeof rule !== "string" || typeof message !== "string") return nonsense("a deny that is not {rule, message}");
  return { level: known, reasons: [...reasons], deny: { rule, message } };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function fixed(level: RiskLevel, reason: string): CallRisk {
  return Object.freeze({ level, reasons: Object.freeze([reason]) });
}
