import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { canonicalLocale } from "../discovery/locale-tag.ts";
import type { CheckSubject } from "./subject.ts";

const README = "README.md";

/** A text with the path that diagnostics show. */
interface ShownText {
  readonly file: string;
  readonly text: string;
}

/** The translations of the product's own README, `README.<locale>.md` beside it. A person's root holds other documents. */
export function checkTranslations({ root, home, files }: CheckSubject): readonly Diagnostic[] {
  if (root !== home) return [];
  const text = files.read(README);
  if (text === undefined) return [];
  return files.list(".").flatMap((file) => {
    const tag = /^README\.([\w-]+)\.md$/u.exec(file)?.[1];
    if (tag === undefined || canonicalLocale(tag) === undefined) return [];
    const translation = { file, text: files.read(file) ?? "" };
    return checkTranslation({ readme: { file: README, text }, translation });
  });
}

/**
 * Whether a translation is in step with its original: the same headings (how many, of which levels, in which order), the
 * same code blocks under them, byte for byte, and links to each other. Behind one that is missing all is out of step, so the
 * first difference of each sort is told.
 */
export function checkTranslation({
  readme,
  translation,
}: {
  readonly readme: ShownText;
  readonly translation: ShownText;
}): readonly Diagnostic[] {
  const telling: Telling = {
    readme,
    original: partsOf(readme.text),
    translated: partsOf(translation.text),
    finding: (line, message, hint) =>
      diagnostic("README_TRANSLATION", {
        file: translation.file,
        ...(line === undefined ? {} : { line }),
        message,
        ...(hint === undefined ? {} : { hint }),
      }),
  };
  const { finding } = telling;
  const found = [...headingDifference(telling), ...blockDifference(telling)];
  if (!translation.text.includes(`](${readme.file})`))
    found.push(finding(1, `expected a link to ${readme.file}, found none`));
  if (!readme.text.includes(`](${translation.file})`))
    found.push(finding(undefined, `expected ${readme.file} to link to ${translation.file}, found no link`));
  return found;
}

interface Telling {
  readonly readme: ShownText;
  readonly original: Parts;
  readonly translated: Parts;
  finding(line: number | undefined, message: string, hint?: string): Diagnostic;
}

interface Heading {
  readonly level: number;
  readonly title: string;
  readonly line: number;
}

interface Block {
  /** With its fences. */
  readonly text: string;
  readonly line: number;
  /** How many headings stand above it. */
  readonly under: number;
}

interface Parts {
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
}

function headingDifference({ readme, original, translated, finding }: Telling): readonly Diagnostic[] {
  const [expected, found] = [original.headings, translated.headings];
  const at = firstDifference(expected, found, (a, b) => a?.level === b?.level);
  if (at < 0) return [];
  const [wanted, there] = [expected[at], found[at]];
  const told = (heading: Heading | undefined) =>
    heading ? `heading ${at + 1}, ${"#".repeat(heading.level)} ${heading.title}` : "no further heading";
  const place = wanted ? ` (${readme.file}:${wanted.line})` : "";
  const message = `expected ${told(wanted)}${place}, found ${told(there)}`;
  return [finding((there ?? found.at(-1))?.line, message, "Translate the same headings in the same order.")];
}

function blockDifference({ readme, original, translated, finding }: Telling): readonly Diagnostic[] {
  const [expected, found] = [original.blocks, translated.blocks];
  const at = firstDifference(expected, found, (a, b) => a?.text === b?.text && a?.under === b?.under);
  if (at < 0) return [];
  const [wanted, there] = [expected[at], found[at]];
  const hint = "Code blocks are copied as they are.";
  if (!wanted) return [finding(there?.line, "expected no further code block, found one", hint)];
  const place = `code block ${at + 1} of ${readme.file}:${wanted.line}`;
  if (!there) return [finding(found.at(-1)?.line, `expected ${place}, found no further code block`, hint)];
  if (wanted.text === there.text) {
    const message = `expected ${place} under heading ${wanted.under}, found it under heading ${there.under}`;
    return [finding(there.line, message, hint)];
  }
  const [a, b] = [wanted.text.split("\n"), there.text.split("\n")];
  const row = firstDifference(a, b, (one, other) => one === other);
  const told = (text: string | undefined) => (text === undefined ? "its end" : JSON.stringify(text));
  return [finding(there.line + row, `${place} differs: expected ${told(a[row])}, found ${told(b[row])}`, hint)];
}

/** Index of the first two that are not alike; -1 where all are. */
function firstDifference<Item>(
  a: readonly Item[],
  b: readonly Item[],
  areAlike: (one: Item | undefined, other: Item | undefined) => boolean,
): number {
  return Array.from({ length: Math.max(a.length, b.length) }).findIndex((_, at) => !areAlike(a[at], b[at]));
}

/** Headings in the form `# title`, and fenced blocks. */
function partsOf(text: string): Parts {
  const headings: Heading[] = [];
  const blocks: Block[] = [];
  let open: { readonly fence: string; readonly line: number; readonly lines: string[] } | undefined;
  const close = (): void => {
    if (open) blocks.push({ text: open.lines.join("\n"), line: open.line, under: headings.length });
    open = undefined;
  };
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    const fence = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    if (open) {
      open.lines.push(line);
      if (fence?.startsWith(open.fence) && line.trim() === fence) close();
    } else if (fence) open = { fence, line: index + 1, lines: [line] };
    else {
      const heading = /^(#{1,6}) +(.+?)(?: +#+)?$/u.exec(line);
      if (heading) headings.push({ level: heading[1]?.length ?? 1, title: heading[2] ?? "", line: index + 1 });
    }
  }
  close();
  return { headings, blocks };
}
