import { Extension, type PointMap } from "toolroom";

export default class extends Extension<"system_prompt"> {
  async execute({ sections, render }: PointMap["system_prompt"]) {
    await render("agent.system.mine.md");
    sections.splice(0);
  }
}
