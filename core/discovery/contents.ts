import type { Diagnostic } from "../diagnostics.ts";
import type { Leaves } from "./candidates.ts";
import type { Candidate } from "./catalog.ts";
import { type FilePlace, type FileReader, readText } from "./derived.ts";
import { createForkedMap, type ForkedMap } from "./forked-map.ts";
import { type FragmentMeta, parseFragment } from "./fragment.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { type LocaleTexts, parseLocale } from "./locale-file.ts";
import { parseSkill, type SkillMeta } from "./skill.ts";
import type { SourceText, Texts } from "./texts.ts";

/** What the files of candidates say. Each front matter is looked at once. */
export interface Contents {
  /** The text in use of a candidate's file, as an object that is the same as long as the text is. */
  text(candidate: Candidate): SourceText | undefined;
  fragment(candidate: Candidate): { readonly meta: FragmentMeta; readonly diagnostics: readonly Diagnostic[] };
  body(candidate: Candidate): Body;
  /** A `tools.ftl`. */
  localeTexts(candidate: Candidate): { readonly texts: LocaleTexts; readonly diagnostics: readonly Diagnostic[] };
  /** Calls and models get something that is made of the file. */
  serve(candidate: Candidate): void;
  skill(candidate: Candidate): SkillMeta & { readonly diagnostics: readonly Diagnostic[] };
}

/** The text of a prompt file below its front matter. */
interface Body {
  /** With `\n` at the ends of its lines; empty where the file could not be read. */
  readonly text: string;
  /** Line of the file that the text begins at, 1-based. */
  readonly line: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** What {@link createContents} reads with. */
export interface ContentSources {
  readonly reader: FileReader;
  readonly texts: Texts;
}

/** What fragments said. */
export type KnownFragments = ForkedMap<Candidate, ReturnType<Contents["fragment"]>>;

/**
 * Reads candidates; of those that lie in no leaf nothing is kept.
 * @param fragments what is known already; what is read is added
 */
export function createContents(
  { reader, texts }: ContentSources,
  leaves: Leaves,
  fragments: KnownFragments = createForkedMap(),
): Contents {
  const placeOf = (candidate: Candidate): FilePlace => {
    const { file } = candidate;
    const leaf = leaves.get(candidate);
    return { node: leaf?.node, name: file.slice(file.lastIndexOf("/") + 1), file, shown: leaf?.shown ?? "." };
  };

  return {
    text: (candidate) => texts.get(candidate.file),
    fragment(candidate) {
      const known = fragments.get(candidate);
      if (known) return known;
      const { value, diagnostics } = reader.derive<FragmentMeta>(placeOf(candidate), parseFragment, {});
      const fresh = { meta: value, diagnostics };
      fragments.set(candidate, fresh);
      return fresh;
    },
    body(candidate) {
      texts.serve(candidate.file);
      const used = texts.get(candidate.file)?.text;
      const text = used ?? readText(candidate, { read: (file, found) => texts.readAs(file, found).text });
      if (typeof text !== "string") return { text: "", line: 1, diagnostics: [text] };
      const { body, line, problem } = splitFrontMatter(text, candidate.path);
      return { text: body, line, diagnostics: problem ? [problem] : [] };
    },
    serve: (candidate) => texts.serve(candidate.file),
    localeTexts(candidate) {
      const { value, diagnostics } = reader.derive<LocaleTexts>(placeOf(candidate), parseLocale, {});
      return { texts: value, diagnostics };
    },
    skill(candidate) {
      const otherwise = { name: candidate.id, description: "" };
      const { value, diagnostics } = reader.derive<SkillMeta>(placeOf(candidate), parseSkill, otherwise);
      return { ...value, diagnostics };
    },
  };
}
