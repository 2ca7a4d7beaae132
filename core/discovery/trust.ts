import { createHash } from "node:crypto";
import { readdirSync, realpathSync } from "node:fs";
import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import type { Candidate, Off } from "./catalog.ts";
import { contentOf } from "./content-files.ts";
import { createFileReader, type FilePlace, type FileReader } from "./derived.ts";
import { childOf, nodeAt, type Tree } from "./dir-node.ts";
import { look } from "./look.ts";
import { contains } from "./paths.ts";
import { GUARDED_SETTINGS, guardedOf, type HeldSettings, readSettings, SETTINGS_FILE } from "./settings.ts";
import { createTexts } from "./texts.ts";

/** Who is asked whether a root is trusted. */
export interface TrustQuestion {
  /** The digest of the guarded settings that somebody accepted; undefined: nobody has accepted this root. */
  accepted(): string | undefined;
}

/** What a look at the disk may use of the root. */
export interface TrustVerdict {
  /** Set where nothing of it may be used: how all that lies there stands. */
  readonly untrusted?: Off;
  /** What was accepted, and goes in place of the guarded settings on the disk; absent: those on the disk hold. */
  readonly held?: GuardedSettings;
  /** Set where the guarded settings on the disk are others than those. */
  readonly outdated?: true;
}

/** The guarded settings of each file that has some, by its display path. */
export type GuardedSettings = ReadonlyMap<string, HeldSettings>;

/** Where trust looks. Absolute real paths. */
export interface TrustPlaces {
  readonly root: string;
  readonly home: string;
}

/** Judges each look at one root. A root that is refused once stays refused; one that was trusted stays so. */
export interface Trust {
  weigh(places: TrustPlaces, read: GuardedReading): TrustVerdict;
}

/** What the guarded settings are read with. */
export interface GuardedReading {
  readonly reader: FileReader;
  /** The tree of an earlier look, which keeps what was read. */
  readonly known: Tree | undefined;
}

/** @param question absent: everything is trusted, and nothing is read for it */
export function createTrust(question: TrustQuestion | undefined): Trust {
  let refused: Off | undefined;
  let accepted: { readonly digest: string; readonly values: GuardedSettings } | undefined;
  return {
    weigh(places, read) {
      if (!question) return {};
      if (!refused && !accepted && question.accepted() === undefined) {
        refused = offFor(places.root, "this root was never trusted");
      }
      if (refused) return { untrusted: refused };
      const values = guardedSettings(places, read);
      const digest = digestOf(values);
      if (accepted?.digest !== digest && question.accepted() === digest) accepted = { digest, values };
      // Always these: what is read of the files once more may be something else already.
      if (accepted) return { held: accepted.values, ...(accepted.digest === digest ? {} : { outdated: true }) };
      refused = offFor(
        places.root,
        `${GUARDED_SETTINGS.join(" or ")} of its settings changed since this root was trusted`,
      );
      return { untrusted: refused };
    },
  };
}

/** The guarded settings as they lie on the disk, with the digest that is stored when a person accepts them. */
export function readGuarded(places: TrustPlaces): { readonly settings: GuardedSettings; readonly digest: string } {
  const reader = createFileReader({ startedAt: Date.now(), texts: createTexts(), keepsTexts: false });
  const settings = guardedSettings(places, { reader, known: undefined });
  return { settings, digest: digestOf(settings) };
}

/** The command that accepts a root, as a person types it. */
function trustCommand(root: string): string {
  return `toolroom trust ${/^[\w@%+=:,./-]+$/u.test(root) ? root : `'${root.replaceAll("'", `'\\''`)}'`}`;
}

function offFor(root: string, reason: string): Off {
  const hint = `Whoever has looked at what lies there accepts it with \`${trustCommand(root)}\`; --trust does for one command.`;
  return { state: "refused", code: "UNTRUSTED", reason: `${reason}, so nothing of it is run or read`, hint };
}

/** What is told of a root that is not trusted: once, and nothing where it holds nothing. */
export function trustProblems(
  { untrusted, outdated }: TrustVerdict,
  { root, tree }: { readonly root: string; readonly tree: Tree },
): readonly Diagnostic[] {
  if (outdated) {
    const message = `${GUARDED_SETTINGS.join(" or ")} of the settings changed since this root was trusted; the values of before go on`;
    const hint = `Look at them; \`${trustCommand(root)}\` accepts them, and then a reload takes them.`;
    return [diagnostic("TRUST_OUTDATED", { message, hint })];
  }
  if (!untrusted) return [];
  const own = { root: tree.root, home: tree.root };
  const [first] = contentOf(own, { root, home: root, homePath: "." }, 0);
  return first ? [problemOf(untrusted, { file: first.path })] : [];
}

/** What is told of one file of a root that is not trusted. */
export function untrustedFile({ off, path }: Candidate): Diagnostic | undefined {
  return isUntrusted(off) ? problemOf(off, { file: path }) : undefined;
}

/** Whether something is off because its root is not trusted. */
export function isUntrusted(off: Off | undefined): off is Off {
  return off?.code === "UNTRUSTED";
}

function problemOf({ reason, hint }: Off, { file }: { readonly file: string }): Diagnostic {
  return diagnostic("UNTRUSTED", { file, message: reason, ...(hint === undefined ? {} : { hint }) });
}

function guardedSettings({ root, home }: TrustPlaces, { reader, known }: GuardedReading): GuardedSettings {
  const usr = `${root}/usr`;
  const found = new Map<string, HeldSettings>();
  // Of a `usr/` that is a link to somewhere outside nothing is used, and so nothing is accepted.
  if (!look(usr)?.isDirectory()) return found;
  const real = realpathSync(usr);
  if (!contains(root, real) && !contains(home, real)) return found;
  const node = nodeAt(known?.root, ["usr"]);
  const projects = childOf(node, "projects");
  const places: FilePlace[] = [{ node, name: SETTINGS_FILE, file: `${usr}/${SETTINGS_FILE}`, shown: "usr" }];
  for (const project of directoriesIn(`${usr}/projects`)) {
    const shown = `usr/projects/${project}`;
    places.push({
      node: childOf(projects, project),
      name: SETTINGS_FILE,
      file: `${root}/${shown}/${SETTINGS_FILE}`,
      shown,
    });
  }
  for (const place of places) {
    if (!look(place.file)?.isFile()) continue;
    const { values, faults } = readSettings(place, reader).value;
    const guarded = guardedOf(values);
    if (Object.keys(guarded).length > 0) found.set(`${place.shown}/${SETTINGS_FILE}`, { values: guarded, faults });
  }
  return found;
}

function directoriesIn(directory: string): readonly string[] {
  if (!look(directory)?.isDirectory()) return [];
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch {
    // The scan tells it, and nothing of it is in use.
    return [];
  }
}

function digestOf(settings: GuardedSettings): string {
  const files = [...settings].sort(([a], [b]) => compareText(a, b)).map(([file, { values }]) => [file, values]);
  return createHash("sha256")
    .update(canonical(files as Json))
    .digest("hex");
}

/** The same text for the same values, in whatever order a file has its keys. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, item) =>
    item !== null && typeof item === "object" && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => compareText(a, b)))
      : item,
  );
}
