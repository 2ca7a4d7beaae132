import { writeFileSync } from "node:fs";
import { Extension } from "toolroom";

writeFileSync(new URL("../../../../../ran-extension", import.meta.url), "ran");

export default class extends Extension<"monologue_start"> {
  async execute() {}
}
