import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "yaml";
import type { ToolDefinition, ToolExample } from "../../core/model/model.ts";
import { toJsonSchema } from "../../core/sdk/schema.ts";
import type { ToolClass } from "../../core/sdk/tool.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The tools of the default profile: module and fragment. */
const TOOLS = [
  ["tools/response.ts", "prompts/agent.system.tool.response.md"],
  ["tools/skills_tool.ts", "prompts/agent.system.tool.skills_tool.md"],
  ["tools/wait.ts", "prompts/agent.system.tool.wait.md"],
  ["plugins/_files/tools/file_read.ts", "plugins/_files/prompts/agent.system.tool.file_read.md"],
  ["plugins/_files/tools/word_count.ts", "plugins/_files/prompts/agent.system.tool.word_count.md"],
] as const;

/** The definitions that the host gives to a model in the default profile, from the real modules and fragments. */
export async function definitions(): Promise<ToolDefinition[]> {
  return Promise.all(
    TOOLS.map(async ([module, fragment]) => {
      const { default: tool } = (await import(pathToFileURL(path.join(ROOT, module)).href)) as { default: ToolClass };
      const meta = frontMatter(path.join(ROOT, fragment));
      return {
        name: path.basename(module, ".ts"),
        description: meta.description,
        parameters: toJsonSchema(tool.parameters ?? { type: "object" }),
        ...(meta.examples ? { examples: meta.examples } : {}),
        ...(tool.role ? { role: tool.role } : {}),
      };
    }),
  );
}

function frontMatter(file: string): { description: string; examples?: ToolExample[] } {
  const text = readFileSync(file, "utf8");
  return parse(text.slice(4, text.indexOf("\n---", 4)));
}
