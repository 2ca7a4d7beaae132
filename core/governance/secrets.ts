import { readFileSync, statSync } from "node:fs";
import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { JsonObject } from "../sdk/result.ts";
import { createMasker, type Masker, type SecretValue } from "./mask.ts";
import { type KnownSecrets, revealSecrets } from "./secret-placeholders.ts";
import { parseSecretsFile, type SecretEntry } from "./secrets-file.ts";

/** What people and the model may know of a secret. */
export interface SecretName {
  readonly name: string;
  /** The comment above it in its file. */
  readonly comment?: string;
}

/** The secrets of one host. */
export interface Secrets {
  /**
   * Hides every value that the host has read since it started, so that one that was replaced does not come back out
   * of an old file or an old call. Of a stream the values are those of its beginning.
   */
  readonly masker: Masker;
  /** What arguments may ask for, sorted by name. */
  names(): readonly SecretName[];
  /** Puts values in for their placeholders. @throws ToolError SECRET_UNKNOWN */
  reveal(args: JsonObject): JsonObject;
  /** What was wrong when the files were last read. */
  diagnostics(): readonly Diagnostic[];
  /** Reads the files again. One that cannot be read keeps what it held before. */
  reload(): void;
}

/** A file that may hold secrets; it need not exist. */
export interface SecretsPlace {
  /** Absolute. */
  readonly file: string;
  /** Display path. */
  readonly path: string;
}

/** What {@link openSecrets} takes. */
export interface SecretsOptions {
  /** A name in a later file goes over the same name in an earlier one. */
  readonly places: readonly SecretsPlace[];
  /** Values that are hidden but never put into arguments. */
  readonly withheld: readonly SecretValue[];
}

/** A larger file holds no secrets. */
const MAX_BYTES = 1024 * 1024;

type FileContent = ReturnType<typeof parseSecretsFile>;

const NOTHING: FileContent = { entries: [], diagnostics: [] };

/** Reads the files once. */
export function openSecrets({ places, withheld }: SecretsOptions): Secrets {
  const contents = new Map<SecretsPlace, FileContent>();
  const hidden = new Map<string, SecretValue>();
  let names: readonly SecretName[] = [];
  let known: KnownSecrets = { values: new Map(), withheld: new Set() };
  let masker = createMasker([]);
  let masked = "";

  const reload = (): void => {
    for (const place of places) contents.set(place, readContent(place, contents.get(place)));
    const all = places.flatMap((place) => contents.get(place)?.entries ?? []);
    const winners = [...new Map(all.map((entry) => [entry.name, entry])).values()]
      .filter(isTaken)
      .sort((a, b) => compareText(a.name, b.name));
    const values = new Map(winners.map(({ name, value }) => [name, value]));
    known = { values, withheld: new Set(withheld.map(({ name }) => name.toUpperCase())) };
    // The names of today go before those under which the same values were known.
    const current = [...winners, ...all.filter(isTaken), ...withheld].map(({ name, value }) => ({ name, value }));
    for (const secret of current) hidden.set(JSON.stringify(secret), secret);
    const list = [...current, ...hidden.values()];
    const key = JSON.stringify(list);
    if (key !== masked) masker = createMasker(list);
    masked = key;
    // A comment may quote a value.
    names = winners.map(({ name, comment }) =>
      comment === undefined ? { name } : { name, comment: masker.mask(comment) },
    );
  };
  reload();

  return {
    masker: {
      mask: (text) => masker.mask(text),
      maskJson: (value) => masker.maskJson(value),
      stream: () => masker.stream(),
    },
    names: () => names,
    reveal: (args) => revealSecrets(args, known),
    diagnostics: () => places.flatMap((place) => contents.get(place)?.diagnostics ?? []),
    reload,
  };
}

function isTaken(entry: SecretEntry): entry is SecretEntry & { readonly value: string } {
  return entry.value !== undefined;
}

function readContent({ file, path }: SecretsPlace, before: FileContent = NOTHING): FileContent {
  const unreadable = (why: string): FileContent => {
    const message = `the secrets could not be read: ${why}`;
    const hint = before.entries.length > 0 ? "Those that were read before still hold." : "Mend the file or remove it.";
    return { entries: before.entries, diagnostics: [diagnostic("SECRETS_UNREADABLE", { file: path, message, hint })] };
  };
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) return NOTHING;
    if (!found.isFile()) return unreadable("it is not a file");
    if (found.size > MAX_BYTES) return unreadable(`it has ${found.size} bytes, at most ${MAX_BYTES} are allowed`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
    return parseSecretsFile(text, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return unreadable(code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8" : (code ?? String(error)));
  }
}
