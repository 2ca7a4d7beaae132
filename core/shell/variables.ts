/** What a variable in front of a command can do. */
export type VariableKind = "harmless" | "redirects" | "unknown";

/**
 * What becomes of a command when somebody sets this variable for it.
 *
 * - `redirects`: it says what is run, loaded or read instead: the command is refused. Such names are known by the manuals of
 *   bash, ld.so, glibc, git, Node, Python, Perl, Ruby, Java and by the endings that programs give to the names of commands, paths
 *   and options. No such list is complete, so a name that is on none is not taken for harmless:
 * - `harmless`: its documented meaning is how something is shown (language, zone, colours, width), or it is one of the
 *   names that examples use and no program reads. A value that could name a file is none of these.
 * - `unknown`: everything else. The command is of high risk.
 */
export function variableKind(name: string, value: string): VariableKind {
  if (EXAMPLES.has(name)) return "harmless";
  if (name === "TZ" && /^[A-Za-z]+(?:\/[A-Za-z][\w+-]*){0,2}$/u.test(value)) return "harmless";
  if (SHOWN.has(name) || /^LC_[A-Z]+$/u.test(name)) return isPlain(value) ? "harmless" : "redirects";
  if (NAMES.has(name) || BEGINNINGS.test(name) || ENDINGS.test(name)) return "redirects";
  return "unknown";
}

/** Whether a variable that only the script itself can see may be set: what no shell and no program gives a meaning. */
export function isOwnVariable(name: string): boolean {
  return /^[a-z][a-z0-9]{0,30}$/u.test(name) && variableKind(name.toUpperCase(), "") !== "redirects";
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const EXAMPLES = words("FOO BAR BAZ QUX");
const SHOWN = words(
  "LANG LANGUAGE TZ TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI NODE_ENV",
);
const NAMES = words(
  "PATH ENV IFS HOME PWD OLDPWD CDPATH SHELL SHELLOPTS PS0 PS1 PS2 PS4 GLOBIGNORE FIGNORE INPUTRC MAIL MAILPATH EXECIGNORE FCEDIT HISTFILE COMP_WORDBREAKS EDITOR VISUAL PAGER BROWSER LESS LESSOPEN LESSCLOSE MORE TMP TEMP TMPDIR TERMINFO TERMCAP LOCPATH NLSPATH GCONV_PATH HOSTALIASES RESOLV_HOST_CONF GETCONF_DIR MAKEFLAGS MAKEFILES MAKE CC CXX LD AR AS CPP TAR_OPTIONS ZIPOPT UNZIP GZIP XZ_OPT GREP_OPTIONS LS_COLORS SSLKEYLOGFILE DISPLAY TZDIR USER LOGNAME GIT PYTHON NODE PERL RUBY",
);
const BEGINNINGS =
  /^(?:BASH|LD_|DYLD_|_RLD|GLIBC_|MALLOC_|GIT_|NODE_|NPM_|npm_|YARN_|PNPM_|BUN_|DENO_|PYTHON|PIP_|VIRTUAL_|CONDA|PERL|RUBY|GEM_|BUNDLE|JAVA|_JAVA|JDK_|JVM|CLASSPATH|MAVEN|GRADLE|CARGO|RUST|GO[A-Z]+$|CGO_|LUA|PHP|SSH_|SUDO_|DOCKER_|KUBE|HELM_|AWS_|XDG_|GTK_|QT_|GIO_|LESS|TOOLROOM|ASAN_|UBSAN_|LSAN_|TSAN_|GCC_|CMAKE_|PKG_CONFIG|R_|OPENSSL|CURL_|WGET)/u;
const ENDINGS =
  /(?:PATH|PRELOAD|PAGER|EDITOR|SHELL|OPTS?|OPTIONS?|FLAGS?|COMMAND|CMD|EXE|EXEC|BIN|HOME|DIR|ROOT|CONFIG|CONF|WRAPPER|ASKPASS|PROXY|proxy|LOADER|HOOKS?|INIT|STARTUP|RC|FILE|LIB|LIBRARY|MODULES?|PLUGINS?|SCRIPT|SERVER|SOCK(?:ET)?|URL|HOST)$/u;

function isPlain(value: string): boolean {
  return /^[\w.,:@+ -]*$/u.test(value);
}
