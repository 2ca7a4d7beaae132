import { diagnostic } from "../diagnostics.ts";
import type { Parsed } from "./derived.ts";
import { type Check, checkFields, MAPPING, TEXT, VERSION } from "./fields.ts";
import { readFrontMatter } from "./front-matter.ts";

/** What the front matter of a `SKILL.md` says of the skill. */
export interface SkillMeta {
  readonly name: string;
  /** What it is good for, in a sentence; empty when it was not written. */
  readonly description: string;
}

const ANY: Check = { expected: "anything", admits: () => true };

/** The keys that skills are published with; the host itself needs the first two. */
const FIELDS: Readonly<Record<string, Check>> = {
  name: {
    expected: "1 to 64 lower-case letters, digits and single hyphens",
    admits: (value) => typeof value === "string" && isSkillName(value),
  },
  description: TEXT,
  version: VERSION,
  author: TEXT,
  license: TEXT,
  compatibility: TEXT,
  metadata: MAPPING,
  tags: ANY,
  triggers: ANY,
  "allowed-tools": ANY,
};

/** Reads a `SKILL.md`. The name is the directory's where the file says none. */
export function parseSkill(text: string, file: string): Parsed<SkillMeta> {
  const name = file.split("/").at(-2) ?? "";
  const { document, diagnostics } = readFrontMatter(text, file);
  const checked = document
    ? checkFields({ document, file, fields: FIELDS, invalid: "SKILL_INVALID", unknown: "FM_UNKNOWN_KEY" })
    : { values: {}, diagnostics: [] };
  const { name: said = name, description = "" } = checked.values as Partial<SkillMeta>;
  const found = [...diagnostics, ...checked.diagnostics];
  if (description === "" && !found.some(({ severity }) => severity === "error")) {
    const message = "expected front matter with a description of the skill, found none";
    found.push(
      diagnostic("SKILL_INVALID", { file, line: 1, message, hint: "Say in one sentence when the skill is of use." }),
    );
  }
  return { value: { name: said, description }, diagnostics: found };
}

function isSkillName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(name);
}
