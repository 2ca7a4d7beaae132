import { readEstop, turnEstopOff, turnEstopOn } from "../../governance/estop.ts";
import { estopStatus } from "../../host/estop-switch.ts";
import { findRoot, stateDirectories } from "../../locations.ts";
import type { Command } from "../command.ts";
import { estopLine } from "../estop-text.ts";
import { textOption } from "../options.ts";
import { usageError } from "../usage.ts";

const ACTIONS = ["on", "off", "status"] as const;

/** `estop`: stops every host of the root. It opens none, so it works whatever is wrong with the content. */
export const command: Command = {
  usage: "estop [on [reason …] | off | status]",
  summary: "stops every call and every turn in all hosts of this root, until it is turned off",
  options: {},
  optionHelp: {},
  async run({ line, terminal }) {
    const [word = "status", ...reason] = line.words;
    const action = ACTIONS.find((name) => name === word);
    if (!action) throw usageError(`estop has the actions ${ACTIONS.join(", ")}, found "${word}"`);
    if (action !== "on" && reason.length > 0)
      throw usageError(`estop ${action} takes no words, found "${reason.join(" ")}"`);
    const directories = stateDirectories(findRoot(textOption(line, "root"), terminal.cwd()), terminal.env);
    if (action === "on") turnEstopOn(directories, reason.join(" "));
    if (action === "off") turnEstopOff(directories);
    const status = estopStatus(readEstop(directories));
    if (terminal.json) terminal.value(status);
    else terminal.say(estopLine(status));
    return 0;
  },
};
