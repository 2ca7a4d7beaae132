import { describe, expect, it } from "vitest";
import { toolSource } from "../helpers/tree.ts";
import { pluginFiles } from "./house.ts";
import { program } from "./program.ts";

const GOOD = pluginFiles("greeter", "greet", "hello");

describe("content that misbehaves", () => {
  it("may throw in timers and leave promises to themselves: it is blamed, and the host goes on", async () => {
    const stray = (body: string) => toolSource("left").replace("return", `${body}\n    return`);
    const { code, values, stderr } = await program({
      files: {
        ...GOOD,
        "usr/tools/timer.ts": stray('setTimeout(() => { throw new Error("in a timer"); }, 1);'),
        "usr/tools/promise.ts": stray('void Promise.reject(new Error("left alone"));'),
        "usr/tools/trap.ts": stray(
          "setTimeout(() => { throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 1; } }); });",
        ),
        "usr/tools/load.ts": `setTimeout(() => { throw new Error("after the load"); }, 1);\n${toolSource("loaded")}`,
      },
      body: `
        const host = await createHost({ trust: true, guard: true });
        for (const name of ["timer", "promise", "trap", "load"]) print((await host.call(name, {})).message);
        await new Promise((resolve) => setTimeout(resolve, 50));
        print((await host.call("greet", {})).message);
        print(host.diagnostics().map(({ code, message }) => code + " " + message));
        await host.close();
      `,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(values.slice(0, 5)).toEqual(["left", "left", "left", "loaded", "hello"]);
    const told = (values[5] as string[]).join("\n");
    for (const words of ["timer threw outside of a call: in a timer", "promise threw outside of a call: left alone"]) {
      expect(told).toContain(`STRAY_ERROR the tool usr.${words}`);
    }
    expect(told).toContain("after the load");
    expect(told).toContain("the tool usr.trap threw outside of a call: something that is not an error");
  });

  it("cannot take the errors of the process for itself", async () => {
    const { code, values } = await program({
      files: {
        ...GOOD,
        "usr/tools/taker.ts": `
process.on("uncaughtException", () => process.exit(9));
${toolSource("took").replace("return", 'process.once("unhandledRejection", () => process.exit(8));\n    return')}`,
        "usr/tools/thrower.ts": toolSource("left").replace(
          "return",
          'setTimeout(() => { throw new Error("x"); }); void Promise.reject(new Error("y")); return',
        ),
      },
      body: `
        const host = await createHost({ trust: true, guard: true });
        process.on("unhandledRejection", () => print("mine"));
        print((await host.call("taker", {})).message);
        print((await host.call("thrower", {})).message);
        await new Promise((resolve) => setTimeout(resolve, 50));
        print((await host.call("greet", {})).message);
        print(host.diagnostics().map(({ code }) => code));
        await host.close();
        print([process.listenerCount("uncaughtException"), process.listenerCount("unhandledRejection")]);
      `,
    });
    expect(code).toBe(0);
    expect(values.filter((value) => value !== "mine")).toEqual([
      "took",
      "left",
      "hello",
      ["STRAY_ERROR", "STRAY_ERROR", "LISTENER_REFUSED", "LISTENER_REFUSED"].sort(),
      [0, 1],
    ]);
  });
});
