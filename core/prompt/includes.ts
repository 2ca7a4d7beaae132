import { type Diagnostic, type DiagnosticCode, diagnostic } from "../diagnostics.ts";
import type { Candidate, LayerRef } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import type { JsonObject } from "../sdk/result.ts";
import { PromptFault } from "./fault.ts";
import type { IncludeTarget } from "./helpers.ts";
import type { Source, Sources } from "./sources.ts";
import type { FilePosition, Segment, Template } from "./template.ts";

/** Where a piece of a prompt comes from. A {@link Candidate} is one. */
interface Origin {
  readonly id: string;
  /** Display path. */
  readonly path: string;
  readonly layer?: LayerRef;
}

/** Text with its origin. The pieces of a prompt, joined, are the prompt. */
export interface Piece {
  readonly origin: Origin;
  readonly text: string;
  /** Of a fragment: how long it may be, and what stands for it where it is longer. */
  readonly fragment?: FragmentLimits;
  /** The text is that of {@link FragmentLimits.short}. */
  readonly shortened?: true;
}

/** What the front matter of a fragment says of its length. */
export interface FragmentLimits {
  /** Most tokens; undefined: what the settings say. */
  readonly budget: number | undefined;
  /** The few words that stand for the fragment; undefined where it has none. */
  readonly short: string | undefined;
}

/** A variable that is made of other parts. */
interface Slot {
  /** Joined by {@link BETWEEN} where the variable is shown. */
  readonly pieces: readonly Piece[];
  /** Shown when there are no pieces. */
  readonly empty: string;
}

/** What is rendered with. */
export interface Scope {
  readonly view: View;
  readonly sources: Sources;
  readonly variables: JsonObject;
  /** The variables that are made of other parts, by their names. Such a variable is in `variables` as well, as one text. */
  readonly slots: Readonly<Record<string, Slot>>;
  /**
   * Takes what goes wrong in an included file, which then counts as empty. Without it an include that fails, fails the
   * file that asked for it.
   */
  readonly tolerate?: (found: Diagnostic) => void;
  /** Takes what is worth knowing but costs nothing. */
  readonly note: (found: Diagnostic) => void;
}

/** Deeper than this is taken for a circle that grows. */
const MAX_DEPTH = 32;

/** Files of one rendering: an empty file that includes another twice, thirty levels deep, is two thousand million. */
const MAX_FILES = 5_000;

/** Characters of one rendered file: includes that double at each level end here and not in the memory. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Between the parts of a slot: a blank line. */
export const BETWEEN = "\n\n";

/**
 * Renders one prompt file with everything that it includes.
 *
 * @throws PromptFault with the first thing that makes the file unusable
 */
export function renderPieces(candidate: Candidate, scope: Scope): readonly Piece[] {
  return renderFile(candidate, { scope, above: [], budget: { files: MAX_FILES } });
}

/** The text of {@link renderPieces}. */
export function renderText(candidate: Candidate, scope: Scope): string {
  return textOf(renderPieces(candidate, scope));
}

/** The pieces in one string. */
export function textOf(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join("");
}

interface Frame {
  readonly scope: Scope;
  /** The files that are being rendered around this one, outermost first. */
  readonly above: readonly Candidate[];
  readonly budget: { files: number };
}

function renderFile(candidate: Candidate, frame: Frame): readonly Piece[] {
  const { scope, budget } = frame;
  if (budget.files-- <= 0) throw tooMuch(candidate, `more than ${MAX_FILES} files`);
  const template = usableTemplate(scope.sources.get(scope.view, candidate), scope);
  const inside: Frame = { ...frame, above: [...frame.above, candidate] };
  const pieces: Piece[] = [];
  let length = 0;
  for (const segment of template.segments) {
    for (const piece of renderSegment(segment, candidate, inside)) {
      length += piece.text.length;
      if (length > MAX_LENGTH) throw tooMuch(candidate, `more than ${MAX_LENGTH} characters`);
      pieces.push(piece);
    }
  }
  return trimmed(pieces);
}

/** Without blank lines around the whole: a block at an end of a file leaves its line break behind. */
function trimmed(pieces: readonly Piece[]): readonly Piece[] {
  const filled = pieces.map((piece) => piece.text.trim() !== "");
  const first = filled.indexOf(true);
  const last = filled.lastIndexOf(true);
  if (first < 0) return [];
  return pieces.slice(first, last + 1).map((piece, index) => {
    const text = index === 0 ? piece.text.replace(/^(?:[ \t]*\n)+/, "") : piece.text;
    return { ...piece, text: index === last - first ? text.trimEnd() : text };
  });
}

function usableTemplate({ template, diagnostics }: Source, scope: Scope): Template {
  for (const item of diagnostics) scope.note(item);
  if ("segments" in template) return template;
  throw new PromptFault(template);
}

function renderSegment(segment: Segment, candidate: Candidate, frame: Frame): readonly Piece[] {
  const own = (text: string): Piece => ({ origin: candidate, text });
  if (segment.kind === "text") return [own(segment.text)];
  if (segment.kind === "include") return include(segment.target, segment.at, frame);
  const slot = segment.kind === "slot" ? frame.scope.slots[segment.name] : undefined;
  if (slot?.pieces.length === 0) return [own(slot.empty)];
  if (slot) return slot.pieces.flatMap((piece, index) => (index === 0 ? [piece] : [own(BETWEEN), piece]));
  return [own(segment.render(frame.scope.variables, (target, at) => textOf(include(target, at, frame))))];
}

function include(target: IncludeTarget, at: FilePosition, frame: Frame): readonly Piece[] {
  const { scope, above } = frame;
  try {
    const found = target === "original" ? original(at, frame) : named(target.name, at, frame);
    if (!found) return [];
    if (above.some((candidate) => candidate.file === found.file) || above.length >= MAX_DEPTH) {
      const circle = [...above, found].map((candidate) => candidate.path).join(" → ");
      throw fault("INCLUDE_CYCLE", { at, frame, message: `includes form a circle: ${circle}` });
    }
    return renderFile(found, frame);
  } catch (thrown) {
    if (!(thrown instanceof PromptFault) || !scope.tolerate) throw thrown;
    scope.tolerate(thrown.diagnostic);
    return [];
  }
}

function original(at: FilePosition, frame: Frame): Candidate | undefined {
  const self = innermost(frame);
  const found = frame.scope.view.lower(self);
  if (!found) {
    const message = "{{include original}} has nothing to include: no lower layer holds this file";
    frame.scope.note(diagnostic("INCLUDE_MISSING", { severity: "warning", file: self.path, ...at, message }));
  }
  return found;
}

function named(name: string, at: FilePosition, frame: Frame): Candidate {
  if (!isPlainName(name)) {
    throw fault("INCLUDE_OUTSIDE", {
      at,
      frame,
      message: `an include names a file of the prompts directories, and nothing else: found ${JSON.stringify(name)}`,
    });
  }
  const fragment = /^agent\.system\.tool\.(.+)\.md$/.exec(name)?.[1];
  const { catalog } = frame.scope.view;
  const found =
    catalog.get("prompt", name)?.winner ?? (fragment ? catalog.get("fragment", fragment)?.winner : undefined);
  if (found) return found;
  throw fault("INCLUDE_MISSING", { at, frame, message: `no prompts directory holds ${JSON.stringify(name)}` });
}

/** No separator of any system, no drive, no dot in front: nothing that could lead out of a prompts directory. */
function isPlainName(name: string): boolean {
  return name !== "" && !/[/\\:\0]/.test(name) && !name.startsWith(".");
}

function fault(
  code: DiagnosticCode,
  { at, frame, message }: { readonly at: FilePosition; readonly frame: Frame; readonly message: string },
): PromptFault {
  return new PromptFault(diagnostic(code, { file: innermost(frame).path, ...at, message }));
}

/** The file whose text is being rendered: an include only ever stands in one. */
function innermost(frame: Frame): Candidate {
  return frame.above.at(-1) as Candidate;
}

function tooMuch(candidate: Candidate, what: string): PromptFault {
  const message = `rendering this file makes ${what}: do its includes multiply?`;
  return new PromptFault(diagnostic("TEMPLATE_FAILED", { file: candidate.path, message }));
}
