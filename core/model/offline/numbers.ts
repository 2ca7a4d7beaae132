import type { Entity } from "./entity.ts";
import { leftOf, type Slot } from "./examples.ts";
import { fits, propertyOf } from "./schema.ts";
import { unitOf } from "./text.ts";
import { consume, unusedOf, use, type Work } from "./work.ts";

/** Numbers whose unit of time is the name of a parameter: "2 hours" is `hours`. */
export function fillUnits(work: Work): void {
  for (const entity of unusedOf(work, ["number"])) {
    const unit = unitOf(work.question, entity);
    for (const [param, term] of work.unitParams)
      if (term === unit && !Object.hasOwn(work.args, param)) use(work, param, entity);
  }
}

/** Numbers, at the places where any example of the tool shows them. */
export function fillNumbers(work: Work, how: "exact" | "loose"): void {
  const places = work.siblings.flatMap((example) => example.slots.filter(({ kind }) => kind === "number"));
  for (const place of places) {
    if (Object.hasOwn(work.args, place.param) || work.unitParams.has(place.param)) continue;
    const found = unusedOf(work, ["number"]).find((entity) => sameNumberPlace(work, { place, entity, how }));
    if (found) use(work, place.param, found);
  }
}

/** Numbers that are worked out of two: the length of "lines 10 to 20". */
export function fillSpans(work: Work): void {
  for (const span of work.siblings.flatMap(({ spans }) => spans)) {
    const base = work.args[span.base];
    if (typeof base !== "number" || Object.hasOwn(work.args, span.param)) continue;
    const found = unusedOf(work, ["number"]).find(
      ({ start }) => leftOf(work.question, start)?.term === span.left?.term,
    );
    if (!found || Number(found.value) < base) continue;
    work.args[span.param] = Number(found.value) - base + span.plus;
    consume(work, found);
  }
}

/**
 * Whether a number stands at the place of a slot. Exact: the same word before it and the same unit. Loose: the same
 * unit is enough, unless a word such as "to" gives the number another part.
 */
function sameNumberPlace(
  work: Work,
  { place, entity, how }: { place: Slot; entity: Entity; how: "exact" | "loose" },
): boolean {
  if (place.kind !== "number" || !fits(propertyOf(work.parameters, place.param), entity.value)) return false;
  const left = leftOf(work.question, entity.start);
  if (unitOf(work.question, entity) !== place.unit) return false;
  if (left !== undefined && left.term === place.left?.term && left.role !== "stop") return true;
  return how === "loose" && place.unit !== undefined && left?.role !== "tie";
}
