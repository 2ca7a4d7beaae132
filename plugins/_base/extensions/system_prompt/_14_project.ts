import { Extension, type PointMap } from "toolroom";

/** The project that is worked in; nothing without one. */
export default class extends Extension<"system_prompt"> {
  async execute({ sections, render }: PointMap["system_prompt"]) {
    sections.push({ id: "project", text: await render("agent.system.project.md") });
  }
}
