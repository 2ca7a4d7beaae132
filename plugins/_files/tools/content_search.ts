import { type RiskContext, type RiskVerdict, type SearchedFile, type SearchFound, Tool, z } from "toolroom";
import { withNextStep } from "../lib/missing.ts";
import { oneLine } from "../lib/one-line.ts";
import { readRisk } from "../lib/read-risk.ts";
import { namesSecrets } from "../lib/secret-names.ts";

const MAX_RESULTS = 1_000;
const MAX_CONTEXT = 50;

const parameters = z.object({
  pattern: z.string().min(1).max(10_000).describe("a regular expression (ripgrep), without look-around"),
  path: z.string().min(1).default(".").describe("a file or a directory; default the workspace"),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .default("content")
    .describe("content (default): lines; files_with_matches: paths; count: how many lines of each"),
  include: z.string().min(1).max(1_000).optional().describe('a glob for the files, such as "*.ts"'),
  case_sensitive: z.boolean().default(true).describe("default true"),
  context_before: z.number().int().min(0).max(MAX_CONTEXT).default(0).describe("lines before each match"),
  context_after: z.number().int().min(0).max(MAX_CONTEXT).default(0).describe("lines after each match"),
  multiline: z.boolean().default(false).describe("a match may span lines"),
  max_results: z.number().int().min(1).max(MAX_RESULTS).default(200).describe("at most 1000; default 200"),
  include_hidden: z.boolean().default(false).describe("search names that begin with a dot"),
  include_ignored: z.boolean().default(false).describe("search what .gitignore leaves out"),
});

const output = z.object({
  mode: z.enum(["content", "files_with_matches", "count"]),
  matches: z.array(z.object({ file: z.string(), line: z.number().int(), text: z.string() })),
  files: z.array(z.object({ path: z.string(), matches: z.number().int() })),
  totals: z.object({ matches: z.number().int(), files: z.number().int() }),
  cut: z.array(z.enum(["results", "output", "time"])),
  unreadable: z.number().int(),
  engine: z.enum(["ripgrep", "built-in"]),
  reason: z.string().optional(),
});

type Arguments = z.infer<typeof parameters>;

const WANT = { content: "lines", files_with_matches: "files", count: "counts" } as const;

/** Finds lines of files by a regular expression. */
export default class ContentSearch extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly output = output;
  static readonly description = "Searches the text of files for a regular expression.";
  static readonly risk = riskOf;
  static readonly parallel = "safe";
  static readonly untrusted = true;

  async execute(args: Arguments) {
    const { workspace, signal } = this;
    const { path, output_mode: mode } = args;
    const found = await withNextStep(workspace, path, () =>
      workspace.search({
        pattern: args.pattern,
        path,
        include: args.include,
        caseSensitive: args.case_sensitive,
        multiline: args.multiline,
        want: WANT[mode],
        before: args.context_before,
        after: args.context_after,
        maxResults: args.max_results,
        includeHidden: args.include_hidden,
        includeIgnored: args.include_ignored,
        signal,
      }),
    );
    const { totals, cut, unreadable, engine, reason } = found;
    const data = {
      mode,
      matches: found.files.flatMap(matchesOf),
      files: found.files.map((file) => ({ path: file.path, matches: file.matches })),
      totals,
      cut,
      unreadable,
      engine,
      ...(reason === undefined ? {} : { reason }),
    };
    const message = [...found.files.map((file) => FORMS[mode](file)), footer(found, args)].join("\n");
    return cut.length > 0 ? this.partial(message, data) : this.success(message, data);
  }
}

/** That of reading what is searched; medium as well where the glob is for what looks like files with secrets. */
async function riskOf(
  { path, include = "" }: Pick<Arguments, "path" | "include">,
  context: RiskContext,
): Promise<RiskVerdict> {
  const risk = await readRisk(path, context);
  if (!globNames(include).some(namesSecrets)) return risk;
  return { level: "medium", reasons: ["it searches what looks like files with secrets"] };
}

/** Names that a glob stands for, its wildcards left out: `**\/.env*` asks for `.env`. */
function globNames(glob: string): readonly string[] {
  const alternatives = glob.split(/[{},]/u);
  return [glob, ...alternatives].flatMap((one) => [one, one.replace(/[*?[\]\\!]/gu, "")]);
}

function matchesOf({ path, lines }: SearchedFile) {
  return lines.filter(({ match }) => match).map(({ line, text }) => ({ file: path, line, text }));
}

/** How a file is told of. */
const FORMS = { content: block, files_with_matches: ({ path }: SearchedFile) => oneLine(path), count: counted };

function counted({ path, matches }: SearchedFile): string {
  return `${oneLine(path)}: ${matches}`;
}

/** The path, then `12: text` for each line that matches and `12- text` for each beside one; `--` where lines are left out. */
function block({ path, lines }: SearchedFile): string {
  const context = lines.some(({ match }) => !match);
  const texts = lines.flatMap(({ line, text, match }, index) => {
    const gap = context && index > 0 && line > (lines[index - 1]?.line ?? 0) + 1;
    return [...(gap ? ["--"] : []), `${line}${match ? ":" : "-"} ${text}`];
  });
  return [oneLine(path), ...texts, ""].join("\n");
}

function footer({ totals, cut, unreadable }: SearchFound, { output_mode, multiline }: Arguments): string {
  const refused = unreadable === 0 ? "" : ` ${unreadable} files or directories could not be read.`;
  if (totals.files === 0) {
    const why = cut.includes("time") ? "Stopped for lack of time: name a directory as path." : "Nothing matches.";
    return `[${why} Hidden, ignored and binary files are left out.${refused}]`;
  }
  const noun = multiline ? "match" : "matching line";
  const all = `${many(totals.matches, noun)} in ${many(totals.files, "file")}`;
  const gap = output_mode === "content" ? "" : "\n";
  if (cut.length === 0) return `${gap}[${all}.${refused}]`;
  if (cut.includes("time"))
    return `${gap}[Stopped for lack of time: ${all} so far. Name a directory as path.${refused}]`;
  return `${gap}[Cut; there are ${all} in all. Narrow the pattern, path or include.${refused}]`;
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : noun.endsWith("h") ? "es" : "s"}`;
}
