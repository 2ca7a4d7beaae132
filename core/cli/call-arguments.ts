import type { Host } from "../host.ts";
import { parseArguments } from "../sdk/arguments.ts";
import type { JsonObject } from "../sdk/result.ts";
import { usageError } from "./usage.ts";

/**
 * The arguments of a call, as its words say them.
 * @returns the text where it is no JSON: dispatch refuses it as INVALID_JSON, like a model's
 * @throws HostError USAGE
 */
export async function readArguments(
  host: Pick<Host, "parameters">,
  name: string,
  words: readonly string[],
): Promise<JsonObject | string> {
  const parsed = parseArguments(words, await host.parameters(name));
  if (!("error" in parsed)) return parsed.args;
  if (parsed.error.kind === "usage") throw usageError(parsed.error.message);
  return words.join(" ");
}
