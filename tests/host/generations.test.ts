import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Generation } from "../../core/host/generation.ts";
import { createGenerations } from "../../core/host/generations.ts";
import { toolSource } from "../helpers/tree.ts";
import { FILES, FRAGMENT, statusOf, TOOL, watched } from "./watched.ts";

const run = async (agent: { run(message: string): Promise<{ answer: string }> }) =>
  (await agent.run("/tool greet")).answer;

describe("an agent that stays with a generation", () => {
  it("gets what that one gave, beside another one and beside what is served now", async () => {
    const house = await watched();
    const { host } = house;
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: toolSource("two") });
    await house.greets("two");
    const [first, second] = [await host.agent({ generation: 1 }), await host.agent({ generation: 2 })];
    const free = await host.agent();
    house.write({ [TOOL]: toolSource("three") });
    await house.greets("three");
    for (let turn = 0; turn < 2; turn++) {
      expect([await run(first), await run(second), await run(free)]).toEqual(["hello", "two", "three"]);
    }
    rmSync(join(house.root, "usr/plugins/greeter"), { recursive: true });
    await house.greets("UNKNOWN_TOOL");
    expect([await run(first), await run(second)]).toEqual(["hello", "two"]);
    expect((await first.tools()).map(({ id }) => id)).toContain("greet");
    expect((await free.tools()).map(({ id }) => id)).not.toContain("greet");
    for (const agent of [first, second, free]) agent.close();
  });

  it("gets also the version that served then in place of a file that did not load", async () => {
    const house = await watched();
    expect(await house.greet()).toBe("hello");
    house.write({ [TOOL]: "export default" });
    await house.until(async () => (await statusOf(house, "greet"))?.status === "degraded");
    const degraded = house.host.generation;
    house.write({ [TOOL]: toolSource("mended") });
    await house.greets("mended");
    expect(await house.host.call("greet", {}, { generation: degraded })).toMatchObject({ message: "hello" });
    await house.host.generations.rollback(degraded);
    expect(await house.greet()).toBe("hello");
    expect(await statusOf(house, "greet")).toMatchObject({ status: "degraded" });
    await house.host.generations.release();
    expect(await house.greet()).toBe("mended");
  });

  it("is refused where that one is not remembered", async () => {
    const { host } = await watched();
    await expect(host.agent({ generation: 9 })).rejects.toThrow("generation 9 is not remembered; 1 to 1 are");
    await expect(host.call("greet", {}, { generation: 9 })).rejects.toThrow("generation 9 is not remembered");
  });
});

it("a call may name the generation that serves it", async () => {
  const house = await watched();
  await house.greet();
  house.write({ [TOOL]: toolSource("two") });
  await house.greets("two");
  expect(await house.host.call("greet", {}, { generation: 1 })).toMatchObject({
    message: "hello",
    context: { generation: 1 },
  });
  expect(await house.greet()).toBe("two");
  expect((await house.host.prompt()).text).toContain("Says hello.");
  rmSync(join(house.root, FRAGMENT));
});

it("what a tool holds of a generation that somebody stays with is given back when that is over", async () => {
  const said: string[] = [];
  (globalThis as { disposed?: (text: string) => void }).disposed = (text) => said.push(text);
  const source = (text: string): string =>
    toolSource(text).replace(
      "return",
      `this.onDispose(() => globalThis.disposed(${JSON.stringify(text)}));\n    return`,
    );
  const house = await watched({ ...FILES, [TOOL]: source("one") });
  await house.greet();
  house.write({ [TOOL]: source("two") });
  await house.greets("two");
  await house.until(() => said.includes("one"));
  said.length = 0;
  const agent = await house.host.agent({ generation: 1 });
  expect(await run(agent)).toBe("one");
  house.write({ [TOOL]: source("three") });
  await house.greets("three");
  await house.until(() => said.includes("two"));
  expect(said).not.toContain("one");
  agent.close();
  await house.until(() => said.includes("one"));
});

/** As far as the leases know one. */
function generation(number: number, retired: number[]): Generation {
  const retire = async (): Promise<void> => void retired.push(number);
  return { number, retire } as Partial<Generation> as Generation;
}

describe("the generations of a host", () => {
  it("are retired in their order, each when it and all before it are let go", async () => {
    const retired: number[] = [];
    const generations = createGenerations({ first: generation(1, retired) });
    const one = generations.lease();
    await generations.replace(generation(2, retired));
    const two = generations.lease();
    await generations.replace(generation(3, retired));
    two.release();
    two.release();
    expect(retired).toEqual([]);
    one.release();
    await new Promise(setImmediate);
    expect(retired).toEqual([1, 2]);
    await generations.close();
    expect(retired).toEqual([1, 2, 3]);
  });

  it("tell those who hold an old one to stop when its time is over, and wait for them", async () => {
    const retired: number[] = [];
    const generations = createGenerations({ first: generation(1, retired), drainMs: 20 });
    const stop = new AbortController();
    const [plain, own] = [generations.lease(), generations.lease(stop.signal)];
    await generations.replace(generation(2, retired));
    const current = generations.lease();
    await new Promise((resolve) => plain.signal.addEventListener("abort", resolve));
    expect(String(plain.signal.reason)).toContain("generation 1 is no longer served");
    expect(own.signal.aborted).toBe(true);
    expect([stop.signal.aborted, current.signal.aborted]).toEqual([false, false]);
    expect(retired).toEqual([]);
    for (const lease of [plain, own, current]) lease.release();
    await new Promise(setImmediate);
    expect(retired).toEqual([1]);
  });

  it("let one that was taken in from elsewhere be, until it is left and nobody holds it", async () => {
    const retired: number[] = [];
    const generations = createGenerations({ first: generation(1, retired), drainMs: 1 });
    const guest = generation(7, retired);
    const leave = generations.adopt(guest);
    const lease = generations.lease(undefined, guest);
    await generations.replace(generation(2, retired));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(retired).toEqual([1]);
    expect(lease.signal.aborted).toBe(false);
    leave();
    expect(retired).toEqual([1]);
    lease.release();
    await new Promise(setImmediate);
    expect(retired).toEqual([1, 7]);
    const other = generation(8, retired);
    generations.adopt(other);
    await generations.close();
    expect(retired).toEqual([1, 7, 8, 2]);
  });
});

it("what is told of generations names no secret that a file holds", async () => {
  const house = await watched({ ...FILES, "usr/secrets.env": "TOKEN=s3cret-of-mine\n" });
  const { host } = house;
  expect(await house.greet()).toBe("hello");
  house.write({ [TOOL]: toolSource("s3cret-of-mine") });
  await house.until(() => host.generation === 2);
  expect(host.generations.diff(1, 2)).toMatchObject([{ path: TOOL, after: toolSource("§§secret(TOKEN)") }]);
  expect(JSON.stringify([host.generations.list(), host.generations.diff(1, 2)])).not.toContain("s3cret-of-mine");
  host.generations.pin();
  expect(host.generations.pinned).toBe(2);
  expect(await host.generations.release()).toMatchObject({ cause: "release" });
  expect(host.generations.pinned).toBeUndefined();
});
