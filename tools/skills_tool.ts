import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { type CallErrorCode, type SkillSummary, Tool, ToolError, z } from "toolroom";

const ACTIONS = ["list", "search", "load", "read_file"] as const;
const MAX_BYTES = 256 * 1024;
const MAX_TREE = 200;
const MAX_DEPTH = 6;
const MAX_FOUND = 10;
const MAX_DESCRIPTION = 200;

const parameters = z.object({
  action: z
    .enum(ACTIONS)
    .default("list")
    .describe("list (default) names all, search finds by words, load gives one, read_file a file of one"),
  skill_name: z.string().optional().describe("for load and read_file: the skill's name as list shows it"),
  query: z.string().optional().describe("for search: words to look for in names and descriptions"),
  file_path: z.string().optional().describe("for read_file: a path from the file tree that load shows"),
});

type Arguments = z.infer<typeof parameters>;

/** Finds skills (written know-how in `skills/<name>/SKILL.md`) and reads them, nothing outside their directories. */
export default class SkillsTool extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description =
    "Lists, searches and loads skills (written know-how for kinds of tasks), and reads their files.";
  static readonly risk = "low";
  static readonly parallel = "safe";

  async execute(args: Arguments) {
    const skills = await this.agent.skills();
    switch (args.action) {
      case "list":
        return this.#found(skills, "No skills are installed.");
      case "search": {
        const query = required(args, "query");
        return this.#found(search(skills, query).slice(0, MAX_FOUND), `No skill matches ${JSON.stringify(query)}.`);
      }
      case "load":
        return this.#load(pick(skills, required(args, "skill_name")));
      case "read_file": {
        const skill = pick(skills, required(args, "skill_name"));
        const file = required(args, "file_path");
        const text = await readContained(skill, file);
        return this.success(text, { skill: skill.id, file, bytes: Buffer.byteLength(text) });
      }
    }
  }

  #found(skills: readonly SkillSummary[], nothing: string) {
    const lines = skills.map((skill) => `- ${skill.id}: ${shorten(skill.description)}`);
    const text = lines.length === 0 ? nothing : `${lines.join("\n")}\nTo read one: action load with its skill_name.`;
    return this.success(text, { skills: skills.map(({ id, name, description }) => ({ id, name, description })) });
  }

  async #load(skill: SkillSummary) {
    const body = withoutFrontMatter(await readContained(skill, "SKILL.md"));
    const { files, cut } = await tree(skill.directory);
    const rest = cut ? `\n- … (only the first ${MAX_TREE} are shown)` : "";
    const listing = files.map((file) => `- ${file}`).join("\n");
    return this.response({
      message: `${body}\n\nFiles of the skill ${skill.id} (action read_file reads one):\n${listing}${rest}`,
      data: { skill: skill.id, files },
      // What was learned is needed for as long as the conversation goes on; loaded again, the newer text counts.
      additional: { keep: `skill:${skill.id}` },
    });
  }
}

function required(args: Arguments, key: "skill_name" | "query" | "file_path"): string {
  const value = args[key]?.trim();
  if (value) return value;
  throw new ToolError(
    "INVALID_PARAM",
    `action ${args.action} expects ${key}, found ${value === "" ? "an empty text" : "none"}`,
    {
      pointer: `/${key}`,
      hint: key === "skill_name" ? "Names are shown by action list." : `Send it with the same action.`,
    },
  );
}

/** By id, else by name; emphasis around it and its case are forgiven. */
function pick(skills: readonly SkillSummary[], asked: string): SkillSummary {
  const plain = asked.replace(/^[*`"']+|[*`"']+$/g, "").toLowerCase();
  const found =
    skills.find((skill) => skill.id.toLowerCase() === plain) ??
    skills.find((skill) => skill.name.toLowerCase() === plain);
  if (found) return found;
  const near = search(skills, plain.replace(/[-_]/g, " "));
  const names = (near.length > 0 ? near : skills).slice(0, MAX_FOUND).map((skill) => skill.id);
  throw new ToolError("NOT_FOUND", `no skill is called ${JSON.stringify(shorten(asked))}`, {
    pointer: "/skill_name",
    hint: names.length === 0 ? "No skills are installed." : `Use one of: ${names.join(", ")}.`,
  });
}

/** Skills that hold words of the query, most and best places first. Texts without spaces are cut into pairs of characters. */
function search(skills: readonly SkillSummary[], query: string): readonly SkillSummary[] {
  const terms = new Set(
    query
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.flatMap(pairs) ?? [],
  );
  return skills
    .map((skill) => ({ skill, score: score(skill, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.skill.id < b.skill.id ? -1 : 1))
    .map(({ skill }) => skill);
}

function score({ id, name, description }: SkillSummary, terms: ReadonlySet<string>): number {
  const [title, text] = [`${id} ${name}`.toLowerCase(), description.toLowerCase()];
  return [...terms].reduce((sum, term) => sum + (title.includes(term) ? 3 : 0) + (text.includes(term) ? 1 : 0), 0);
}

function pairs(word: string): readonly string[] {
  if (!/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word)) return [word];
  const letters = Array.from(word);
  return letters.length < 3 ? [word] : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}

/**
 * The text of a file below the skill's directory, links resolved. What leads outside is refused before
 * anything is opened, in words that do not tell whether it exists.
 */
async function readContained(skill: SkillSummary, asked: string): Promise<string> {
  const root = await realpath(skill.directory).catch(() =>
    fail("NOT_FOUND", `the skill ${skill.id} is gone from the disk`),
  );
  if (asked.includes("\0")) fail("INVALID_PARAM", "expected a path, found a text with a NUL character");
  const target = path.resolve(root, asked);
  if (path.isAbsolute(asked) || !inside(root, target)) return outside(skill, asked);
  const real = await resolveInside(root, target);
  if (real === "outside") return outside(skill, asked);
  if (real === "missing") return fail("NOT_FOUND", `the skill ${skill.id} has no file ${JSON.stringify(asked)}`);
  // O_NONBLOCK: opening a pipe must not wait for its writer. O_NOFOLLOW: `real` holds no links unless it was just swapped.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(real, flags).catch((error: NodeJS.ErrnoException) =>
    fail("PERMISSION_DENIED", `${asked} of the skill ${skill.id} cannot be opened (${error.code})`),
  );
  try {
    const info = await handle.stat();
    if (info.isDirectory()) fail("IS_DIRECTORY", `${asked} of the skill ${skill.id} is a directory, expected a file`);
    if (!info.isFile()) fail("ACCESS_DENIED", `${asked} of the skill ${skill.id} is not a regular file`);
    if (info.size > MAX_BYTES) fail("TOO_LARGE", `${asked} has ${info.size} bytes, expected at most ${MAX_BYTES}`);
    const bytes = await handle.readFile();
    if (bytes.subarray(0, 8192).includes(0)) fail("BINARY_FILE", `${asked} of the skill ${skill.id} is not text`);
    return bytes.toString("utf8").replace(/^\uFEFF/, "");
  } finally {
    await handle.close();
  }
}

/** The real path; a missing file counts as missing only when its nearest existing directory is inside and no link dangles. */
async function resolveInside(root: string, target: string): Promise<string> {
  let missing = false;
  for (let at = target; ; at = path.dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) {
      if (!inside(root, real)) return "outside";
      return missing ? "missing" : real;
    }
    if ((await lstat(at).catch(() => undefined))?.isSymbolicLink()) return "outside";
    missing = true;
  }
}

function inside(root: string, file: string): boolean {
  return file === root || file.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
}

function outside(skill: SkillSummary, asked: string): never {
  return fail("ACCESS_DENIED", `${JSON.stringify(shorten(asked))} is outside the directory of the skill ${skill.id}`);
}

/** Files below the directory, POSIX, sorted; hidden ones and links are left out. */
async function tree(directory: string): Promise<{ files: readonly string[]; cut: boolean }> {
  const files: string[] = [];
  const walk = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(path.join(directory, at), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith(".") || files.length > MAX_TREE) continue;
      const below = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isFile()) files.push(below);
      else if (entry.isDirectory() && depth < MAX_DEPTH) await walk(below, depth + 1);
    }
  };
  await walk("", 1);
  return { files: files.slice(0, MAX_TREE), cut: files.length > MAX_TREE };
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, "").trim();
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION - 1)}…` : line;
}

/** Every failure of reading is about the argument `file_path`; a name that misses gets told where names come from. */
function fail(code: CallErrorCode, message: string): never {
  const hint = { hint: "Action load shows the files of a skill." };
  throw new ToolError(code, message, {
    pointer: "/file_path",
    ...(code.endsWith("_DENIED") || code === "NOT_FOUND" ? hint : {}),
  });
}
