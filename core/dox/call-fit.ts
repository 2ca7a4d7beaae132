import { isMapping } from "../discovery/fields.ts";
import { compileJsonSchema } from "../dispatch/ajv-validator.ts";
import { createExaminer } from "../dispatch/examine.ts";
import { type Fault, mergeFaults, unknownFault } from "../dispatch/faults.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { surelyFits } from "./sure-fit.ts";

/** Whether a text shows a call as a model writes it, whatever else is wrong with it. */
export function showsCall(text: string): boolean {
  return text.includes('"tool_name"') && text.includes('"tool_args"');
}

/**
 * What is wrong with the arguments of a call that somebody shows.
 * @param call `method`: the one in `name:method`, which fills in `action`
 */
export async function callFaults(
  call: { readonly args: Json; readonly method: string | undefined },
  schema: JsonSchema,
): Promise<readonly Fault[]> {
  const args = withMethod(call.args, call.method, schema);
  if (surelyFits(args, schema)) return [];
  const { unknown } = createExaminer(schema)(args);
  try {
    const check = await compileJsonSchema(schema);
    // Defaults are filled in in place.
    return mergeFaults([...unknown.map((one) => unknownFault(one, args)), ...check(structuredClone(args))]);
  } catch {
    // A schema that cannot be compiled is told by the area `contracts`.
    return [];
  }
}

function withMethod(args: Json, method: string | undefined, { properties }: JsonSchema): Json {
  if (method === undefined || !isMapping(args) || Object.hasOwn(args, "action")) return args;
  return Object.hasOwn((properties as object | undefined) ?? {}, "action") ? { ...args, action: method } : args;
}
