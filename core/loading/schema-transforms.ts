/** The part of a zod 4 schema that is looked at; any copy of zod has it. */
interface ZodLike {
  readonly _zod: { readonly def: { readonly type?: unknown; readonly [key: string]: unknown } };
}

/**
 * Whether a zod schema ends in a transform somewhere. It has a JSON form for what goes in, but what comes out is
 * anything: the arguments of a call are JSON, before and after validation, and may be validated twice.
 * A `z.preprocess`, which comes before the checks, is fine.
 */
export function endsInTransform(schema: unknown): boolean {
  const seen = new Set<unknown>();
  const visit = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null || seen.has(value)) return false;
    seen.add(value);
    if (!isZodLike(value)) return (Array.isArray(value) || isPlain(value)) && Object.values(value).some(visit);
    const { def } = value._zod;
    if (def.type === "pipe" && isZodLike(def.out) && def.out._zod.def.type === "transform") return true;
    if (def.type === "lazy" && typeof def.getter === "function") return visit(def.getter());
    return Object.values(def).some(visit);
  };
  return visit(schema);
}

function isZodLike(value: unknown): value is ZodLike {
  return typeof value === "object" && value !== null && "_zod" in value;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
