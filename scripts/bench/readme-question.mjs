import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "./processes.mjs";

const LINES = 312;

/**
 * The first question that the README asks, in a root of its own with warm caches.
 * @returns `{args, options}` for `runNode` and its like
 * @throws when the answer is not the number of lines: a wrong answer may not be measured
 */
export function readmeQuestion(context) {
  const root = context.path("readme");
  mkdirSync(join(root, "usr/plugins"), { recursive: true });
  writeFileSync(join(root, "README.md"), "One line of text.\n".repeat(LINES));
  const args = [context.cli, "run", "How many lines does README.md have?"];
  const options = { cwd: root, env: { TOOLROOM_MODEL: "" } };
  runNode(args, options);
  const { stdout } = runNode(args, options);
  if (!stdout.includes(String(LINES))) throw new Error(`expected an answer with ${LINES}, found: ${stdout}`);
  return { args, options };
}
