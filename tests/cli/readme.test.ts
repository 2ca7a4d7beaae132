import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { COMMANDS, DEFAULT_COMMAND } from "../../core/cli/commands.ts";
import { COMMON_OPTIONS } from "../../core/cli/options.ts";
import { PRECEDENCE } from "../../core/discovery/layers.ts";
import { resolveEndpoint } from "../../core/model/endpoints.ts";
import { bareEnvironment, cli, MAIN, PROJECT, watchProcess } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, toolSource } from "../helpers/tree.ts";

const README = readFileSync(join(PROJECT, "README.md"), "utf8");

/** The text of a section, up to the next one. */
function section(title: string): string {
  const [, body = ""] = README.split(new RegExp(`^## ${title}$`, "mu"));
  return body.split(/^## /mu)[0] ?? "";
}

function blocks(language: string, text: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gmsu"))].map((match) => match[1] ?? "");
}

/** The rows of the first table, cells as they are written; heading and rule left out. */
function tableRows(text: string): string[][] {
  const [table = ""] = /^\|.*\|\n(?:\|.*\|\n)+/mu.exec(text) ?? [];
  return table
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((row) => row.slice(2, -2).split(" | "));
}

/** Runs lines of a shell as a person pastes them in a clone, whose root needs no trust: `npm start --` is the built command line. */
async function paste(lines: string, cwd: string) {
  const npm = 'npm() { [ "$1 $2" = "start --" ] || return 99; shift 2; node "$MAIN" --trust "$@"; }';
  const env = { ...bareEnvironment(), MAIN };
  return await watchProcess(spawn("bash", ["--norc", "-ec", `${npm}\n${lines}`], { cwd, env, stdio: "pipe" })).outcome;
}

describe("a plugin in five minutes, pasted as it stands", async () => {
  // Not `section`: the pasted text has headings of its own.
  const text = README.slice(README.indexOf("## A plugin in five minutes"), README.indexOf("## Which file wins"));
  const [makes = "", tries = ""] = blocks("sh", text);
  const root = makeTree({});
  const made = await paste(makes, root);

  test("makes a plugin", () => {
    expect(made).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(join(root, "usr/plugins/greetings/plugin.yaml"))).toBe(true);
  });

  test("each line that tries it does what is said behind it", async () => {
    const lines = tries.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(5);
    const outputs: Record<string, string> = {};
    for (const line of lines) {
      const { code, stdout, stderr } = await paste(line, root);
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
      outputs[/start -- (\w+)/u.exec(line)?.[1] ?? ""] = stdout;
    }
    expect(outputs.list).toMatch(/\ngreet +\w+ +\S+ +7 usr\/plugins\/greetings +greetings +Greet a person by name\.\n/);
    expect(outputs.explain).toMatch(/\nwins +7 usr\/plugins\/greetings +usr\/plugins\/greetings\/tools\/greet\.ts/);
    expect(outputs.prompt).toContain("\n## greet\n\nGreet a person.");
    expect(outputs.call).toBe("Hello, Ada! Hello, Ada!\n");
    expect(outputs.run).toBe("Hello, Grace!\n");
  });

  test("its Chinese example works as well", async () => {
    const { stdout } = await cli(["run", '向"小红"问好'], { cwd: root });
    expect(stdout).toBe("Hello, 小红!\n");
  });

  test("nothing is wrong with it", async () => {
    const { code, stdout } = await cli(["check"], { cwd: root });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("0 errors, 0 warnings") });
  });
});

test("a file in agents/<profile>/tools/ overrides a tool for that profile only", async () => {
  const root = makeTree({
    "usr/tools/word_count.ts": toolSource("usr"),
    "agents/chef/tools/word_count.ts": toolSource("chef"),
    "agents/baker/agent.yaml": "title: Baker\n",
  });
  const said = async (...argv: string[]) => (await runMain(["call", "word_count", ...argv], { cwd: root })).stdout;
  expect(await said("--profile", "chef")).toBe("chef\n");
  expect(await said("--profile", "baker")).toBe("usr\n");
  expect(await said()).toBe("usr\n");
  const { stdout } = await runMain(["explain", "word_count", "--profile", "chef", "--json"], { cwd: root });
  const { candidates } = JSON.parse(stdout);
  expect(candidates.map(({ state, layer }: { state: string; layer: { rank: number } }) => [layer.rank, state])).toEqual(
    [
      [5, "wins"],
      [6, "shadowed"],
      [7, "shadowed"],
    ],
  );
});

describe("the tables are those of the code", () => {
  test.each(["README.md", "core/AGENTS.md"])("precedence, in %s", (page) => {
    const text = readFileSync(join(PROJECT, page), "utf8");
    const rows = tableRows(text.slice(text.indexOf("| rank | location |")));
    expect(rows).toEqual(PRECEDENCE.map(({ rank, location }) => [String(rank), location]));
  });

  test("commands, with the options that they name", async () => {
    const rows = tableRows(section("Commands"));
    const named = rows.map(([cell = ""]) => /^`(\w+)/u.exec(cell)?.[1] ?? "");
    expect(named.sort()).toEqual(Object.keys(COMMANDS).sort());
    for (const row of rows) {
      const name = /^`(\w+)/u.exec(row[0] ?? "")?.[1] ?? "";
      expect(row[0]?.includes("(the default)"), name).toBe(name === DEFAULT_COMMAND);
      const own = await COMMANDS[name]?.();
      for (const [, option = ""] of row.join(" ").matchAll(/--([a-z]+)/gu))
        expect(Object.keys(own?.command.options ?? {}), `${name} --${option}`).toContain(option);
      for (const option of Object.keys(own?.command.options ?? {})) expect(row.join(" ")).toContain(`--${option}`);
    }
    const common = [...section("Commands").matchAll(/`--([a-z]+)`/gu)].map((match) => match[1]);
    for (const option of Object.keys(COMMON_OPTIONS)) expect(common).toContain(option);
  });

  test("commands are for people: no tool has the name of one", async () => {
    const root = makeTree({ "usr/settings.yaml": "" });
    const { stdout } = await runMain(["list", "--definitions", "--json"], { cwd: root });
    const tools = JSON.parse(stdout).map(({ name }: { name: string }) => name);
    expect(tools.filter((name: string) => Object.hasOwn(COMMANDS, name))).toEqual([]);
  });

  test("models, with the variables that hold their keys and addresses", () => {
    const rows = tableRows(section("Models"));
    const settings = { get: () => undefined };
    for (const [cell = "", keys = "", address = ""] of rows) {
      const provider = /^`([\w-]+)/u.exec(cell)?.[1] ?? "";
      if (provider === "offline") continue;
      const [, variable] = /`(\w+)`/u.exec(keys) ?? [];
      const env = variable === undefined ? {} : { [variable]: "a-key-of-a-test" };
      const found = resolveEndpoint({ provider, model: "m" }, { env, settings });
      expect(found.apiKey).toBe(variable && "a-key-of-a-test");
      const [, base] = /`([A-Z_]+)`/u.exec(address) ?? [];
      const [, fixed] = /default `(\S+)`/u.exec(address) ?? [];
      if (fixed !== undefined) expect(found.baseURL).toBe(fixed);
      if (base === undefined) continue;
      const moved = resolveEndpoint(
        { provider, model: "m" },
        { env: { ...env, [base]: "http://host:1/v1" }, settings },
      );
      expect(moved.baseURL).toBe("http://host:1/v1");
    }
  });
});

describe("the samples are right", () => {
  test("the workflow runs what .ci/run runs, a command that there is", () => {
    const [workflow = ""] = blocks("yaml", section("Checks"));
    const { jobs } = parseYaml(workflow);
    const commands = jobs.check.steps.flatMap(({ run }: { run?: string }) => run ?? []);
    expect(commands).toEqual(["npm run check"]);
    const ours = readFileSync(join(PROJECT, ".ci/run"), "utf8");
    for (const command of commands) expect(ours).toMatch(new RegExp(`^step \\w+ ${command}(?: |$)`, "mu"));
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
    expect(scripts.check).toContain("cli/main.js check");
  });

  test("settings", async () => {
    const samples = [...blocks("yaml", section("Configuration")), ...blocks("yaml", section("Models"))];
    expect(samples).toHaveLength(3);
    const root = makeTree({ "usr/settings.yaml": samples.join("\n") });
    const { code, stdout, stderr } = await runMain(["check", "plugins"], { cwd: root });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "plugins: 0 errors, 0 warnings.\n", stderr: "" });
    const asked = await runMain(["run", "hi", "--model", "desk/m"], { cwd: root });
    expect(asked.stderr).toContain("DESK_KEY");
  });

  test("no link is dead", () => {
    const links = [...README.matchAll(/\]\((?!https?:)([^)#]+)\)/gu)].map((match) => match[1] ?? "");
    expect(links.filter((link) => !existsSync(join(PROJECT, link)))).toEqual([]);
  });
});
