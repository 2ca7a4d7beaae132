import { expect, it } from "vitest";
import { manifest, toolSource } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";

it("words that a model was told are watched, also where nothing else of the plugin is in use", async () => {
  const file = "usr/plugins/words/locales/en/tools.ftl";
  const { host, write } = await openHouse(
    {
      "usr/plugins/words/plugin.yaml": manifest("words"),
      [file]: "tool-one = Gives one.\n",
      "usr/tools/one.ts": toolSource("1"),
    },
    { watch: true },
  );
  const said = async () => (await host.toolDefinitions()).find(({ name }) => name === "one")?.description;
  expect(await said()).toBe("Gives one.");
  const served = new Promise((resolve) => host.on("reload", resolve));
  write({ [file]: "tool-one = Gives 1.\n" });
  await served;
  expect(await said()).toBe("Gives 1.");
});
