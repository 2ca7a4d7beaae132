import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Parsed } from "./derived.ts";
import { readFluent } from "./fluent.ts";

/** The finished texts of a `tools.ftl` by key. */
export type LocaleTexts = Readonly<Record<string, string>>;

/** Reads a `tools.ftl`. What is wrong costs the one key, and has a diagnostic. */
export function parseLocale(text: string, file: string): Parsed<LocaleTexts> {
  const { messages, faults } = readFluent(text);
  const diagnostics: Diagnostic[] = faults.map(({ line, column, message }) =>
    diagnostic("LOCALE_SYNTAX", { file, line, column, message, hint: "A message is written: key = text." }),
  );
  const texts: Record<string, string> = {};
  for (const { key, text: finished, fault, repeated, line, column } of messages) {
    const at = { file, line, column };
    if (repeated) {
      const message = `${key} is there twice; the first one holds`;
      diagnostics.push(diagnostic("LOCALE_DUPLICATE", { ...at, message, hint: "Remove one of the two." }));
    } else if (finished === undefined) {
      const message = `${key} is left out: ${fault}`;
      const hint =
        "A description is a finished text: it may refer to terms and messages of its own file, to nothing else.";
      diagnostics.push(diagnostic("LOCALE_REFERENCE", { ...at, message, hint }));
    } else texts[key] = finished;
  }
  return { value: texts, diagnostics };
}
