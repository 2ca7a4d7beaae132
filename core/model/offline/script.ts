// Plain ranges instead of \p{…}: an expression of property classes takes milliseconds to compile, and these are
// needed in the first moment of a command.

/** Signs of the scripts that are written without spaces (Chinese, Japanese, Korean), for use inside a class. */
export const SIGN_RANGES = "\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff";

/** Everything that is no letter and no digit of any script: white space, controls, punctuation, symbols, emoji. */
export const GAP_RANGES =
  "\\u0000-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u2bff\\u3000-\\u303f\\ufe10-\\ufe6f\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65";

/** Letters of the alphabets that file names are written in, beyond ASCII. */
export const ALPHABET_RANGES = "\\u00c0-\\u024f\\u0370-\\u052f";

/** A sign of a script that is written without spaces. */
export const CJK = new RegExp(`[${SIGN_RANGES}]`);

/** A character that belongs to no word. */
export const GAP = new RegExp(`[${GAP_RANGES}]`);

/** A character of a word. */
export const LETTER = new RegExp(`[^${GAP_RANGES}]`);
