import { Extension, type PointMap } from "toolroom";

/** The fragments of the tools that can be called. */
export default class extends Extension<"system_prompt"> {
  async execute({ sections, render }: PointMap["system_prompt"]) {
    sections.push({ id: "tools", text: await render("agent.system.tools.md") });
  }
}
