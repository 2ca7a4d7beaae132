import type { ArgumentFault } from "../../sdk/arguments.ts";
import type { JsonObject } from "../../sdk/result.ts";
import type { ModelMessage, ToolDefinition } from "../model.ts";
import type { Match } from "./match.ts";
import { propertiesOf, propertyOf, requiredOf, typesOf } from "./schema.ts";
import { CJK } from "./script.ts";

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;
type Language = "en" | "zh";

/** The language to answer in. */
export function languageOf(text: string): Language {
  return CJK.test(text) ? "zh" : "en";
}

/** The answer after calls: what the tools said, word for word; a failure is called one. */
export function resultText(results: readonly ToolMessage[], language: Language): string {
  return results.map((result) => oneResult(result, WORDS[language])).join("\n\n");
}

function oneResult({ toolName, content, isError }: ToolMessage, words: Words): string {
  const text = content.trim() === "" ? words.silent(toolName) : content;
  return isError ? words.failed(toolName, text) : text;
}

/** Why no tool was called: who speaks, what was close, and what to do about it. */
export function declineText(match: Match, language: Language): string {
  const words = WORDS[language];
  const { incomplete, closest } = match;
  const reason = incomplete ? words.incomplete(incomplete.tool, incomplete.missing) : words.unsure;
  const close =
    closest.length === 0
      ? [words.none]
      : [words.close, ...closest.map((tool) => `- ${usage(tool)}: ${tool.description}`)];
  return [`${words.who} ${reason}`, ...close, words.configure].join("\n");
}

/** What is wrong with a `/tool` line. */
export function usageText(
  request: { name: string; tool: ToolDefinition | undefined; error: ArgumentFault },
  language: Language,
): string {
  const { name, tool, error } = request;
  const how = tool ? usage(tool) : `/${name} key=value`;
  return WORDS[language].usage(error.message, how);
}

/** How a tool is called by hand: `/word_count path=…`. */
function usage({ name, parameters }: ToolDefinition): string {
  return [`/${name}`, ...requiredOf(parameters).map((item) => `${item}=…`)].join(" ");
}

/** The arguments of the answering tool: its text goes into its first string parameter. */
export function answerArgs(tool: ToolDefinition, text: string): JsonObject {
  const isText = (name: string) => typesOf(propertyOf(tool.parameters, name)).includes("string");
  return { [Object.keys(propertiesOf(tool.parameters)).find(isText) ?? "text"]: text };
}

interface Words {
  readonly who: string;
  readonly unsure: string;
  readonly none: string;
  readonly close: string;
  readonly configure: string;
  incomplete(tool: ToolDefinition, missing: readonly string[]): string;
  usage(message: string, how: string): string;
  silent(tool: string): string;
  failed(tool: string, text: string): string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    who: "I am the offline model: I match questions to tools and understand nothing else.",
    unsure: "I am not sure what this one asks for, so I called nothing.",
    none: "No tool here is close to it.",
    close: "The closest tools, as you can call them yourself:",
    configure:
      "For real answers choose a model: --model or TOOLROOM_MODEL, for example openai/<model> (with OPENAI_API_KEY), anthropic/<model> (with ANTHROPIC_API_KEY) or ollama/<model> (local).",
    incomplete: ({ name }, missing) =>
      `This one seems to be for ${name}, but I found no ${missing.join(", ")} in it, so I called nothing.`,
    usage: (message, how) =>
      `This call was not made: ${message}. Write it as ${how}, or with one JSON object behind the name.`,
    silent: (tool) => `${tool} is done; it returned no text.`,
    failed: (tool, text) => `${tool} did not succeed. ${text}`,
  },
  zh: {
    who: "我是离线模型：我只会把问题对应到工具，别的都不懂。",
    unsure: "我不确定这个问题要做什么，所以没有调用任何工具。",
    none: "这里没有与它相近的工具。",
    close: "最相近的工具，您可以自己这样调用：",
    configure:
      "想要真正的回答，请用 --model 或 TOOLROOM_MODEL 选择模型，例如 openai/<模型>（需要 OPENAI_API_KEY）、anthropic/<模型>（需要 ANTHROPIC_API_KEY）或 ollama/<模型>（本地）。",
    incomplete: ({ name }, missing) =>
      `这个问题像是要用 ${name}，但我没有找到 ${missing.join("、")}，所以没有调用任何工具。`,
    usage: (message, how) => `没有执行这个调用：${message}。请写成 ${how}，或者在名称后面写一个 JSON 对象。`,
    silent: (tool) => `${tool} 已完成，没有返回文字。`,
    failed: (tool, text) => `${tool} 没有成功。${text}`,
  },
};
