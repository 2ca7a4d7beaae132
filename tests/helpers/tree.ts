import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Files by path; a text is written as it is. */
export type Tree = Readonly<Record<string, string>>;

const made: string[] = [];

/** Takes away what {@link makeTree} has made so far. */
export function removeTrees(): void {
  for (const root of made.splice(0)) {
    try {
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Some trees are deeper than a path may be long; `rm` goes down step by step.
      spawnSync("rm", ["-rf", root]);
    }
  }
}

/** A fresh real directory that holds the files; it goes when the test file has ended. */
export function makeTree(files: Tree, name = "toolroom-"): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), name)));
  made.push(root);
  writeTree(root, files);
  return root;
}

/** Writes files below a directory. */
export function writeTree(root: string, files: Tree): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The source of a tool that answers with a fixed text; of low risk where `statics` say nothing of it. */
export function toolSource(answer: string, statics = ""): string {
  const risk = /\brisk\b/u.test(statics) ? "" : 'static readonly risk = "low";';
  return `import { Tool } from "toolroom";
export default class extends Tool {
  ${risk}${statics}
  async execute() {
    return this.success(${JSON.stringify(answer)});
  }
}
`;
}

/** Settings with which an agent may hand work to a subordinate where nobody can be asked. */
export const DELEGATING: Tree = {
  "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: { auto_approve: ["call_subordinate"] } } }),
};

/** A manifest with nothing but what every plugin has. */
export function manifest(name: string, more = ""): string {
  return `name: ${name}\ntitle: ${name}\ndescription: A plugin of a test.\nversion: 1.0.0\n${more}`;
}
