import { diagnostic } from "../diagnostics.ts";
import { type Deadline, isPromiseLike } from "../governance/cancellation.ts";
import type { LoadedTool } from "../loading/tool-module.ts";
import { ToolError } from "../sdk/errors.ts";
import { frozenJson } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { ToolClass } from "../sdk/tool.ts";
import { type Call, shortName } from "./call.ts";
import { runContent } from "./content.ts";
import { describeValue, type Fault } from "./faults.ts";
import { invalidJson, loadFailed, timedOut, unknownTool } from "./refusals.ts";
import { summariesFor } from "./resolve.ts";
import {
  createValidator,
  importSchemaSdk,
  refuseArguments,
  type SchemaSdk,
  type Validated,
  type Validator,
} from "./validate.ts";

/** The compiled schemas of the tools of one host; each is compiled once, and goes with its class. */
export interface Validators {
  arguments(call: Call, loaded: LoadedTool): Validator | Promise<Validator>;
  output(call: Call, loaded: LoadedTool): Validator | Promise<Validator>;
}

export function createValidators(): Validators {
  const forArguments = new WeakMap<ToolClass, Validator>();
  const forOutput = new WeakMap<ToolClass, Validator>();
  let known: SchemaSdk | undefined;
  // To import what was imported takes a while, too.
  const sdk = async (): Promise<SchemaSdk> => {
    known ??= await importSchemaSdk();
    return known;
  };
  const compile = async (call: Call, { id, cls, contract }: LoadedTool, member: "parameters" | "output") => {
    try {
      const validator = await createValidator({
        source: cls[member],
        json: contract[member],
        repair: member === "parameters",
        sdk,
      });
      (member === "parameters" ? forArguments : forOutput).set(cls, validator);
      return validator;
    } catch (error) {
      const message = `static ${member} cannot be compiled: ${error instanceof Error ? error.message : String(error)}`;
      throw loadFailed(
        id,
        diagnostic("LOAD_BAD_SCHEMA", { ...(call.target ? { file: call.target.path } : {}), message }),
      );
    }
  };
  return {
    arguments: (call, loaded) => forArguments.get(loaded.cls) ?? compile(call, loaded, "parameters"),
    output: (call, loaded) => forOutput.get(loaded.cls) ?? compile(call, loaded, "output"),
  };
}

/**
 * Stage 2: reads the arguments and checks them against the tool's schema.
 * @throws ToolError INVALID_JSON, INVALID_PARAM
 */
export function validateArguments(
  call: Call,
  loaded: LoadedTool,
  validators: Validators,
): JsonObject | Promise<JsonObject> {
  call.env.trace?.("validate");
  const asked = call.isUnknown ? fallbackArguments(call) : readArguments(call, loaded);
  const accept = (validated: Validated): JsonObject => {
    if ("value" in validated) return validated.value;
    // It is the unknown name that has to be told, not what the fallback tool would have liked.
    if (call.isUnknown) throw unknownTool(call.request.name, summariesFor(call));
    throw refuse(call, loaded, validated.faults);
  };
  const check = (validator: Validator) => runSchema(call, loaded, () => validator(asked));
  const validator = validators.arguments(call, loaded);
  const validated = isPromiseLike(validator) ? validator.then(check) : check(validator);
  return isPromiseLike(validated) ? validated.then(accept) : accept(validated);
}

/** Runs a schema of the tool: its refinements are the author's code like any other. */
function runSchema(
  call: Call,
  loaded: LoadedTool,
  check: () => Validated | Promise<Validated>,
): Validated | Promise<Validated> {
  return runContent(call, check, schemaDeadline(loaded));
}

const SCHEMA_DEADLINE_MS = 15_000;

/** How long a schema of a tool may take. */
export function schemaDeadline({ id }: LoadedTool): Deadline {
  return { ms: SCHEMA_DEADLINE_MS, expired: () => timedOut(`the schema of ${id}`, SCHEMA_DEADLINE_MS) };
}

/**
 * Stage 3, second half: what extensions left in place of the arguments is checked like the model's own.
 * @throws ToolError DENIED_BY_EXTENSION: it is not the model that has to mend it
 */
export async function validateReplaced(
  call: Call,
  loaded: LoadedTool,
  validators: Validators,
  replaced: unknown,
): Promise<JsonObject> {
  call.env.trace?.("validate");
  const checked = frozenJson(replaced);
  if ("value" in checked) {
    const validator = await validators.arguments(call, loaded);
    const validated = await runSchema(call, loaded, () => validator(checked.value as JsonObject));
    if ("value" in validated) return validated.value;
    const { message } = refuse(call, loaded, validated.faults);
    throw new ToolError("DENIED_BY_EXTENSION", `an extension at tool_execute_before replaced arguments: ${message}`);
  }
  throw new ToolError(
    "DENIED_BY_EXTENSION",
    `an extension at tool_execute_before left arguments that are not JSON: found ${checked.fault.found}`,
  );
}

/** A fault at the method's place gets words of its own: nobody wrote `action`. */
function refuse(call: Call, { id, contract }: LoadedTool, faults: readonly Fault[]): ToolError {
  const properties = contract.parameters?.properties;
  const takesAction = typeof properties === "object" && properties !== null && Object.hasOwn(properties, "action");
  if (call.method !== undefined && !takesAction && !Object.hasOwn(call.asked, "action")) {
    return new ToolError("INVALID_PARAM", `${id} has no methods, so ${id}:${call.method} cannot be called`, {
      pointer: "/action",
      hint: `Call it as ${id}. Do not resend the identical call.`,
    });
  }
  return refuseArguments(id, faults, contract.parameters);
}

function fallbackArguments({ request, asked }: Call): JsonObject {
  return { requested: shortName(request.name), args: asked };
}

function readArguments({ given, method }: Call, { id, contract }: LoadedTool): JsonObject {
  if ("invalid" in given) throw invalidJson(id, given.invalid, contract.parameters);
  if ("args" in given) {
    if (method === undefined || Object.hasOwn(given.args, "action")) return given.args;
    return Object.freeze({ ...given.args, action: method });
  }
  const place =
    "fault" in given
      ? { pointer: given.fault.path, expected: "JSON", received: given.fault.found }
      : { pointer: "", expected: "object", received: describeValue(given.other) };
  throw refuseArguments(id, [{ kind: "invalid", ...place }], contract.parameters);
}
