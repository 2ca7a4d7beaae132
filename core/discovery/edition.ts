import type { Contents } from "./contents.ts";
import { createContents, type KnownFragments } from "./contents.ts";
import { createForkedMap } from "./forked-map.ts";
import type { LocaleKeys } from "./locale-texts.ts";
import type { Profile } from "./profile.ts";
import type { Settings } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Texts } from "./texts.ts";
import { createViewFrame, type Documents, openScope, type Scope, type View, type ViewFrame } from "./view.ts";

/** What one look at the disk found, for every profile and project. It does not change when the disk does. */
export interface Edition {
  /** Of `usr/settings.yaml` over the defaults. */
  readonly settings: Settings;
  /** The texts of files that are in use. */
  readonly texts: Texts;
  /** The same object in editions that differ in the contents of files only. */
  readonly lay: object;
  /** Absolute real paths of the directories outside the layers that followed links lead to, sorted. */
  readonly linkedDirectories: readonly string[];
  /**
   * What a profile sees; the same object each time.
   * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, PROJECT_UNKNOWN (usage)
   */
  view(profile: string, project?: string): View;
  /** The same look with the same texts, with nothing made of it yet. */
  again(): Edition;
  /** The profiles that are not hidden, switched-off ones included, sorted by id. @throws HostError PROJECT_UNKNOWN (usage) */
  profiles(project?: string): readonly Profile[];
}

/** What editions share that differ in the contents of files only. */
export interface EditionFrame {
  readonly scopes: Map<string | undefined, Scope>;
  readonly frames: Map<string, ViewFrame>;
  /** What the fragments of each said that are as they were. */
  readonly fragments: Map<ViewFrame, KnownFragments>;
  /** What documents which tool, where no document changed. */
  readonly documents: Map<ViewFrame, Documents>;
  /** What locales say, where none of their files changed. */
  readonly localeKeys: Map<ViewFrame, LocaleKeys>;
}

/** What the next edition may take from this one where the same files are there. */
function frameAfter(
  { scopes, frames, fragments }: EditionFrame,
  { changed, ...kept }: { readonly changed: readonly string[] } & Pick<EditionFrame, "documents" | "localeKeys">,
): EditionFrame {
  const written = new Set(changed.filter((path) => isDocument(path) || isLocale(path)));
  const staying = [...fragments].map(([frame, known]) => [frame, without(known, written)] as const);
  return { scopes, frames, fragments: new Map(staying), ...kept };
}

/** An edition with what the next one may take from it. */
export interface FramedEdition extends Edition {
  /** For the next edition, where the same files are there and none of those that `changed` switches others. */
  frameAfter(changed: readonly string[]): EditionFrame;
}

function without(known: KnownFragments, files: ReadonlySet<string>): KnownFragments {
  const left = known.fork();
  if (files.size > 0) for (const candidate of left.keys()) if (files.has(candidate.file)) left.delete(candidate);
  return left;
}

function isDocument(path: string): boolean {
  return path.endsWith(".md");
}

function isLocale(path: string): boolean {
  return path.endsWith(".ftl");
}

const NOTHING_YET = (): EditionFrame => ({
  scopes: new Map(),
  frames: new Map(),
  fragments: new Map(),
  documents: new Map(),
  localeKeys: new Map(),
});

/** By itself, so that whoever keeps it does not keep what was made of the edition. */
function remaker(snapshot: Snapshot): () => Edition {
  return () => createEdition(snapshot);
}

/**
 * The edition of a snapshot; views are made when they are asked for.
 * @param frame of the edition before
 */
export function createEdition(snapshot: Snapshot, frame: EditionFrame = NOTHING_YET()): FramedEdition {
  const { scopes, frames, fragments } = frame;
  const views = new Map<string, View>();
  const scopeOf = (project: string | undefined): Scope => {
    const scope = scopes.get(project) ?? openScope(snapshot, project);
    scopes.set(project, scope);
    return scope;
  };
  const contentsOf = (made: ViewFrame): Contents => {
    const known: KnownFragments = fragments.get(made) ?? createForkedMap();
    fragments.set(made, known);
    return createContents(snapshot, made.leaves, known);
  };
  const now = <Part>(before: ReadonlyMap<ViewFrame, Part>, part: (view: View) => Part) =>
    new Map([...before, ...[...views].map(([key, view]) => [frames.get(key) as ViewFrame, part(view)] as const)]);
  return {
    frameAfter: (changed) =>
      frameAfter(frame, {
        changed,
        documents: changed.some(isDocument) ? new Map() : now(frame.documents, (view) => view.documents()),
        localeKeys: changed.some(isLocale) ? new Map() : now(frame.localeKeys, (view) => view.localeKeys()),
      }),
    settings: snapshot.settings,
    texts: snapshot.texts,
    lay: snapshot.tree,
    again: remaker(snapshot),
    linkedDirectories: [...new Set(snapshot.links.values())].sort(),
    view(profile, project) {
      const key = JSON.stringify([profile, project]);
      const known = views.get(key);
      if (known) return known;
      const made = frames.get(key) ?? createViewFrame(snapshot, scopeOf(project), { profile, project });
      frames.set(key, made);
      const view = made.view(contentsOf(made), {
        documents: frame.documents.get(made),
        localeKeys: frame.localeKeys.get(made),
      });
      views.set(key, view);
      return view;
    },
    profiles(project) {
      const found = scopeOf(project).profiles.all();
      return found.map(({ profile }) => profile).filter(({ hidden }) => !hidden);
    },
  };
}
