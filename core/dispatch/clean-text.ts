import type { Masker } from "../governance/mask.ts";

/** The two forms in which texts leave a call. */
export interface CleanText {
  /** What the model and people read: well-formed, without control characters and terminal codes, masked. */
  shown(text: string): string;
  /** What programs read: well-formed and masked, else as it was. */
  kept(text: string): string;
}

/** Cursor and colour codes of terminals: what is left of them without their escape character is noise. */
const TERMINAL_CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** All of C0 but tab and newline, DEL and C1. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const CONTROLS = new RegExp(CONTROL, "g");

/** Lone surrogates are no text; they become U+FFFD. */
export function createCleanText({ mask }: Masker): CleanText {
  const kept = (text: string): string => mask((text as string & { toWellFormed(): string }).toWellFormed());
  const shown = (text: string): string => {
    return kept(CONTROL.test(text) ? text.replace(TERMINAL_CODES, "").replace(CONTROLS, "") : text);
  };
  return { kept, shown };
}
