import type { Command } from "../command.ts";
import { doctorText } from "../doctor-text.ts";
import { strictCode } from "../strict.ts";
import { usageError } from "../usage.ts";

/** `doctor`: tests what a host depends on. */
export const command: Command = {
  usage: "doctor",
  summary:
    "tests the watcher of the root, and looks at limits, cache, Node, model and content; exit 1 when a check is an error",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    if (line.words.length > 0) throw usageError(`doctor takes no words, found "${line.words.join(" ")}"`);
    const host = await open({ watch: true });
    const doctor = await host.doctor();
    if (terminal.json) terminal.value(doctor);
    else terminal.say(doctorText(doctor));
    const diagnostics = host.diagnostics();
    terminal.report(diagnostics);
    return doctor.health === "error" ? 1 : strictCode(line, diagnostics);
  },
};
