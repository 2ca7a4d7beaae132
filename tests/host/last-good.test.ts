import { describe, expect, it } from "vitest";
import { manifest, toolSource } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";

const TOOL = "usr/plugins/p/tools/greet.ts";
const EXTENSION = "usr/plugins/p/extensions/tool_execute_after/_50_mark.ts";
const FILES = {
  "usr/plugins/p/plugin.yaml": manifest("p"),
  [TOOL]: toolSource("good"),
  [EXTENSION]: `import { Extension } from "toolroom";
    export default class extends Extension<"tool_execute_after"> {
      execute(payload) { payload.result = { ...payload.result, message: payload.result.message + "!" }; }
    }`,
};

describe("the version before goes on through later generations", () => {
  it("of a tool and an extension that nobody asked for since", async () => {
    const { host, write } = await openHouse(FILES);
    expect((await host.call("greet", {})).message).toBe("good!");
    write({ [TOOL]: "export default {", [EXTENSION]: "export default {" });
    expect(await host.reload()).toMatchObject({ status: "failed", to: 2 });
    for (const word of ["one", "two"]) {
      write({ "usr/tools/other.ts": toolSource(word) });
      const { status, diagnostics } = await host.reload();
      expect({ status, files: diagnostics.map(({ file }) => file).sort() }).toEqual({
        status: "failed",
        files: [EXTENSION, TOOL],
      });
    }
    expect(host.generation).toBe(4);
    expect((await host.call("greet", {})).message).toBe("good!");
    write({ [TOOL]: toolSource("mended"), [EXTENSION]: FILES[EXTENSION] });
    expect(await host.reload()).toMatchObject({ status: "ok" });
    expect((await host.call("greet", {})).message).toBe("mended!");
  });
});

it("a tool that appears is tried out before it is loaded, and stays refused", async () => {
  const { host, write } = await openHouse(FILES, { probe: true });
  await host.list();
  write({ "usr/tools/leaves.ts": `process.exit(3);\n${toolSource("never")}` });
  const refused = { status: "failed", diagnostics: [{ code: "PROBE_EXITED", file: "usr/tools/leaves.ts" }] };
  expect(await host.reload()).toMatchObject(refused);
  expect((await host.call("leaves", {})).error?.code).toBe("TOOL_LOAD_FAILED");
  write({ "usr/tools/other.ts": toolSource("other") });
  expect(await host.reload()).toMatchObject(refused);
  expect((await host.call("leaves", {})).error?.code).toBe("TOOL_LOAD_FAILED");
  write({ "usr/tools/leaves.ts": toolSource("stays") });
  expect(await host.reload()).toMatchObject({ status: "ok" });
  expect((await host.call("leaves", {})).message).toBe("stays!");
});
