import { Extension, type PointMap } from "toolroom";

/** Who the agent is, the form of a reply, how to go about a task. */
export default class extends Extension<"system_prompt"> {
  async execute({ sections, render }: PointMap["system_prompt"]) {
    sections.push({ id: "main", text: await render("agent.system.main.md") });
  }
}
