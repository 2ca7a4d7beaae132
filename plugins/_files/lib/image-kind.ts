/** Which bytes images begin with; `at` where that is not the first. */
const KINDS: readonly { readonly name: string; readonly bytes: string; readonly at?: number }[] = [
  { name: "PNG", bytes: "\x89PNG\r\n\x1a\n" },
  { name: "JPEG", bytes: "\xff\xd8\xff" },
  { name: "GIF", bytes: "GIF87a" },
  { name: "GIF", bytes: "GIF89a" },
  { name: "WebP", bytes: "WEBP", at: 8 },
  { name: "BMP", bytes: "BM" },
  { name: "TIFF", bytes: "II*\0" },
  { name: "TIFF", bytes: "MM\0*" },
  { name: "ICO", bytes: "\0\0\x01\0" },
  { name: "AVIF", bytes: "ftypavif", at: 4 },
  { name: "HEIC", bytes: "ftypheic", at: 4 },
  { name: "HEIC", bytes: "ftypmif1", at: 4 },
  { name: "JPEG XL", bytes: "\xff\x0a" },
  { name: "JPEG XL", bytes: "\0\0\0\x0cJXL " },
  { name: "Photoshop", bytes: "8BPS" },
];
const LONGEST = 16;

/**
 * What kind of image bytes are that are no UTF-8; undefined for anything else.
 * @param isBinary a NUL is in them: without one they may be text of another encoding, which can begin with letters
 */
export function imageKind(bytes: Uint8Array, isBinary: boolean): string | undefined {
  const head = Buffer.from(bytes.subarray(0, LONGEST)).toString("latin1");
  const found = KINDS.find(({ bytes: mark, at = 0 }) => head.startsWith(mark, at));
  return found && (isBinary || /[^ -~]/u.test(found.bytes)) ? found.name : undefined;
}
