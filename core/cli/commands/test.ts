import { join, resolve } from "node:path";
import { type Diagnostic, hostError } from "../../diagnostics.ts";
import type { Host } from "../../host.ts";
import type { TestCounts } from "../../testing/runner/vitest.ts";
import type { Command } from "../command.ts";
import { switchOption } from "../options.ts";
import { strictCode } from "../strict.ts";
import { usageError } from "../usage.ts";

/** One command of a plugin's `AGENTS.md`, and what it ended with. */
interface CommandOutcome {
  readonly command: string;
  readonly exitCode: number;
}

/** What `--json` prints. */
interface TestOutcome {
  readonly tests: TestCounts;
  readonly commands: readonly CommandOutcome[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `test`: the tests of a plugin or a tool, and the commands that the plugin's document lists. */
export const command: Command = {
  usage: "test [plugin | tool]",
  summary:
    "runs the tests of a plugin, or of a tool, and the commands under Verification in the plugin's AGENTS.md; without a word those of all usr/plugins; a tool without tests is held to the contracts. It runs code and commands of this root",
  options: { tests: { type: "boolean" } },
  optionHelp: { tests: "runs the tests alone, and no command of AGENTS.md" },
  async run({ line, terminal, host: open }) {
    const [word, ...more] = line.words;
    if (more.length > 0) throw usageError(`test takes one plugin or tool, found "${line.words.join(" ")}"`);
    if (terminal.env.TOOLROOM_TEST !== undefined) {
      throw usageError(
        "toolroom test was started by toolroom test; a command of AGENTS.md or a test must not start it",
      );
    }
    const host = await open();
    requireTrusted(host);
    const [{ selectTests }, { runTests }, { stateDirectory }] = await Promise.all([
      import("../../testing/runner/selection.ts"),
      import("../../testing/runner/vitest.ts"),
      import("../../locations.ts"),
    ]);
    const { root, home } = host;
    const { env } = terminal;
    const { files, untested, plugins } = await selectTests(host, word);
    const write = terminal.stream;
    if (files.length + untested.length === 0) terminal.note("no tests: usr/plugins holds no plugin with a tool");
    for (const file of untested) terminal.note(`${file}: no test runs it, so it is held to the contracts alone`);
    const tests =
      files.length + untested.length === 0
        ? { passed: 0, failed: 0, files: 0 }
        : await runTests({
            ...{ root, home, files, env, write },
            suites: untested.map((file) => resolve(root, file)),
            scratch: join(stateDirectory(root, env), ".cache"),
            colors: !terminal.json && terminal.stdout.isTTY === true,
          });
    const commands = switchOption(line, "tests") ? [] : await verify({ root, env, write }, plugins);
    const diagnostics = host.diagnostics();
    const outcome: TestOutcome = { tests, commands, diagnostics };
    if (terminal.json) terminal.value(outcome);
    else terminal.say(summaryOf(outcome));
    terminal.report(diagnostics);
    const failed = tests.failed > 0 || commands.some(({ exitCode }) => exitCode !== 0);
    return failed ? 1 : strictCode(line, diagnostics);
  },
};

/** Tests are code of the root, whoever runs them. @throws HostError UNTRUSTED */
function requireTrusted(host: Host): void {
  if (host.trusted) return;
  const untrusted = host.diagnostics().find(({ code }) => code === "UNTRUSTED");
  if (untrusted) throw hostError(untrusted);
}

/** The commands of several plugins, each once, one after another. */
async function verify(
  run: { readonly root: string; readonly env: TestEnvironment; write(text: string): void },
  plugins: readonly string[],
): Promise<readonly CommandOutcome[]> {
  const [{ verificationCommands }, { runCommand }, { filesOf }] = await Promise.all([
    import("../../testing/runner/verification.ts"),
    import("../../testing/runner/commands.ts"),
    import("../../host/check-files.ts"),
  ]);
  const { read } = filesOf(run.root);
  const listed = plugins.flatMap((plugin) => verificationCommands(read(`${plugin}/AGENTS.md`) ?? ""));
  const outcomes: CommandOutcome[] = [];
  for (const text of new Set(listed.map(({ command: words }) => words))) {
    run.write(`$ ${text}\n`);
    const exitCode = await runCommand(text, run);
    if (exitCode !== 0) run.write(`exit code ${exitCode}\n`);
    outcomes.push({ command: text, exitCode });
  }
  return outcomes;
}

type TestEnvironment = Readonly<Record<string, string | undefined>>;

function summaryOf({ tests, commands }: TestOutcome): string {
  const broken = commands.filter(({ exitCode }) => exitCode !== 0).length;
  const words = [`${tests.passed} passed`, `${tests.failed} failed`];
  if (commands.length > 0) words.push(`${broken} of ${commands.length} commands failed`);
  return `${words.join(", ")}.`;
}
