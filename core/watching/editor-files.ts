/**
 * Whether a name is one that an editor, a desktop or a program that saves by renaming writes beside the file that is
 * meant. Its coming and going says nothing; when it is renamed over the real file, that file has an event of its own.
 *
 * The rules are narrow: a name that is refused here is not seen to change until the next reconcile, and directories
 * have names as well.
 *
 * @param name of a file, without its directory
 */
export function isEditorFile(name: string): boolean {
  return WHOLE_NAMES.has(name) || SHAPES.some((shape) => shape.test(name));
}

/** `4913` is the file by which Vim finds out whether it may write into a directory. */
const WHOLE_NAMES: ReadonlySet<string> = new Set(["4913", ".DS_Store", "Thumbs.db", "desktop.ini"]);

const SHAPES: readonly RegExp[] = [
  // a lock of Emacs, its autosaved text
  /^\.#/u,
  /^#.*#$/u,
  // backups of many editors
  /~$/u,
  // swap files of Vim (.swp, .swo, …) and of Kate
  /^\..*\.s[a-w][a-z]$/u,
  /^\..*\.kate-swp$/u,
  // the new text before it is renamed: a.ts.tmp, a.ts.123.tmp, a.ts.tmp.123.456
  /\.tmp(?:[.-]\d+)*$/iu,
  // the same with nothing but a number: a.ts.1234567
  /\.(?:[cm]?[jt]sx?|json|md|ya?ml|ftl|env)\.\d{4,}$/u,
  /^\.goutputstream-/u,
  /___jb_(?:tmp|old)___$/u,
  // locks of office programs
  /^\.~lock\./u,
  /^~\$/u,
  // what macOS writes on foreign disks, what NFS and FUSE keep of a deleted file that is open
  /^\._/u,
  /^\.nfs[0-9a-f]+$/u,
  /^\.fuse_hidden/u,
];
