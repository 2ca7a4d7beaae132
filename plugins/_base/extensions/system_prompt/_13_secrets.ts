import { Extension, type PointMap } from "toolroom";

/** The names of the secrets; nothing where there are none. */
export default class extends Extension<"system_prompt"> {
  async execute({ sections, render }: PointMap["system_prompt"]) {
    sections.push({ id: "secrets", text: await render("agent.system.secrets.md") });
  }
}
