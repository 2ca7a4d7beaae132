import { testTool } from "toolroom/testing";
import { expect, it } from "vitest";
import { openHouse } from "../../host/house.ts";

const terminal = (code: string, session = 0) => ({ runtime: "terminal", code, session });

testTool("../../../plugins/_shell/tools/code_execution_tool.ts", {
  args: { runtime: "reset" },
  settings: { profile: "developer" },
  config: { first_output: 5, between_output: 0.4, prompt: 0.2, longest: 3 },
  cases: [
    {
      name: "keeps directory, variables and functions of a session",
      args: terminal("pwd; echo $x; f"),
      files: { "sub/a.txt": "a" },
      async setup({ call }) {
        await call({ runtime: "reset" });
        await call(terminal("cd sub; x=5; f() { echo from f; }"));
      },
      expect: { status: "success", message: /\/sub\n5\nfrom f$/u, data: { session: 0, state: "done", exitCode: 0 } },
    },
    {
      name: "sessions do not know each other",
      args: terminal("echo [$y]", 2),
      setup: async ({ call }) => void (await call(terminal("y=1", 1))),
      expect: { message: "[]" },
    },
    {
      name: "python and nodejs run in the session's directory and environment",
      args: { runtime: "python", code: "import os\nprint(os.environ['Z'], 'it\\'s', os.path.basename(os.getcwd()))" },
      files: { "sub/a.txt": "a" },
      async setup({ call }) {
        await call({ runtime: "reset" });
        await call(terminal("cd sub; export Z=zed"));
      },
      expect: { status: "success", message: "zed it's sub" },
      async check(_, { call }) {
        const node = await call({ runtime: "nodejs", code: "console.log(process.env.Z, require('path').sep)" });
        expect(node.data).toMatchObject({ output: "zed /\n" });
      },
    },
    {
      name: "tells another exit code than 0, and what went to stderr",
      args: terminal("echo out; echo err >&2; false"),
      expect: { status: "partial", message: "out\nerr\n[exit code 1]", data: { exitCode: 1 } },
    },
    {
      name: "a fault of syntax ends nothing",
      args: terminal("echo $q"),
      async setup({ call }) {
        await call(terminal("q=7"));
        expect((await call(terminal("if then"))).status).toBe("partial");
      },
      expect: { message: "7" },
    },
    {
      name: "what does not end goes on, and is told by output; other code waits",
      args: terminal("echo one; sleep 1; echo two", 3),
      expect: {
        status: "partial",
        message: /^one\n\[it still runs in session 3/u,
        data: { state: "running", exitCode: null },
      },
      async check(_, { call }) {
        expect(await call(terminal("echo other", 3))).toMatchObject({
          error: { code: "CONFLICT", pointer: "/session" },
        });
        let told = "";
        for (let tries = 0; tries < 8 && !told.includes("two"); tries++) {
          told = (await call({ runtime: "output", session: 3 })).message;
        }
        expect(told).toContain("two");
        expect((await call(terminal("echo other", 3))).data).toMatchObject({ output: "other\n" });
      },
    },
    {
      name: "a program that asks is told as one",
      args: terminal("printf 'Really? [y/N] '; read answer; echo got $answer", 4),
      expect: { status: "partial", message: /^Really\? \[y\/N\] \n?\[it still runs in session 4, and seems to ask/u },
      async check(_, { call }) {
        await call({ runtime: "reset", session: 4 });
        expect((await call(terminal("echo anew", 4))).data).toMatchObject({ output: "anew\n" });
      },
    },
    {
      name: "code that ends the session is told, and the next begins a new one",
      args: terminal("v=1; exit 4", 5),
      expect: { status: "partial", message: /\[session 5 ended with exit code 4/u, data: { state: "ended" } },
      check: async (_, { call }) =>
        expect((await call(terminal("echo [$v]", 5))).data).toMatchObject({ output: "[]\n" }),
    },
    {
      name: "there is no output of no session",
      args: { runtime: "output", session: 9 },
      expect: { code: "NOT_FOUND" },
    },
    { name: "needs code", args: { runtime: "python" }, expect: { code: "INVALID_PARAM", pointer: "/code" } },
    { name: "takes no NUL", args: terminal("a\0b"), expect: { code: "INVALID_PARAM", pointer: "/code" } },
  ],
});

it("is there for developers only, and high", async () => {
  const { host } = await openHouse();
  for (const profile of ["default", "researcher", "developer"]) {
    const { tools } = await host.list({ profile });
    const found = tools.filter(({ name }) => name === "code_execution_tool" || name === "input");
    expect(found.length, profile).toBe(profile === "developer" ? 2 : 0);
  }
  const why = await host.policy.why("code_execution_tool", terminal("ls"), { profile: "developer" });
  expect(why).toMatchObject({ risk: { level: "high" }, decision: "block" });
});
