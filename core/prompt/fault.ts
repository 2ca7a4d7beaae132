import type { Diagnostic } from "../diagnostics.ts";

/**
 * What ends the rendering of one file: a diagnostic that is thrown through the templates above it. Whoever can
 * do without that file (the fragment list, an include of the main prompt) catches it and goes on.
 */
export class PromptFault extends Error {
  override readonly name = "PromptFault";
  readonly diagnostic: Diagnostic;

  constructor(found: Diagnostic) {
    super(found.message);
    this.diagnostic = found;
  }
}
