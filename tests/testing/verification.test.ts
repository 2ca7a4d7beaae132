import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verificationCommands } from "../../core/testing/runner/verification.ts";
import { PROJECT } from "../helpers/cli.ts";

const commandsOf = (
  section: string,
  around = ["# x\n\n## Ownership\n\n`npm run before`\n\n", "\n## Children\n\n- `npm run after`\n"],
) => verificationCommands(`${around[0]}## Verification\n${section}${around[1]}`).map(({ command }) => command);

describe("the commands under Verification", () => {
  test.each([
    ["a line", "\n`npx vitest run tests`\n", ["npx vitest run tests"]],
    [
      "items of a list, whatever is said of them",
      "- `npm test`: all\n- [ ] `npm run check`, then look\n1. `make it`\n",
      ["npm test", "npm run check", "make it"],
    ],
    ["a program by its path", "`./check.sh`\n", ["./check.sh"]],
    [
      "a block of a shell, without its prompts and comments",
      "```sh\n# first\n$ npm ci\n\nnpm test\n```\n",
      ["npm ci", "npm test"],
    ],
    ["a block without a language", "~~~\nnpm test\n~~~\n", ["npm test"]],
    ["words of a sentence are none", "Run it as `npm test` says; `word_count` counts.\n`word_count` is a tool.\n", []],
    ["a block of another language", '```json\n{ "a": 1 }\n```\n', []],
    [
      "itself, in every way of writing it",
      "- `toolroom test x`\n- `npx toolroom test`\n- `npm start -- test x`\n- `node dist/bundle/cli/main.js test`\n- `toolroom check`\n",
      ["toolroom check"],
    ],
    ["none", "\nLook at it.\n", []],
  ])("%s", (_, section, commands) => {
    expect(commandsOf(section)).toEqual(commands);
  });

  test("have the line that they stand in, and a deeper heading does not end the section", () => {
    expect(verificationCommands("## Verification\n\n### First\n- `npm test`\n")).toEqual([
      { command: "npm test", line: 4 },
    ]);
  });

  test("are found in our own documents", () => {
    const text = readFileSync(join(PROJECT, "plugins/_files/AGENTS.md"), "utf8");
    expect(verificationCommands(text).map(({ command }) => command)).toEqual(["npx vitest run tests/plugins/files"]);
  });
});
