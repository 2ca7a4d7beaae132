import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTree, toolSource } from "../helpers/tree.ts";
import { pluginFiles } from "./house.ts";
import { program } from "./program.ts";

describe("a process", () => {
  it("ends by itself when its host is closed, whatever ran on it", async () => {
    const { code, stderr, values } = await program({
      files: {
        ...pluginFiles("greeter", "greet", "hello"),
        "usr/tools/late.ts": toolSource("").replace(
          "return",
          "await new Promise((done) => this.setTimeout(done, 60_000)); return",
        ),
        "usr/tools/ticking.ts": toolSource("on").replace("return", "this.setInterval(() => {}, 1_000); return"),
      },
      body: `
        const host = await createHost({ trust: true, guard: true });
        print((await host.call("greet", {})).message);
        print((await host.run("/tool greet")).answer);
        await host.call("ticking", {});
        const late = host.call("late", {});
        setTimeout(async () => {
          await host.reload();
          await host.close();
          print((await late).error.code);
        }, 50);
      `,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(values).toEqual(["hello", "hello", "STOPPED"]);
  });

  it("ends by itself where nobody closed an idle host", async () => {
    const { code, values } = await program({
      body: `
        const host = await createHost({ trust: true });
        await host.list();
        print((await host.call("wait", { seconds: 0 })).status);
      `,
    });
    expect({ code, values }).toEqual({ code: 0, values: [expect.any(String)] });
  });

  it("is left to a tool that ends it: the documented exception", async () => {
    const { code, values } = await program({
      files: { "usr/tools/leave.ts": toolSource("never").replace("return", "process.exit(7); return") },
      body: `
        const host = await createHost({ trust: true, guard: true });
        print("before");
        await host.call("leave", {});
        print("after");
      `,
    });
    expect({ code, values }).toEqual({ code: 7, values: ["before"] });
  });

  it("does not grow with reloads", async () => {
    const { values } = await program({
      flags: ["--expose-gc"],
      files: {
        "usr/tools/heavy.ts": `import { Tool } from "toolroom";
          const heavy = new Uint8Array(4_000_000).fill(1);
          export default class extends Tool {
            static readonly risk = "low";
            async execute() { this.setInterval(() => heavy[0], 1_000); return this.success(String(heavy.length)); }
          }`,
      },
      body: `
        const { readFileSync, writeFileSync } = await import("node:fs");
        const host = await createHost({ trust: true });
        const source = readFileSync("usr/tools/heavy.ts", "utf8");
        let version = 0;
        const grown = async (times) => {
          for (let time = 0; time < times; time++) {
            await host.call("heavy", {});
            await host.run("/tool heavy");
            writeFileSync("usr/tools/heavy.ts", source + "// version " + version++);
            await host.reload();
          }
          for (let time = 0; time < 3; time++) {
            await new Promise((resolve) => setImmediate(resolve));
            gc();
          }
          const { heapUsed, arrayBuffers } = process.memoryUsage();
          return { heapUsed, arrayBuffers, handles: process.getActiveResourcesInfo().length };
        };
        const before = await grown(5);
        const after = await grown(50);
        print({
          heap: (after.heapUsed - before.heapUsed) / 1e6,
          buffers: (after.arrayBuffers - before.arrayBuffers) / 1e6,
          handles: after.handles - before.handles,
        });
        await host.close();
      `,
    });
    const [{ heap, buffers, handles }] = values as [{ heap: number; buffers: number; handles: number }];
    // One of 50 generations that stay is 4 MB.
    expect(buffers).toBeLessThan(20);
    expect(heap).toBeLessThan(10);
    expect(handles).toBeLessThanOrEqual(0);
  });

  it("keeps no generation for the timer of a tool that stays", async () => {
    const { values } = await program({
      flags: ["--expose-gc"],
      files: {
        "usr/tools/stays.ts": toolSource("on").replace("return", "this.setInterval(() => this.name, 1e6); return"),
        "usr/tools/changes.ts": `import data from "../lib/data.json";\n${toolSource("on")}export const { text } = data;\n`,
      },
      body: `
        const { mkdirSync, writeFileSync } = await import("node:fs");
        const host = await createHost({ trust: true, guard: true, watch: "later" });
        mkdirSync("usr/lib");
        let version = 0;
        const grown = async (times) => {
          for (let time = 0; time < times; time++) {
            const text = String(version++).padEnd(1_000_000, "x");
            writeFileSync("usr/lib/data.json", JSON.stringify({ text }));
            await host.reload();
            await host.call("changes", {});
          }
          for (let time = 0; time < 3; time++) {
            await new Promise((resolve) => setImmediate(resolve));
            gc();
          }
          return process.memoryUsage().heapUsed;
        };
        await host.call("stays", {});
        // So many as are remembered anyway, and some more.
        const before = await grown(25);
        print((await grown(40) - before) / 1e6);
        await host.close();
      `,
    });
    // One of 40 generations that stay is more than 1 MB.
    expect(values[0]).toBeLessThan(15);
  });

  it("counts a file of 200 MB in a memory that does not grow with it", async () => {
    const workspace = makeTree({});
    const size = 200_000_000;
    const file = openSync(join(workspace, "huge.txt"), "w");
    // A file with holes: its zeros are no text, so a block of text comes first and binary content is looked for there.
    writeSync(file, "word ".repeat(4_000));
    ftruncateSync(file, size);
    closeSync(file);
    const { values } = await program({
      body: `
        const host = await createHost({ trust: true, workspace: ${JSON.stringify(workspace)} });
        await host.call("word_count", { path: "none.txt" });
        const before = process.memoryUsage.rss();
        let peak = before;
        const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 2);
        const { status, data } = await host.call("word_count", { path: "huge.txt" });
        clearInterval(timer);
        print({ status, bytes: data.bytes, grown: peak - before });
        await host.close();
      `,
    });
    const [{ grown, ...rest }] = values as [{ grown: number; status: string; bytes: number }];
    expect(rest).toEqual({ status: "success", bytes: size });
    expect(grown).toBeLessThan(64 * 1024 * 1024);
  });
});
