/** The hash of a content file's text by which the caches know it. */
export function contentHash(text: string): string {
  return sha1(text, "hex");
}

/** A short sum that tells a damaged cache entry. */
export function checksum(text: string): string {
  return sha1(text, "base64").slice(0, 12);
}

/**
 * SHA-1 recognises content; nothing here guards against somebody who forges it.
 * The builtin is looked up at the first use: a warm listing never needs it, and it takes 4 ms to come.
 */
function sha1(text: string, encoding: "hex" | "base64"): string {
  return process.getBuiltinModule("node:crypto").hash("sha1", text, encoding);
}
