import type { JsonObject, ToolResult } from "../../sdk/result.ts";
import type { Contract } from "../contract.ts";
import { breach, shown } from "../failure.ts";
import { wrongValues } from "../schema-values.ts";
import type { Subject } from "../subject.ts";
import { requireHandled } from "./handled.ts";

const STRANGE = "toolroom_unknown";

/** A name that is spelled wrong must not be passed over in silence. */
export const unknownArguments: Contract = {
  name: "refuses an argument that it does not know",
  async check(subject) {
    const { sample, facts } = subject;
    const args = { ...sample.args, [STRANGE]: 1 };
    if (facts.isClosed(args)) {
      await requireRefused(subject, args, `/${STRANGE}`);
      return undefined;
    }
    requireHandled(await subject.call(args), "an argument that nobody expects", args);
    return "its schema accepts unknown arguments";
  },
};

export const missingArguments: Contract = {
  name: "refuses a call without a required argument",
  async check(subject) {
    const { sample, facts } = subject;
    for (const name of facts.required) {
      const { [name]: _, ...args } = sample.args;
      await requireRefused(subject, args, `/${name}`);
    }
    if (facts.required.length > 0) return undefined;
    requireHandled(await subject.call({}), "no argument at all", {});
    return "it requires none";
  },
};

export const wrongTypes: Contract = {
  name: "refuses arguments of the wrong type",
  async check(subject) {
    const { sample, facts } = subject;
    let tried = 0;
    for (const argument of facts.arguments) {
      for (const value of wrongValues(argument, facts.schema ?? {})) {
        await requireRefused(subject, { ...sample.args, [argument.name]: value }, `/${argument.name}`);
        tried++;
      }
    }
    return tried === 0 ? "its schema says no type of any argument" : undefined;
  },
};

/** Refused with the place of the fault, before anything was run. */
async function requireRefused(subject: Subject, args: JsonObject, pointer: string): Promise<void> {
  const before = subject.events.length;
  const result = await subject.call(args);
  const ran = subject.events.slice(before).some(({ type }) => type === "tool_start");
  const { error } = result;
  const isRefusal = error?.code === "INVALID_PARAM" && `${error.pointer ?? ""}/`.startsWith(`${pointer}/`);
  if (isRefusal && !ran) return;
  throw breach({
    expected: `INVALID_PARAM at ${pointer} for ${shown(args)}, before the tool runs`,
    found: `${inWords(result)}${ran ? ", after it ran" : ""}`,
    todo: "Say what it takes in static parameters.",
  });
}

function inWords({ status, message, error }: ToolResult): string {
  return error
    ? `${error.code} at ${error.pointer || "no place"}: ${shown(error.message)}`
    : `${status}: ${shown(message)}`;
}
