import type { Diagnostic } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import type { FragmentMeta } from "../discovery/fragment.ts";
import { look } from "../discovery/look.ts";
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
  /** The files' content may have changed, whatever their times say. */
  changed(files: Iterable<string>): void;
}

/** A file whose time of change is nearer to its reading than this (ms) may change again without a new time. */
const SETTLED_MS = 2_000;

interface Entry {
  readonly source: Source;
  readonly content: string;
  readonly stamp: string;
  /** Whether an equal stamp proves equal content. */
  readonly settled: boolean;
  /** The view that the entry was last compared for: a view is a snapshot, so once is enough. */
  view: View;
}

/**
 * Reads each prompt file once and keeps its parsed form.
 *
 * A file is looked at again for another view (which the discovery makes after a refresh), first its stamp, then its
 * content; with `reported` only after {@link Sources.changed} named it.
 */
export function createSources(engine: TemplateEngine, options: { readonly reported: boolean }): Sources {
  const entries = new Map<string, Entry>();
  const stale = new Set<string>();

  return {
    get(view, candidate) {
      const known = entries.get(candidate.file);
      const named = stale.delete(candidate.file);
      if (known && !named && (known.view === view || options.reported)) return known.source;
      const stamp = stampOf(candidate.file);
      if (known && !named && known.settled && stamp !== undefined && stamp.text === known.stamp) {
        known.view = view;
        return known.source;
      }
      const read = readSource(view, candidate);
      const source = known?.content === read.content ? known.source : parseSource(engine, candidate, read);
      const settled = stamp !== undefined && Date.now() - stamp.changedAt > SETTLED_MS;
      entries.set(candidate.file, { source, content: read.content, stamp: stamp?.text ?? "", settled, view });
      return source;
    },
    changed(files) {
      for (const file of files) if (entries.has(file)) stale.add(file);
    },
  };
}

/** `ctime` is in it because an editor can set `mtime` back, and nobody can set `ctime`. */
function stampOf(file: string): { readonly text: string; readonly changedAt: number } | undefined {
  const stat = look(file);
  if (!stat) return undefined;
  return { text: `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`, changedAt: stat.ctimeMs };
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
