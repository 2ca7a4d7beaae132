import { BUILTINS } from "./builtins.ts";
import { FILE_COMMANDS } from "./files.ts";
import { GIT } from "./git.ts";
import { INTERPRETERS } from "./interpreters.ts";
import type { CommandRule } from "./meaning.ts";
import { OPERATOR } from "./operator.ts";
import { PACKAGE_MANAGERS } from "./packages.ts";
import { TEXT_TOOLS } from "./text-tools.ts";
import { WRAPPERS } from "./wrappers.ts";

const RULES: ReadonlyMap<string, CommandRule> = new Map(
  Object.entries({
    ...FILE_COMMANDS,
    ...TEXT_TOOLS,
    ...BUILTINS,
    ...WRAPPERS,
    ...INTERPRETERS,
    ...PACKAGE_MANAGERS,
    ...GIT,
    ...OPERATOR,
  }),
);

/**
 * What is known of a command; undefined where nothing is.
 * @param name without a directory; versions such as `python3.12` are meant as well
 */
export function ruleOf(name: string): CommandRule | undefined {
  return RULES.get(name) ?? RULES.get(name.replace(/-?\d+(?:\.\d+)*$/u, ""));
}
