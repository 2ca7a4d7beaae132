import { type CommandRule, high, medium } from "./meaning.ts";

/** The host's own command line: what shows something, and what is for the person who operates it. */
export const OPERATOR: Readonly<Record<string, CommandRule>> = {
  toolroom: (args) => {
    const name = args.find((arg) => !arg.startsWith("-")) ?? "";
    if (/^(?:list|explain|prompt|check|doctor|help)$/u.test(name) || (args.length === 1 && args[0] === "--version")) {
      return medium("it runs the host");
    }
    return high("it is for the person who operates this host");
  },
  "verify-dox": () => medium("it runs the host"),
};
