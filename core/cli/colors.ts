import { createRequire } from "node:module";
import type picocolors from "picocolors";

/** How texts are marked on a stream. */
export type Colors = Pick<
  ReturnType<typeof picocolors.createColors>,
  "isColorSupported" | "bold" | "italic" | "underline" | "cyan" | "dim" | "red" | "yellow"
>;

const PLAIN: Colors = {
  isColorSupported: false,
  bold: String,
  italic: String,
  underline: String,
  cyan: String,
  dim: String,
  red: String,
  yellow: String,
};

/** Colours for a terminal that can show them and a person who wants them (no `NO_COLOR`); plain text for everything else. */
export function colorsFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Colors {
  if (stream.isTTY !== true || env.NO_COLOR || env.TERM === "dumb") return PLAIN;
  // Loaded here, because most commands write into pipes.
  const library: typeof picocolors = createRequire(import.meta.url)("picocolors");
  return library.createColors(true);
}
