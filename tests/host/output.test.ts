import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Tree } from "../helpers/tree.ts";
import { program } from "./program.ts";

/** Content that prints wherever content can run. */
const NOISY: Tree = {
  "usr/tools/noisy.ts": `import { Tool, z } from "toolroom";
console.log("top level of the tool");
const parameters = z.object({ n: z.number().refine((n) => { console.log("the schema"); return n > 0; }) });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  constructor() { super(); console.log("the constructor"); }
  beforeExecution() { console.log("beforeExecution"); }
  async execute() {
    console.log("execute");
    console.error("execute on the other stream");
    process.stdout.write("execute raw\\n");
    setTimeout(() => console.log("a timer of the tool"), 1);
    await new Promise((done) => setTimeout(done, 5));
    this.onDispose(() => console.log("the disposer"));
    return this.success("done");
  }
  afterExecution() { console.log("afterExecution"); }
}
`,
  "usr/extensions/tool_execute_before/_50_noisy.ts": `import { Extension } from "toolroom";
console.log("top level of the extension");
export default class extends Extension<"tool_execute_before"> {
  execute() { console.log("the extension"); }
}
`,
};

const BODY = (guard: boolean) => `
  const host = await createHost({ trust: true, guard: ${guard} });
  await host.prompt();
  const { status } = await host.call("noisy", { n: 1 });
  await host.call("noisy", { n: -1 });
  await host.reload();
  await host.close();
  print({ status });
`;

const PLACES = [
  "top level of the tool",
  "the schema",
  "the constructor",
  "beforeExecution",
  "top level of the extension",
  "the extension",
  "execute",
  "execute on the other stream",
  "execute raw",
  "a timer of the tool",
  "afterExecution",
  "the disposer",
];

describe("what content prints", () => {
  it("goes to the log with its owner, and nowhere else, where the host guards the process", async () => {
    const { values, stderr, root, code } = await program({ files: NOISY, body: BODY(true) });
    expect({ code, values, stderr }).toEqual({ code: 0, values: [{ status: "success" }], stderr: "" });
    const lines = readFileSync(join(root, "usr/logs/toolroom.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "printed");
    const printed = new Map(lines.map(({ fields, tool }) => [String(fields.text).trim(), tool]));
    expect([...printed.keys()].sort()).toEqual([...PLACES].sort());
    for (const place of ["execute", "the schema", "a timer of the tool"]) expect(printed.get(place)).toBe("usr.noisy");
    expect(printed.get("the extension")).toBe("extension usr/extensions/tool_execute_before/_50_noisy.ts");
  });

  it("is not what listeners print of the work that content asked others for", async () => {
    const body = `
      const approver = ({ tool }) => {
        console.log(JSON.stringify(["approver", tool]));
        return { decision: "approve" };
      };
      const host = await createHost({ trust: true, guard: true, approver });
      host.onAny((event) => console.log(JSON.stringify([event.type, event.agent?.id ?? event.callId ?? null])));
      const calls = [{ tool_name: "wait", tool_args: { seconds: 0.001 } }, { tool_name: "call_subordinate", tool_args: { message: "hi" } }];
      await host.call("parallel", { tool_calls: [...calls, ...calls, ...calls], wait: true });
      await host.close();
    `;
    const { values, root } = await program({ body });
    const told = values.map((value) => JSON.stringify(value));
    expect(told).toEqual(expect.arrayContaining(['["approver","call_subordinate"]', '["tool_progress","job-1"]']));
    for (const id of ["job-1", "job-5", "job-6"]) expect(told).toContain(`["tool_end","${id}"]`);
    for (const id of ["sub-job-2", "sub-job-6"]) expect(told).toContain(`["turn_end","${id}"]`);
    const log = readFileSync(join(root, "usr/logs/toolroom.log"), "utf8");
    expect(log).not.toContain('"printed"');
  });

  it("is left alone where it does not", async () => {
    const { stdout, stderr } = await program({ files: NOISY, body: BODY(false) });
    const shown = `${stdout}${stderr}`;
    for (const place of PLACES) expect(shown).toContain(place);
  });
});
