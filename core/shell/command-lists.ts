import { posix } from "node:path";
import { ALL_COMMANDS, isMeantByAll } from "../discovery/command-entry.ts";
import type { JsonObject } from "../sdk/result.ts";

/** The lists of commands of a risk profile. */
export interface CommandLists {
  /** Of medium risk. @param name as it is written, `directory` where a relative path is taken from */
  allows(name: string, directory: string): boolean;
  /** The same, but by its own name and not by `*`. */
  names(name: string, directory: string): boolean;
  /** Of low risk, where it is of medium risk as well. */
  isLow(name: string, directory: string): boolean;
  /** Nobody may run it. Capitals do not count, nor does the directory of a command that is listed by its name. */
  denies(name: string, directory: string): boolean;
}

/**
 * @param policy the values of the risk profile; a list that is none is empty
 * @param root what paths in the lists are relative to
 */
export function readCommandLists(policy: JsonObject, root: string): CommandLists {
  const allowed = entriesOf(policy.allowed_commands, root);
  const low = entriesOf(policy.low_risk_commands, root);
  const denied = entriesOf(policy.denied_commands, root);
  const deniedNames = new Set([...denied].map((entry) => entry.toLowerCase()));
  const keyOf = (name: string, directory: string): string =>
    name.includes("/") ? posix.resolve(directory, name) : name;
  return {
    allows: (name, directory) =>
      allowed.has(keyOf(name, directory)) || (allowed.has(ALL_COMMANDS) && isMeantByAll(name)),
    names: (name, directory) => allowed.has(keyOf(name, directory)),
    isLow: (name, directory) => low.has(keyOf(name, directory)),
    denies: (name, directory) =>
      denied.has(ALL_COMMANDS) ||
      [keyOf(name, directory), posix.basename(name)].some((key) => deniedNames.has(key.toLowerCase())),
  };
}

function entriesOf(list: unknown, root: string): ReadonlySet<string> {
  const entries = Array.isArray(list) ? list.filter((entry): entry is string => typeof entry === "string") : [];
  return new Set(entries.map((entry) => (entry.includes("/") ? posix.resolve(root, entry) : entry)));
}
