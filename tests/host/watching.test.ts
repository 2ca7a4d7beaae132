import { describe, expect, it } from "vitest";
import { toolSource } from "../helpers/tree.ts";
import { openHouse, pluginFiles } from "./house.ts";

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error("it did not come about within 10 s");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe("a host that watches", () => {
  it("serves what a file holds now", async () => {
    const house = await openHouse(pluginFiles("greeter", "greet", "hello"), { watch: true });
    const { host } = house;
    const greet = async () => (await host.call("greet", {})).message;
    expect(await greet()).toBe("hello");
    for (const word of ["one", "two", "three"]) {
      house.write({ "usr/plugins/greeter/tools/greet.ts": toolSource(word) });
      await until(async () => (await greet()) === word);
    }
    expect(host.generation).toBe(4);
  });
});
