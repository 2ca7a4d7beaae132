import { resolve } from "node:path";
import { sandboxText } from "../../host/doctor-checks.ts";
import type { PolicyAnswer, PolicyCaseResult, ShownPolicy } from "../../host/policy-questions.ts";
import type { Host } from "../../host.ts";
import { isToolError } from "../../sdk/errors.ts";
import { readArguments } from "../call-arguments.ts";
import type { Command } from "../command.ts";
import { textOption } from "../options.ts";
import { strictCode } from "../strict.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage.ts";

const ACTIONS = ["show", "why", "test"] as const;

/** `policy`: what may run, asked without running anything. */
export const command: Command = {
  usage: "policy [show | why <tool[:method]> [key=value … | one JSON object] | test FILE]",
  summary: "the risk profile that holds; what it says of a call, and why; a table of calls and decisions, checked",
  options: { face: { type: "string" } },
  optionHelp: { face: "with why: where the call would come from, such as library or delegate (default: cli)" },
  async run({ line, terminal, host: open }) {
    const [word = "show", ...rest] = line.words;
    const action = ACTIONS.find((name) => name === word);
    if (!action) throw usageError(`policy has the actions ${ACTIONS.join(", ")}, found "${word}"`);
    const face = textOption(line, "face");
    if (face !== undefined && action !== "why") throw usageError("--face goes with policy why only");
    const [first] = rest;
    if (action === "show" && first !== undefined) throw usageError(`policy show takes no words, found "${first}"`);
    if (action === "why" && first === undefined)
      throw usageError("policy why needs a tool: policy why <tool> key=value …");
    if (action === "test" && rest.length !== 1) throw usageError(`policy test takes one file, found ${rest.length}`);
    const host = await open();
    const code =
      action === "show"
        ? showPolicy(await host.policy.show(), terminal)
        : action === "why"
          ? await answer(host, terminal, { words: rest, face })
          : tellCases(await host.policy.test(resolve(terminal.cwd(), first ?? "")), terminal);
    const diagnostics = host.diagnostics();
    terminal.report(diagnostics);
    return code === 0 ? strictCode(line, diagnostics) : code;
  },
};

function showPolicy(shown: ShownPolicy, terminal: Terminal): number {
  if (terminal.json) terminal.value(shown);
  else {
    const { profile, riskProfile, fault, settings, sandbox } = shown;
    terminal.say(`agent profile ${profile}: risk profile ${riskProfile}`);
    if (fault !== null) terminal.say(`Less is permitted than it says, as long as there is an error in ${fault}`);
    const rows = settings.map(({ key, value, from }) => [key, JSON.stringify(value), from.join(", ") || "default"]);
    terminal.say(table([["key", "value", "from"], ...rows]));
    terminal.say(sandboxText(sandbox));
  }
  terminal.report(shown.diagnostics);
  return 0;
}

async function answer(
  host: Host,
  terminal: Terminal,
  { words: [name = "", ...words], face }: { readonly words: readonly string[]; readonly face: string | undefined },
): Promise<number> {
  const args = words.length > 0 ? await readArguments(host, name, words) : undefined;
  try {
    const answered = await host.policy.why(name, args, face === undefined ? {} : { face });
    if (terminal.json) terminal.value(answered);
    else terminal.say(answerText(answered));
    return 0;
  } catch (error) {
    if (!isToolError(error)) throw error;
    terminal.note(`${error.code}: ${error.message}${error.details.hint ? `\n${error.details.hint}` : ""}`);
    return 1;
  }
}

const MEANING = { run: "runs", ask: "asks a person first", block: "is blocked" } as const;

function answerText({ tool, risk, decision, code, rule, setting }: PolicyAnswer): string {
  return [
    `${tool} ${MEANING[decision]}${code === null ? "" : ` (${code})`}`,
    `risk: ${risk.level} (${risk.reasons.join("; ")})`,
    `rule: ${rule}, ${setting}`,
  ].join("\n");
}

function tellCases(results: readonly PolicyCaseResult[], terminal: Terminal): number {
  const wrong = results.filter(({ ok }) => !ok);
  if (terminal.json) terminal.value({ cases: results, failed: wrong.length });
  else {
    for (const { line, tool, expected, found, error } of wrong) {
      const { decision, code, rule } = expected;
      const wanted = [decision, code, rule].filter((part) => part !== undefined).join(", ");
      const told = found ? `${found.decision} (${found.code ?? "-"}, ${found.rule}: ${found.setting})` : error;
      terminal.say(`line ${line}: ${tool}: expected ${wanted}, found ${told}`);
    }
    terminal.say(`${results.length - wrong.length} of ${results.length} rows hold`);
  }
  return wrong.length > 0 ? 1 : 0;
}
