// The texts of the soak: each says in a comment which text it is and whether it is one that can be used.

/** How many plugins there are; plugin `p<n>` holds the tool `t<n>`. */
export const PLUGINS = 4;

/**
 * A text for a file of the tree.
 * @param {string} kind what the file is: see `WRITERS`
 * @param {number} stamp no other text has it
 * @param {"good" | "bad" | "throws"} how `throws`: a tool that loads and throws in its calls
 * @param {number} variant which way of being bad
 */
export function textOf(kind, stamp, how = "good", variant = 0) {
  const { comment, good, bad } = WRITERS[kind];
  const text = how === "bad" ? bad[variant % bad.length](stamp) : good(stamp, how);
  return comment(`stamp ${stamp} ${how}`, text);
}

// At the end, so that half a text has none.
const slashes = (mark, text) => `${text}// ${mark}\n`;
const hash = (mark, text) => `${text}# ${mark}\n`;
const angles = (mark, text) => `${text}<!-- ${mark} -->\n`;

const toolOf = (body, imports = "") => `import { Tool } from "toolroom";
${imports}export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    ${body}
  }
}
`;
const answer = (how, stamp, value) =>
  how === "throws" ? `throw new Error("own ${stamp}");` : `return this.success(JSON.stringify(${value}));`;

const BROKEN_CODE = [
  (stamp) => `export const stamp = ${stamp};\nexport default class {\n  async execute( { }\n`,
  (stamp) => `export const stamp = ${stamp};\nthrow new Error("at its top level");\n`,
  (stamp) => `import "./no-such-file.ts";\nexport const stamp = ${stamp};\n`,
];

const WRITERS = {
  tool: {
    comment: slashes,
    good: (stamp, how) =>
      toolOf(
        answer(how, stamp, `{ tool: ${stamp}, ...parts() }`),
        'import common from "../lib/common.cjs";\nimport { helper } from "../lib/helper.ts";\nconst parts = () => ({ ...helper(), cjs: common.stamp });\n',
      ),
    bad: [...BROKEN_CODE, () => "export default null;\n", () => ""],
  },
  // It looks twice: a call stays on what it began with.
  slow: {
    comment: slashes,
    good: (stamp, how) =>
      toolOf(
        `const before = JSON.stringify(parts());
    await new Promise((done) => this.setTimeout(done, 40));
    if (before !== JSON.stringify(parts())) throw new Error("mixed");
    ${answer(how, stamp, `{ tool: ${stamp}, ...parts() }`)}`,
        'import { helper } from "../lib/helper.ts";\nimport common from "../lib/common.cjs";\nconst parts = () => ({ ...helper(), cjs: common.stamp });\n',
      ),
    bad: [...BROKEN_CODE, () => "export default null;\n", () => ""],
  },
  shadow: {
    comment: slashes,
    good: (stamp, how) => toolOf(answer(how, stamp, `{ tool: ${stamp} }`)),
    bad: [...BROKEN_CODE, () => "export default null;\n", () => ""],
  },
  helper: {
    comment: slashes,
    good: (stamp) =>
      `import { deep } from "./deep/deep.mjs";\nimport data from "../data.json";\nexport const helper = () => ({ helper: ${stamp}, deep, json: data.stamp });\n`,
    bad: [...BROKEN_CODE, (stamp) => `export const other = ${stamp};\n`],
  },
  deep: {
    comment: slashes,
    good: (stamp) => `export const deep = ${stamp};\n`,
    bad: [...BROKEN_CODE, (stamp) => `export const other = ${stamp};\n`],
  },
  common: {
    comment: slashes,
    good: (stamp) => `exports.stamp = ${stamp};\n`,
    bad: [() => 'throw new Error("at its top level");\n', () => "exports.stamp = {\n"],
  },
  data: {
    comment: (mark, text) => text.replace("MARK", mark),
    good: (stamp) => `{"stamp": ${stamp}, "mark": "MARK"}\n`,
    bad: [() => '{"mark": "MARK", \n'],
  },
  fragment: {
    comment: angles,
    good: (stamp) => `---\ndescription: Says ${stamp}.\n---\nsays ${stamp} of it\n`,
    bad: [() => "---\ndescription: [\n---\nbroken\n"],
  },
  // With a condition.
  conditional: {
    comment: angles,
    good: (stamp) => `---\ndescription: Says ${stamp}.\nwhen: flags.on\n---\nsays ${stamp} of it\n`,
    bad: [() => "---\ndescription: [\n---\nbroken\n"],
  },
  manifest: {
    comment: hash,
    good: (stamp) => `name: p\ntitle: Title ${stamp}\ndescription: A plugin of a test.\nversion: 1.0.0\n`,
    bad: [() => "name: [\n"],
  },
  settings: {
    comment: hash,
    good: (stamp) => `flags:\n  on: ${stamp % 4 !== 0}\n`,
    bad: [() => "flags: [\n"],
  },
};

/** The files of one plugin by their path, each with its kind. */
export function filesOf(index) {
  const at = `usr/plugins/p${index}`;
  return {
    [`${at}/plugin.yaml`]: "manifest",
    [`${at}/tools/t${index}.ts`]: index === 3 ? "slow" : "tool",
    [`${at}/lib/helper.ts`]: "helper",
    [`${at}/lib/common.cjs`]: "common",
    [`${at}/lib/deep/deep.mjs`]: "deep",
    [`${at}/data.json`]: "data",
    [`${at}/prompts/agent.system.tool.t${index}.md`]: index === 2 ? "conditional" : "fragment",
  };
}

/** All files that the tree begins with, by their kind. */
export function allFiles() {
  const plugins = Array.from({ length: PLUGINS }, (_, index) => Object.entries(filesOf(index))).flat();
  return Object.fromEntries([...plugins, ["usr/settings.yaml", "settings"]]);
}
