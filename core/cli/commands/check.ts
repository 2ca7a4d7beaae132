import { relative, resolve } from "node:path";
import type { CheckArea } from "../../dox/check.ts";
import { CHECK_FORMATS, type CheckFormat, formatReport } from "../check-formats.ts";
import type { Command } from "../command.ts";
import { type CommandLine, switchOption, textOption } from "../options.ts";
import { usageError } from "../usage.ts";

/** `check`: do code, prompt and documents agree? Looks at every profile, or at the one that is named. */
export const command: Command = {
  usage: "check [dox | fragments | contracts | plugins | locales | snapshot | all]",
  summary:
    "checks documents, manifests, fragments and contracts of all profiles; exit 1 when a finding is an error, with --strict when one is a warning",
  options: {
    fix: { type: "boolean" },
    since: { type: "string" },
    baseline: { type: "string" },
    usr: { type: "boolean" },
    format: { type: "string" },
  },
  optionHelp: {
    fix: "writes what can be derived first: tables of arguments, rows of an index, stubs",
    since: "REV: only what changed since then, and whether what belongs together changed together",
    baseline: "FILE: known findings, which are not told; they may only become fewer",
    usr: "holds the person's own directories to the rules of documents, too",
    format: `${CHECK_FORMATS.join(", ")} (default: text)`,
  },
  async run({ line, terminal, host: open }) {
    const areas = await areasOf(line);
    const format = formatOf(line);
    const profile = textOption(line, "profile");
    const host = await open();
    const [since, baseline] = [textOption(line, "since"), textOption(line, "baseline")];
    const report = await host.check({
      areas,
      usr: switchOption(line, "usr"),
      fix: switchOption(line, "fix"),
      ...(profile === undefined ? {} : { profile }),
      ...(since === undefined ? {} : { since }),
      ...(baseline === undefined ? {} : { baseline: fromRoot(host.root, terminal.cwd(), baseline) }),
    });
    for (const { file, description } of report.fixed) terminal.note(`${file}: ${description}`);
    if (terminal.json) terminal.value(report);
    else terminal.say(formatReport(report, { format, areas }));
    const { errors, warnings } = report.summary;
    return errors > 0 || (switchOption(line, "strict") && warnings > 0) ? 1 : 0;
  },
};

/** A person names a file from where they are, the library from the root. */
function fromRoot(root: string, cwd: string, file: string): string {
  return relative(root, resolve(cwd, file));
}

/** @throws HostError USAGE */
async function areasOf({ words }: CommandLine): Promise<readonly CheckArea[]> {
  const { CHECK_AREAS } = await import("../../dox/check.ts");
  if (words.length === 0 || words.includes("all")) return CHECK_AREAS;
  return words.map((word) => {
    const area = CHECK_AREAS.find((name) => name === word);
    if (area) return area;
    throw usageError(`"${word}" is not an area of check; the areas are ${CHECK_AREAS.join(", ")}, all`);
  });
}

/** @throws HostError USAGE */
function formatOf(line: CommandLine): CheckFormat {
  const word = textOption(line, "format") ?? "text";
  const format = CHECK_FORMATS.find((name) => name === word);
  if (format) return format;
  throw usageError(`"${word}" is not a format of check; the formats are ${CHECK_FORMATS.join(", ")}`);
}
