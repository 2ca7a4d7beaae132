/** The texts of generated content: of the size and shape that people write. */

/** A `plugin.yaml`. */
export function manifestText(name) {
  return `name: ${name}\ntitle: ${name}\ndescription: Two tools of the bench.\nversion: 1.0.0\n`;
}

/**
 * A tool module of some 40 lines with a zod schema.
 *
 * @param options `bytes`: the least size, filled up with a string constant; `sdk`: what `toolroom` is imported
 *   from; `javascript`: without types, as a build would write it
 */
export function toolText(id, { bytes = 0, sdk = "toolroom", javascript = false } = {}) {
  const type = (text) => (javascript ? "" : text);
  const text = `import { Tool, z } from ${JSON.stringify(sdk)};

const parameters = z.object({
  text: z.string().min(1).describe("the text to look at"),
  needle: z.string().optional().describe("what to count; without it every word"),
  limit: z.number().int().min(1).max(1000).default(100).describe("stop after so many"),
});
${type(`
interface Found {
  readonly index: number;
  readonly word: string;
}
`)}
/** ${id}: one of many that do nearly the same. */
export default class Generated extends Tool${type("<typeof parameters>")} {
  static${type(" readonly")} parameters = parameters;
  static${type(" readonly")} description = "Count the words of a text (${id}).";
  static${type(" readonly")} risk = "low";
  static${type(" readonly")} parallel = "safe";

  async execute({ text, needle, limit }${type(": z.infer<typeof parameters>")}) {
    const found${type(": Found[]")} = [];
    for (const match of text.matchAll(/[\\p{L}\\p{N}_]+/gu)) {
      if (needle !== undefined && match[0] !== needle) continue;
      found.push({ index: match.index, word: match[0] });
      if (found.length >= limit) break;
    }
    return this.success(\`\${found.length} words found by ${id}.\`, { count: found.length, first: first(found) });
  }
}

function first(found${type(": readonly Found[]")})${type(": string")} {
  return found[0]?.word ?? "";
}
`;
  const missing = bytes - text.length;
  return missing <= 0 ? text : `${text}\nexport const filling = "${"x".repeat(missing)}";\n`;
}

/** A tool that does next to nothing: what its call takes is what the host adds. */
export function trivialToolText() {
  return `import { Tool, z } from "toolroom";

const parameters = z.object({ text: z.string() });

export default class Trivial extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";

  async execute({ text }: z.infer<typeof parameters>) {
    return this.success(text);
  }
}
`;
}

/** A fragment with front matter and an example call. */
export function fragmentText(id, remark = "") {
  return `---
description: Count the words of a text, or how often one of them occurs (${id}).
examples:
  - say: How often does "the" occur in "the cat and the dog"?
    call: { text: the cat and the dog, needle: the }
  - say: Count the words of "one two three"
    call: { text: one two three }
returns: The number of words, and the first one.
---
### ${id}
Count the words of a text. Use it when somebody asks how long a text is, or how often a word occurs in it.${remark}

- \`text\` (required): the text to look at
- \`needle\` (optional): what to count; without it every word
- \`limit\` (optional, 1 to 1000, default 100): stop after so many

Returns the number of words and the first one, for the profile {{profile}}.

{{{{raw}}}}
{
  "thoughts": ["The text has to be counted."],
  "headline": "Counting words",
  "tool_name": "${id}",
  "tool_args": { "text": "the cat and the dog", "needle": "the" }
}
{{{{/raw}}}}
`;
}
