import { expect, it } from "vitest";
import { program } from "./program.ts";

/** Reloads with `large` anew each time; more than the generations that are remembered. */
const RELOADS = 200;

it.each([
  ["a tool", "usr/tools/heavy.ts", (large: string) => `${large}\n`, ""],
  [
    "a helper of kind .mjs",
    "usr/lib/heavy.mjs",
    (large: string) => `export ${large}\n`,
    'import { heavy } from "../lib/heavy.mjs";\n',
  ],
])(
  "%s that is saved again and again under watch leaves nothing behind",
  { timeout: 120_000 },
  async (_, file, text, imports) => {
    const large = text("const heavy = new Uint8Array(1_000_000).fill(VERSION % 256);");
    const tool = `export default class extends Tool {
  static readonly risk = "low";
  async execute() { return this.success(String(heavy[0])); }
}
`;
    const sdk = 'import { Tool } from "toolroom";\n';
    const source = imports === "" ? `${sdk}${large}${tool}` : large;
    const { code, stderr, values } = await program({
      flags: ["--expose-gc"],
      files: {
        [file]: source.replace("VERSION", "0"),
        ...(imports === "" ? {} : { "usr/tools/heavy.ts": `${sdk}${imports}${tool}` }),
      },
      body: `
      const { writeFileSync } = await import("node:fs");
      const host = await createHost({ trust: true, watch: true });
      let version = 0;
      const grown = async (times) => {
        for (let time = 0; time < times; time++) {
          version += 1;
          writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(source)}.replace("VERSION", String(version)));
          await host.reload();
          const { message } = await host.call("heavy", {});
          if (message !== String(version % 256)) throw new Error("version " + version + " gave " + message);
        }
        for (let time = 0; time < 3; time++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          gc();
        }
        const { heapUsed, arrayBuffers } = process.memoryUsage();
        return { heapUsed, arrayBuffers, handles: process.getActiveResourcesInfo().length };
      };
      // So many generations are remembered.
      const before = await grown(25);
      const after = await grown(${RELOADS});
      print({
        heap: (after.heapUsed - before.heapUsed) / 1e6,
        buffers: (after.arrayBuffers - before.arrayBuffers) / 1e6,
        handles: after.handles - before.handles,
      });
      await host.close();
    `,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [{ heap, buffers, handles }] = values as [{ heap: number; buffers: number; handles: number }];
    // One of 300 evaluations that stays is 1 MB.
    expect(buffers).toBeLessThan(10);
    // What V8 keeps of scripts goes with its natural collections only.
    expect(heap).toBeLessThan(15);
    expect(handles).toBeLessThanOrEqual(2);
  },
);
