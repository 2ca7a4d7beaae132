import { Tool, type ToolSummary, z } from "toolroom";

const parameters = z.object({
  requested: z.string().describe("the name that was asked for"),
  args: z.unknown().optional().describe("the arguments that came with it"),
});

/** How many names, and how much of any text from outside, go into the message. */
const MAX_NEAREST = 3;
const MAX_LISTED = 12;
const MAX_FAILED = 3;
const MAX_NAME = 64;
const MAX_TEXT = 200;
/** Below this a name is no help: two short names share a letter or two by chance. */
const MIN_LIKENESS = 0.4;

/** Runs in place of a tool that does not exist, and says which one was probably meant. */
export default class Unknown extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Answers a request for a tool that does not exist.";
  static readonly risk = "low";
  static readonly role = "fallback";

  async execute({ requested }: z.infer<typeof parameters>) {
    const all = (await this.agent.tools()).filter((tool) => tool.id !== this.name);
    const failed = all.filter((tool) => tool.status === "failed");
    const callable = all.filter((tool) => tool.status !== "failed");
    const nearest = rank(requested, callable).slice(0, MAX_NEAREST);
    const related = rank(requested, failed);
    const reported = (related.length > 0 ? related : failed).slice(0, MAX_FAILED);

    const lines = [`no tool is called ${JSON.stringify(plain(requested, MAX_NAME))}.`];
    if (nearest.length > 0) {
      lines.push("Nearest:", ...nearest.map((tool) => `- ${tool.id}: ${plain(tool.description, MAX_TEXT)}`));
    } else if (callable.length > 0) {
      lines.push(`No name is close to it. Callable now: ${someNames(callable)}.`);
    }
    if (reported.length > 0) {
      lines.push(
        "Not callable, because the file did not load:",
        ...reported.map((tool) => `- ${tool.id}: ${plain(tool.error ?? "no reason is known", MAX_TEXT)}`),
      );
    }
    return this.failure("UNKNOWN_TOOL", lines.join("\n"), {
      hint: "Use a tool of the list in the system prompt under its exact name, or answer without one.",
      data: {
        requested: plain(requested, MAX_NAME),
        nearest: nearest.map((tool) => tool.id),
        failed: reported.map((tool) => tool.id),
      },
    });
  }
}

/** The tools whose id or alias resembles `requested`, best first. */
function rank(requested: string, tools: readonly ToolSummary[]): readonly ToolSummary[] {
  const wanted = (requested.split(":")[0] ?? "").slice(0, MAX_NAME);
  return tools
    .map((tool) => ({ tool, score: Math.max(...[tool.id, ...tool.aliases].map((name) => likeness(wanted, name))) }))
    .filter(({ score }) => score >= MIN_LIKENESS)
    .sort((a, b) => b.score - a.score || (a.tool.id < b.tool.id ? -1 : 1))
    .map(({ tool }) => tool);
}

/** 0 (nothing in common) to 1 (the same but for case and separators). */
function likeness(a: string, b: string): number {
  const left = words(a);
  const right = words(b);
  const [x, y] = [left.join(""), right.join("")];
  if (x === "" || y === "") return 0;
  const bySpelling = 1 - distance(x, y) / Math.max(x.length, y.length);
  const shared = left.filter((word) => right.includes(word)).length;
  const byWords = shared / Math.max(left.length, right.length);
  return Math.max(bySpelling, byWords);
}

/** Lower-case words of a name (`countWords`, `count-words`), a plural s dropped. */
function words(name: string): readonly string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
}

/** Edits (insert, delete, replace, swap of neighbours) between two short texts. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

function someNames(tools: readonly ToolSummary[]): string {
  const names = tools.slice(0, MAX_LISTED).map((tool) => tool.id);
  const rest = tools.length - names.length;
  return names.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Text from outside on one bounded line, without control and invisible formatting characters. */
function plain(text: string, limit: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  const points = Array.from(line);
  return points.length > limit ? `${points.slice(0, limit).join("")}…` : line;
}
