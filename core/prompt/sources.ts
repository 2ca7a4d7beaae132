import type { Diagnostic } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import type { FragmentMeta } from "../discovery/fragment.ts";
import type { SourceText } from "../discovery/texts.ts";
import type { Template, TemplateEngine } from "./template.ts";

/** A prompt file as it was read last. The same object as long as its content is the same. */
export interface Source {
  /** The parsed body, or why there is none. */
  readonly template: Template | Diagnostic;
  /** Front matter; `{}` for what is not a fragment. */
  readonly meta: FragmentMeta;
  /** What else reading and front matter found. A body is used whatever is wrong with its front matter. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The prompt files that a host has read. */
export interface Sources {
  get(view: View, candidate: Candidate): Source;
}

interface Entry {
  readonly source: Source;
  readonly content: string;
  /** The text that it was made of. */
  text: SourceText | undefined;
  /** The view that the entry was last compared for: a view is a snapshot, so once is enough. */
  view: View;
}

/** Reads each prompt file once and keeps its parsed form; for another view it is compared by its text. */
export function createSources(engine: TemplateEngine): Sources {
  const entries = new Map<string, Entry>();

  return {
    get(view, candidate) {
      const known = entries.get(candidate.file);
      if (known?.view === view) return known.source;
      const text = view.text(candidate);
      if (known && text !== undefined && known.text === text) {
        known.view = view;
        return known.source;
      }
      const read = readSource(view, candidate);
      const source = known?.content === read.content ? known.source : parseSource(engine, candidate, read);
      entries.set(candidate.file, { source, content: read.content, text: view.text(candidate), view });
      return source;
    },
  };
}

interface Read {
  readonly text: string;
  readonly line: number;
  readonly meta: FragmentMeta;
  /** The first error of the body. */
  readonly fault: Diagnostic | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Everything above in one string, for comparing. */
  readonly content: string;
}

function readSource(view: View, candidate: Candidate): Read {
  const body = view.body(candidate);
  const front = candidate.kind === "fragment" ? view.fragment(candidate) : { meta: {}, diagnostics: [] };
  // A prompt reads the same whatever system its file was written on; blank lines at its ends are not text.
  const text = body.text.replaceAll("\r\n", "\n");
  const leading = /^(?:[ \t]*\n)*/.exec(text)?.[0] ?? "";
  const fault = body.diagnostics.find((item) => item.severity === "error");
  const read = {
    text: text.slice(leading.length).trimEnd(),
    line: body.line + leading.split("\n").length - 1,
    meta: front.meta,
    fault,
    diagnostics: [...body.diagnostics, ...front.diagnostics].filter((item) => item !== fault),
  };
  return { ...read, content: JSON.stringify(read) };
}

function parseSource(engine: TemplateEngine, candidate: Candidate, read: Read): Source {
  const { text, line, meta, fault, diagnostics } = read;
  const parsed = fault ? { diagnostic: fault } : engine.parse({ text, line, file: candidate.path });
  return { meta, diagnostics, template: "template" in parsed ? parsed.template : parsed.diagnostic };
}
