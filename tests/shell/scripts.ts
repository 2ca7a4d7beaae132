import fc from "fast-check";
import { LISTS } from "./ground.ts";

/** A text for a shell, and the names of all commands that a shell could run for it. */
export interface Script {
  readonly text: string;
  readonly runs: readonly string[];
  /** Whether nothing but commands, chains, groups, branches and loops is in it. */
  readonly plain: boolean;
}

const OTHERS = ["date", "find", "git", "df", "rm", "curl", "touch", "frobnicate"];

/** Words that name no file outside; some of them look like something to run. */
const WORDS = [
  "a.ts",
  "nothing",
  "*.ts",
  "s?b/[a-c].ts",
  "{x,y}z",
  "-l",
  "'; rm x'",
  "'$(rm x)'",
  '"; curl x"',
  "\\;",
  "\\$x",
  "a\\ b",
  "x#rm",
  "''",
  "--",
  "=",
  "!",
  "then",
  "'\n'",
];

const REDIRECTS = ["2>/dev/null", "2>&1", ">/dev/null", "<<<'rm x'", "< /dev/null", "&>/dev/null"];

/** Scripts of which it is known what they run. `low` alone: what they run is low, and nothing in them is refused. */
export function scripts({ low }: { readonly low: boolean }): fc.Arbitrary<Script> {
  const names = low ? LISTS.low_risk_commands : [...LISTS.low_risk_commands, ...LISTS.low_risk_commands, ...OTHERS];
  const simple = fc
    .tuple(fc.constantFrom(...names), fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }), redirects())
    .map(([name, words, redirect]) => scriptOf([name, ...words, ...redirect].join(" "), [name]));
  const { script } = fc.letrec<{ script: Script }>((tie) => {
    const one = tie("script");
    const compound = fc
      .tuple(one, one, fc.constantFrom(...(low ? PLAIN : [...PLAIN, ...TRICKS])))
      .map(([a, b, join]) => join(a, b));
    return {
      script: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { arbitrary: simple, weight: 2 },
        { arbitrary: compound, weight: 3 },
      ),
    };
  });
  return script;
}

function redirects(): fc.Arbitrary<readonly string[]> {
  return fc.oneof(
    { arbitrary: fc.constant([]), weight: 3 },
    { arbitrary: fc.constantFrom(...REDIRECTS).map((one) => [one]), weight: 1 },
  );
}

function scriptOf(text: string, runs: readonly string[], plain = true): Script {
  return { text, runs, plain };
}

type Join = (a: Script, b: Script) => Script;

const both =
  (join: (a: string, b: string) => string): Join =>
  (a, b) =>
    scriptOf(join(a.text, b.text), [...a.runs, ...b.runs], a.plain && b.plain);

/** What takes the verdict of the strictest command in it. A comment, a text of lines and `&` end only with the line. */
const PLAIN: readonly Join[] = [
  both((a, b) => `${a}; ${b}`),
  both((a, b) => `${a}\n${b}`),
  both((a, b) => `${grouped(a)} && ${grouped(b)}`),
  both((a, b) => `${grouped(a)} || ${grouped(b)}`),
  both((a, b) => `${grouped(a)} | ${grouped(b)}`),
  both((a, b) => `${grouped(a)} |& ${grouped(b)}`),
  both((a, b) => `${grouped(a)} &\n${b}`),
  both((a, b) => `(${a}\n)\n${b}`),
  both((a, b) => `! ${grouped(a)}; time ${grouped(b)}`),
  both((a, b) => `if ${a}\nthen ${b}\nfi`),
  both((a, b) => `if ls\nthen ${a}\nelse ${b}\nfi # rm\nls`),
  both((a, b) => `while ${a}\ndo ${b}\ndone`),
  both((a, b) => `for x in 1 2; do ${a}\n${b}\ndone`),
  both((a, b) => `case a in (rm | a) ${a}\n;; *) ${b}\n;; esac`),
];

const added =
  (join: (a: string, b: string) => string, ...names: readonly string[]): Join =>
  (a, b) =>
    scriptOf(join(a.text, b.text), [...a.runs, ...b.runs, ...names], false);

/** What hides commands, or runs them in other ways. */
const TRICKS: readonly Join[] = [
  ...[
    "timeout 5",
    "env",
    "env FOO=1",
    "nice -n 1",
    "nohup",
    "command",
    "builtin",
    "exec",
    "xargs",
    "sudo",
    "stdbuf -o L",
    "busybox",
  ].map((wrapper) => added((a, b) => `${wrapper} ${a}\n${b}`, wrapper.split(" ")[0] as string)),
  ...["sh -c", "bash -lc", "eval", "sudo sh -c"].map((shell) =>
    added((a, b) => `${shell} '${a.replaceAll("'", "'\\''")}'\n${b}`, shell.split(" ")[0] as string),
  ),
  added((a, b) => `echo $(${a}\n)\n${b}`, "echo"),
  added((a, b) => `echo "x$(${a}\n)"\n${b}`, "echo"),
  added((a, b) => `cat <(${a}\n)\n${b}`, "cat"),
  added((a, b) => `cat <<E\n$(${a}\n)\nE\n${b}`, "cat"),
  // Its other lines would be those of the text.
  (a, b) =>
    /<<|\n/u.test(a.text) ? a : scriptOf(`cat <<E; ${a.text}\nx\nE\n${b.text}`, ["cat", ...a.runs, ...b.runs], false),
  added((a, b) => `f() { ${a}\n}\nf\n${b}`, "f"),
  added((a, b) => `coproc ${grouped(a)}\n${b}`),
  added((a, b) => `until ${a}\ndo ${b}\ndone`),
  added((a, b) => `ls; select x in a; do ${a}\n${b}\ndone`, "ls"),
  added((a, b) => `PATH=. ${a}\n${b}`),
  added((a, b) => `trap '${a.replaceAll("'", "'\\''")}' EXIT\n${b}`, "trap"),
  // What is only text.
  (a, b) => scriptOf(`cat <<'E'\n${a.text}\nE\n${b.text}`, ["cat", ...b.runs], false),
  (a, b) => scriptOf(`# ${a.text.replaceAll("\n", " ")}\n${b.text}`, b.runs, false),
  (a, b) => scriptOf(`echo '${a.text.replaceAll("'", "")}'\n${b.text}`, ["echo", ...b.runs], false),
];

function grouped(text: string): string {
  return `{ ${text}\n}`;
}

const TOKENS = [
  ..."ls cat rm echo f X=1 -a a.ts ; && || | & \n ( ) { } ! if then fi do done while for in case esac ;; time # ' \" \\ $ ` $( ) <<E \nE\n <<-E <<'E' > < 2>&1 >/dev/null <<< * ? [ ] ~ = == [[ ]] (( )) function coproc eval \\\n \t .".split(
    " ",
  ),
];

/** Anything that could be put together of what a shell knows. */
export function soups(): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.constantFrom("", " ", " ", " "), fc.constantFrom(...TOKENS)), { minLength: 1, maxLength: 9 })
    .map((tokens) => tokens.map(([space, token]) => space + token).join(""));
}
