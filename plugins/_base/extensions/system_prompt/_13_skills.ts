import { Extension, type ExtensionContext, type PointMap } from "toolroom";

/** Longer descriptions are cut: the whole text comes with the skill. */
const MAX_DESCRIPTION = 500;

/** The names of the skills with what each is good for; nothing where there are none. */
export default class extends Extension<"system_prompt"> {
  async execute({ sections, render }: PointMap["system_prompt"], { agent }: ExtensionContext) {
    const found = (await agent?.skills()) ?? [];
    const skills = found.map(({ name, description }) => ({ name, description: oneLine(description) }));
    sections.push({ id: "skills", text: await render("agent.system.skills.md", { skills }) });
  }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line.length <= MAX_DESCRIPTION) return line;
  // No half of a character at the end.
  return `${line
    .slice(0, MAX_DESCRIPTION - 1)
    .replace(/\p{Cs}$/u, "")
    .trimEnd()}…`;
}
