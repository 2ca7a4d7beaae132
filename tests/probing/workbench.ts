import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { openProbe, type Probe, type ProbeOptions, type ProbeTarget } from "../../core/probing/probe.ts";

/** The built program: what runs in a process of its own is the build, never a source. */
export const ENTRY = fileURLToPath(new URL("../../dist/bundle/probe-main.js", import.meta.url));

/** A temporary directory, and a probe of what lies in it. */
export interface ProbeBench {
  readonly root: string;
  readonly cacheDir: string;
  readonly probe: Probe;
  /** What the probe reported. */
  readonly reports: readonly Diagnostic[];
  /** Writes a tool whose module begins with `top`; other files by their names. */
  tool(id: string, top: string, others?: Readonly<Record<string, string>>): ProbeTarget;
  /** Returns the absolute path. */
  write(name: string, text: string): string;
}

/** For modules that block: they are ended soon. */
export const SOON = { timeoutMs: 300 };
/** Where others have to load in that time too. */
export const LATER = { timeoutMs: 1_500 };

/** Closed after the test. */
export function bench(options: Partial<ProbeOptions> = {}): ProbeBench {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "toolroom-probing-")));
  const cacheDir = path.join(root, ".cache");
  const reports: Diagnostic[] = [];
  const probe = openProbe({
    root,
    contentRoots: () => [root],
    cacheDir,
    entry: ENTRY,
    report: (diagnostic) => reports.push(diagnostic),
    ...options,
  });
  const write = (name: string, text: string): string => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  onTestFinished(async () => {
    await probe.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    root,
    cacheDir,
    probe,
    reports,
    write,
    tool: (id, top, others = {}) => {
      for (const [name, text] of Object.entries(others)) write(name, text);
      return { id, file: write(`tools/${id}.ts`, toolModule(top)), kind: "tool" };
    },
  };
}

function toolModule(top: string): string {
  return `${top}
import { Tool, z } from "toolroom";
const parameters = z.object({ text: z.string() });
export default class Any extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  async execute({ text }: z.infer<typeof parameters>) {
    return this.success(text);
  }
}
`;
}
