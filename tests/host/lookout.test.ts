import { describe, expect, it } from "vitest";
import type { ReloadReceipt } from "../../core/sdk/events.ts";
import { toolSource } from "../helpers/tree.ts";
import { openHouse, pluginFiles } from "./house.ts";
import { program } from "./program.ts";

const TOOL = "usr/plugins/greeter/tools/greet.ts";
const FILES = pluginFiles("greeter", "greet", "hello");

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error("it did not come about");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe("a watch that begins later", () => {
  it("begins when it is told to, once, and takes up what changed until then", async () => {
    const { host, write } = await openHouse(FILES, { watch: "later" });
    const receipts: ReloadReceipt[] = [];
    host.on("reload", (receipt) => void receipts.push(receipt));
    expect((await host.call("greet", {})).message).toBe("hello");
    expect((await host.status()).watching).toBeNull();
    write({ [TOOL]: toolSource("before") });
    await Promise.all([host.watch(), host.watch()]);
    expect((await host.status()).watching).toMatchObject({ mode: "events" });
    expect((await host.call("greet", {})).message).toBe("before");
    write({ [TOOL]: toolSource("after") });
    await until(() => receipts.length === 2);
    expect((await host.call("greet", {})).message).toBe("after");
    await host.watch();
    expect(host.generation).toBe(3);
  });

  it("cannot begin where the host was opened without it, or is closed", async () => {
    const { host } = await openHouse(FILES);
    await expect(host.watch()).rejects.toMatchObject({ code: "USAGE", kind: "usage" });
    const { host: other } = await openHouse(FILES, { watch: "later" });
    await other.close();
    await expect(other.watch()).rejects.toMatchObject({ code: "HOST_CLOSED" });
  });

  it("may still begin when the host is closed", async () => {
    const { host } = await openHouse(FILES, { watch: "later", probe: true });
    const begun = host.watch();
    await host.close();
    await begun;
    expect((await openHouse(FILES, { watch: true })).host.generation).toBe(1);
  });
});

it("a watch of everything sees a plugin of which nothing is in use", async () => {
  const { host, write } = await openHouse(FILES, { watch: "all" });
  const receipts: ReloadReceipt[] = [];
  host.on("reload", (receipt) => void receipts.push(receipt));
  write({ [TOOL]: "export default" });
  await until(() => receipts.at(-1)?.diagnostics[0]?.code === "LOAD_SYNTAX");
  expect(receipts.at(-1)).toMatchObject({ status: "failed", files: [TOOL] });
  write(pluginFiles("new", "fresh", "one"));
  await until(() => receipts.some(({ files }) => files.includes("usr/plugins/new/tools/fresh.ts")));
  expect((await host.call("fresh", {})).message).toBe("one");
  write({ "usr/plugins/new/tools/fresh.ts": toolSource("two") });
  while ((await host.call("fresh", {})).message !== "two") await new Promise((resolve) => setTimeout(resolve, 2));
});

it("a program that waits for the end of a host with a probe ends after it", async () => {
  const { code, values } = await program({
    body: `
      const host = await createHost({ trust: true, watch: true, probe: true });
      await host.close();
      print("closed");
    `,
  });
  expect({ code, values }).toEqual({ code: 0, values: ["closed"] });
});
