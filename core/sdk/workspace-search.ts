/** What {@link WorkspaceSearch.glob} looks for. */
export interface GlobQuery {
  /**
   * Relative to `path`: `*` and `?` within a name, `**` over directories, `[a-z]`, `[!a-z]`, `{a,b}`, `\` before a
   * character that is meant as it is. With a slash at its end it asks for directories, else for files.
   */
  readonly pattern: string;
  /** The directory to look in. Default: the workspace. */
  readonly path?: string | undefined;
  /** Whether wildcards match names that begin with a dot; a dot in the pattern always does. Default false. */
  readonly includeHidden?: boolean | undefined;
  /** Whether what a `.gitignore` leaves out, and `.git` itself, is found as well. Default false. */
  readonly includeIgnored?: boolean | undefined;
  /** So many paths are handed out. Default 1,000. */
  readonly maxResults?: number | undefined;
  /** Milliseconds after which it ends with what it has. Default 30,000. */
  readonly timeLimitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a search for names found. */
export interface GlobFound {
  /** Relative to the workspace, POSIX, sorted; directories without a slash at their end. */
  readonly paths: readonly string[];
  /** How many there are in all, as far as the time sufficed. */
  readonly total: number;
  /** Why this is not all; empty: it is. */
  readonly cut: readonly ("results" | "time")[];
  /** So many directories could not be read. */
  readonly unreadable: number;
}

/** What {@link WorkspaceSearch.search} looks for. */
export interface SearchQuery {
  /**
   * A regular expression: the syntax of ripgrep (Rust) without look-around and backreferences. `^` and `$` are the ends
   * of lines, where `\r\n` ends one as well; `\w`, `\d`, `\s`, `\b` are those of Unicode.
   */
  readonly pattern: string;
  /** A file, or a directory and all below it. Default: the workspace. */
  readonly path?: string | undefined;
  /** A glob that files must match; without a slash it is for their names, else for their paths below `path`. */
  readonly include?: string | undefined;
  /** Default true. */
  readonly caseSensitive?: boolean | undefined;
  /** Whether a match may span lines; then `.` still takes no line break, unless the pattern says `(?s)`. Default false. */
  readonly multiline?: boolean | undefined;
  /** `lines` hands out lines (default), `files` which files match, `counts` how often as well. */
  readonly want?: "lines" | "files" | "counts" | undefined;
  /** So many lines before each that matches. Default 0. */
  readonly before?: number | undefined;
  /** So many lines behind each that matches. Default 0. */
  readonly after?: number | undefined;
  /** So many lines that match, or files, are handed out. Default 1,000. */
  readonly maxResults?: number | undefined;
  /** Whether names that begin with a dot are searched; a dot in `include` always is. Default false. */
  readonly includeHidden?: boolean | undefined;
  /** Whether what a `.gitignore` leaves out, and `.git` itself, is searched. Default false. */
  readonly includeIgnored?: boolean | undefined;
  /** Milliseconds after which it ends with what it has. Default 30,000. */
  readonly timeLimitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A line of a file. */
export interface SearchedLine {
  /** From 1. */
  readonly line: number;
  /** Without its end; bytes that are not UTF-8 as U+FFFD. */
  readonly text: string;
  /** Whether it matches, or only lies beside one that does. */
  readonly match: boolean;
  /** Set where it has more than 1,000 bytes: `text` is the part around the match, with … at its ends. */
  readonly shortened?: true;
}

/** A file in which something was found. */
export interface SearchedFile {
  /** Relative to the workspace, POSIX. */
  readonly path: string;
  /** So many lines match; of a pattern that spans lines, so many matches there are. */
  readonly matches: number;
  /** Where lines were asked for. */
  readonly lines: readonly SearchedLine[];
}

/** What a search for content found. */
export interface SearchFound {
  /** Sorted by path. */
  readonly files: readonly SearchedFile[];
  /** Of all, also of what was not handed out, as far as the time sufficed. */
  readonly totals: { readonly matches: number; readonly files: number };
  /** Why this is not all; empty: it is. `output`: over 1 MB of text. */
  readonly cut: readonly ("results" | "output" | "time")[];
  /** So many files or directories could not be read. */
  readonly unreadable: number;
  /** What found the files; both find the same. */
  readonly engine: "ripgrep" | "built-in";
  /** Why it was not ripgrep. */
  readonly reason?: string;
}

/**
 * Looking for files of a workspace. Links are not followed, those that lead outside are not told of, nor is anything
 * that the call may not read. In a git repository its ignore files (`.gitignore`, `.git/info/exclude`) count from the
 * repository's top. Bytes of names that are not UTF-8 are shown as U+FFFD.
 */
export interface WorkspaceSearch {
  /**
   * The files whose paths match a glob.
   * @throws ToolError INVALID_PARAM (the pattern cannot be read; `path` is a file), ACCESS_DENIED (an absolute pattern,
   * one with `..`, a path outside), NOT_FOUND, PERMISSION_DENIED, CONFLICT, the reason of the signal
   */
  glob(query: GlobQuery): Promise<GlobFound>;
  /**
   * The lines of files that match a regular expression. Left out are files with a NUL in them, and those over 256 MiB;
   * text in UTF-16 is searched where it begins with a byte-order mark. Whatever is handed out was read from files that
   * were opened through no link; the totals of files that are not are those of ripgrep.
   * @throws ToolError INVALID_PARAM (the pattern or the glob cannot be used), ACCESS_DENIED (a path or a glob that leads
   * outside), NOT_FOUND, PERMISSION_DENIED, BINARY_FILE and TOO_LARGE (where `path` is such a file), CONFLICT, the reason of the signal
   */
  search(query: SearchQuery): Promise<SearchFound>;
}
