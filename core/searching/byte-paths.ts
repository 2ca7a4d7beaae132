/**
 * A path or a name of which each unit is one byte, since names of files need not be UTF-8. What is ASCII is the same
 * text either way.
 */
export type BytePath = string;

const ASCII = /^[\x00-\x7f]*$/;

/** @param text a path as the rest of the host has it */
export function bytePath(text: string): BytePath {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** As results show it; bytes that are not UTF-8 become U+FFFD. */
export function textOfPath(path: BytePath): string {
  return ASCII.test(path) ? path : Buffer.from(path, "latin1").toString("utf8");
}

/** As the file system takes it, byte for byte. */
export function systemPath(path: BytePath): string | Buffer {
  return ASCII.test(path) ? path : Buffer.from(path, "latin1");
}
