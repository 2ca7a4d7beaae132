import { diagnostic, hostError } from "../diagnostics.ts";
import type { Settings } from "../discovery/settings.ts";
import { type CostLimit, costLimits } from "../governance/cost-limits.ts";
import type { Denial } from "../governance/denials.ts";
import { ESTOP_HINT, type Estop, estopText } from "../governance/estop.ts";
import { amount, costReached, costUnknown } from "../governance/limit-denials.ts";
import { costOf, type Price, priceOf } from "../governance/prices.ts";
import { type RiskProfile, settingOf } from "../governance/risk-profile.ts";
import type { Policy } from "../governance/ruling.ts";
import type { Spending, Spent } from "../governance/spending.ts";
import { createMeteredModel } from "../model/metered-model.ts";
import type { Model } from "../model/model.ts";

/** Who asks a model. */
export interface Asker {
  readonly policy: Pick<Policy, "profiles">;
  readonly settings: Settings;
  /** Is told what a person should know of its costs. */
  warn(warning: CostWarning): void;
}

/** A warning, with a code of diagnostics. */
export interface CostWarning {
  readonly code: "COST_WARNING" | "PRICE_UNKNOWN";
  readonly message: string;
}

/** What models cost, and whether they may be asked. */
export interface Metering {
  /**
   * The model for one who asks: its questions are counted, and not put where the e-stop is on, a limit of costs is
   * reached, or its price has to be known and is not.
   */
  model(model: Model, asker: Asker): Model;
  /** Why a call may not run by what was spent. @param what was not done, such as `shell was not run` */
  refusal(what: string, policy: Pick<Policy, "profiles">): Denial | undefined;
  /** Undefined where it cannot be read. */
  spent(): Spent | undefined;
}

/** What {@link createMetering} joins. */
export interface MeteringOptions {
  readonly estop: Estop;
  readonly spending: Spending;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createMetering({ estop, spending, now }: MeteringOptions): Metering {
  /** What was said already: once for each model, and for each limit and period. */
  const told = new Set<string>();
  const once = (key: string, say: () => void): void => {
    if (told.has(key)) return;
    told.add(key);
    say();
  };
  const limitsOf = cached((policy: Pick<Policy, "profiles">) => costLimits(policy.profiles));

  const refusal = (what: string, limits: readonly CostLimit[], isReached: typeof isOver): Denial | undefined => {
    const [first] = limits;
    if (!first) return undefined;
    const spent = spentOrFault(spending);
    if (typeof spent === "string") return costUnknown(what, first, spent);
    const reached = limits.find(({ max, period }) => isReached(spent[period], max));
    return reached && costReached(what, reached, spent, now());
  };

  /** @throws HostError ESTOP_ON, PRICE_UNKNOWN, COST_LIMIT */
  const requireLeave = (model: Model, { policy, settings, warn }: Asker): Price | undefined => {
    const state = estop.current();
    if (state) throw hostError(diagnostic("ESTOP_ON", { message: estopText(state), hint: ESTOP_HINT }));
    if (model.free) return undefined;
    const price = priceOf(settings.get("models.prices"), model.id);
    const limits = limitsOf(policy);
    if (!price) {
      const blocking = policy.profiles.find(({ values }) => values.unknown_price === "block");
      if (blocking) throw priceUnknown(model, blocking);
      if (limits.length > 0)
        once(`price ${model.id}`, () => warn({ code: "PRICE_UNKNOWN", message: uncounted(model) }));
    }
    // What costs nothing may be asked when nothing is left.
    if (price && price.input === 0 && price.output === 0) return price;
    const denial = refusal(`${model.id} was not asked`, limits, isReachedBefore);
    if (denial) throw hostError(diagnostic("COST_LIMIT", { message: denial.message, hint: denial.hint }));
    return price;
  };

  const warnOfLimits = ({ policy, warn }: Asker): void => {
    const limits = limitsOf(policy);
    if (limits.length === 0) return;
    const spent = spentOrFault(spending);
    if (typeof spent === "string") return;
    const percent = Math.min(...policy.profiles.map(({ values }) => values.cost_warning_percent));
    for (const limit of limits) {
      const { period, max, key, profile } = limit;
      if (spent[period] < (max * percent) / 100) continue;
      const date = new Date(now()).toISOString().slice(0, period === "day" ? 10 : 7);
      const message = `${amount(spent[period])} of ${max} for the ${period} are spent on models (${settingOf(profile, key)}; it is warned from ${percent} % on)`;
      once(`limit ${key} ${max} ${date}`, () => warn({ code: "COST_WARNING", message }));
    }
  };

  return {
    model(model, asker) {
      let price: Price | undefined;
      return createMeteredModel(model, {
        before() {
          price = requireLeave(model, asker);
        },
        after(usage, estimated) {
          if (!price) return;
          if (usage.inputTokens === undefined && usage.outputTokens === undefined) {
            once(`usage ${model.id}`, () => asker.warn({ code: "PRICE_UNKNOWN", message: untold(model) }));
            return;
          }
          const cost = costOf(usage, price);
          if (cost === 0) return;
          spending.add({ model: model.id, usage, cost, estimated });
          warnOfLimits(asker);
        },
      });
    },
    refusal: (what, policy) => refusal(what, limitsOf(policy), isOver),
    spent() {
      const spent = spentOrFault(spending);
      return typeof spent === "string" ? undefined : spent;
    },
  };
}

/** Nothing is left for one more question. */
function isReachedBefore(spent: number, max: number): boolean {
  return spent >= max;
}

/** As long as nothing was spent, who spends nothing is not held up by a limit of 0. */
function isOver(spent: number, max: number): boolean {
  return spent >= max && spent > 0;
}

function spentOrFault(spending: Spending): Spent | string {
  try {
    return spending.spent();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function uncounted({ id }: Model): string {
  return `what ${id} costs is not known, so it is not counted against the limits: set models.prices`;
}

function untold({ id }: Model): string {
  return `${id} does not tell what it uses, so it is not counted against the limits`;
}

function priceUnknown({ id }: Model, profile: RiskProfile): Error {
  const setting = settingOf(profile, "unknown_price");
  const message = `${id} was not asked: what it costs is not known, and ${setting} is block`;
  const hint = `Add ${JSON.stringify(id)} to models.prices in usr/settings.yaml, as { input: …, output: … } for a million tokens.`;
  return hostError(diagnostic("PRICE_UNKNOWN", { message, hint }));
}

/** The answer for each object once. */
function cached<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
