import { expect, it } from "vitest";
import * as toolroom from "../core/index.ts";
import { contentSdk } from "../core/loading/content-sdk.ts";

const values = Object.fromEntries(Object.entries(toolroom).filter(([, value]) => value !== undefined));

it("gives content the same instances as programs", () => {
  for (const [name, value] of Object.entries(contentSdk)) expect(values[name], name).toBe(value);
});

it("keeps from content nothing but what makes a host", () => {
  const kept = Object.keys(values).filter((name) => !(name in contentSdk));
  expect(kept.sort()).toEqual(["HostError", "createHost"]);
});
