import type { Diagnostic } from "../diagnostics.ts";
import type { Leaves } from "./candidates.ts";
import type { Candidate } from "./catalog.ts";
import { type FileReader, type Parsed, readText } from "./derived.ts";
import { type FragmentMeta, parseFragment } from "./fragment.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { parseSkill, type SkillMeta } from "./skill.ts";

/** What the files of candidates say. Each front matter is looked at once. */
export interface Contents {
  fragment(candidate: Candidate): { readonly meta: FragmentMeta; readonly diagnostics: readonly Diagnostic[] };
  body(candidate: Candidate): Body;
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

/** Reads candidates; of those that lie in no leaf nothing is kept. */
export function createContents(reader: FileReader, leaves: Leaves): Contents {
  const derive = <Value>(candidate: Candidate, parse: (text: string) => Parsed<Value>, otherwise: Value) => {
    const { file, path } = candidate;
    const place = { node: leaves.get(candidate), name: file.slice(file.lastIndexOf("/") + 1), file, path };
    return reader.derive(place, parse, otherwise);
  };
  const fragments = new Map<Candidate, { meta: FragmentMeta; diagnostics: readonly Diagnostic[] }>();
  const readFragment = (candidate: Candidate) => {
    const { id: name, path: file } = candidate;
    const { value, diagnostics } = derive<FragmentMeta>(candidate, (text) => parseFragment(text, { file, name }), {});
    return { meta: value, diagnostics };
  };

  return {
    fragment(candidate) {
      const known = fragments.get(candidate) ?? readFragment(candidate);
      fragments.set(candidate, known);
      return known;
    },
    body(candidate) {
      const text = readText(candidate);
      if (typeof text !== "string") return { text: "", line: 1, diagnostics: [text] };
      const { body, line, problem } = splitFrontMatter(text, candidate.path);
      return { text: body, line, diagnostics: problem ? [problem] : [] };
    },
    skill(candidate) {
      const { id: name, path: file } = candidate;
      const { value, diagnostics } = derive<SkillMeta>(candidate, (text) => parseSkill(text, { file, name }), {
        name,
        description: "",
      });
      return { ...value, diagnostics };
    },
  };
}
