import { type Diagnostic, diagnostic, type Severity } from "../diagnostics.ts";
import { readFrontMatter } from "../discovery/front-matter.ts";
import { nearest } from "../sdk/nearest.ts";
import type { FragmentText } from "./fragment-text.ts";
import { codeSpans } from "./markdown.ts";
import { namesOf } from "./schema-names.ts";
import type { CheckedFragment, CheckFiles } from "./subject.ts";

/**
 * What a fragment says of the result agrees with the tool's `output`: a code span that looks like a key, in the front
 * matter's `returns` or in the part of the text on what comes back, is a key of `output` or of the parameters, one of
 * their values, or a tool. Words without a code span are not looked at, and a tool without `output` cannot be contradicted.
 */
export function checkReturns(
  fragment: CheckedFragment,
  { lines }: FragmentText,
  { severity, files }: { readonly severity: Severity; readonly files: Pick<CheckFiles, "read"> },
): readonly Diagnostic[] {
  const { file, tools, meta } = fragment;
  const outputs = tools.flatMap(({ contract }) => (contract?.output ? [namesOf(contract.output)] : []));
  if (tools.length === 0 || outputs.length < tools.length || outputs.some(({ own, open }) => open || own.size === 0))
    return [];
  const inputs = tools.flatMap(({ contract }) => (contract?.parameters ? [namesOf(contract.parameters)] : []));
  const known = new Set([
    ...[...outputs, ...inputs].flatMap(({ all, values }) => [...all, ...values]),
    ...tools.flatMap(({ id }) => [id, ...(meta.aliases?.[id] ?? [])]),
    ...["true", "false", "null"],
  ]);
  const strangers = (text: string) => codeSpans(text).filter((span) => KEY.test(span) && !known.has(span));
  const keys = outputs.flatMap(({ own }) => [...own.keys()]);
  const told = (name: string, place: { readonly line?: number; readonly column?: number }): Diagnostic => {
    const meant = nearest(name, keys);
    return diagnostic("FRAGMENT_RETURNS_UNKNOWN", {
      ...{ severity, file },
      ...place,
      message: `says that ${name} comes back, which is not in the output of ${tools.map(({ id }) => id).join(", ")}: ${keys.join(", ")}`,
      hint: meant ? `Did you mean ${meant}?` : `The output is in ${tools.map((tool) => tool.file).join(", ")}.`,
    });
  };
  const inMatter = strangers(meta.returns ?? "").map((name) => {
    const document = readFrontMatter(files.read(file) ?? "", file).document;
    return told(name, document?.position(["returns"]) ?? {});
  });
  const inText = lines
    .filter(({ kind, returns }) => returns && kind !== "code")
    .flatMap(({ text, line }) => strangers(text).map((name) => told(name, { line })));
  return [...inMatter, ...inText];
}

/** A key as programs write them: `bytes`, `next_page`, `pathResolved`. */
const KEY = /^[a-z_][A-Za-z0-9_]*$/u;
