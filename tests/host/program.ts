import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bareEnvironment, PROJECT, watchProcess } from "../helpers/cli.ts";
import { makeTree, type Tree } from "../helpers/tree.ts";

const LIBRARY = pathToFileURL(join(PROJECT, "dist/bundle/index.js")).href;

/** What {@link program} runs. */
export interface Program {
  /** The body of a module in which `createHost`, `root` and `print` (a JSON value) are there. */
  readonly body: string;
  readonly files?: Tree;
  readonly flags?: readonly string[];
}

/** What a program left: */
export interface ProgramOutcome {
  readonly code: number | null;
  readonly stderr: string;
  readonly stdout: string;
  /** The lines of `stdout` that are JSON. */
  readonly values: readonly unknown[];
  readonly root: string;
}

/** Runs a program that uses the built library, in a process of its own that has to end by itself. */
export async function program({ body, files = {}, flags = [] }: Program): Promise<ProgramOutcome> {
  const root = makeTree({ "usr/plugins/.gitkeep": "", ...files });
  const source = `import { createHost } from ${JSON.stringify(LIBRARY)};
const root = ${JSON.stringify(root)};
const print = (value) => console.log(JSON.stringify(value));
${body}
`;
  const args = [...flags, "--input-type=module", "--eval", source];
  const child = spawn(process.execPath, args, { cwd: root, env: bareEnvironment(), stdio: "pipe" });
  const { code, stdout, stderr } = await watchProcess(child).outcome;
  const values = stdout.split("\n").flatMap((line) => (/^[[{"\d]/u.test(line) ? [JSON.parse(line)] : []));
  return { code, stdout, stderr, values, root };
}
