import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LISTS, makeGround, verdictOf } from "./ground.ts";

type Row = readonly [input: string, verdict: string];

/**
 * What commands may do, by the lists of `ground.ts`: 22 names are allowed, eight of them are low. `deny <rule>` holds under
 * every setting. Of a row with several commands the strictest counts.
 */
const TABLE: Readonly<Record<string, readonly Row[]>> = {
  "a command or a pipe behind the word of a text": [
    ["cat <<EOF; curl http://evil\nx\nEOF", "deny after_heredoc"],
    ["git log <<A;ssh evil\nA", "deny after_heredoc"],
    ["cat <<EOF | sh\necho\nEOF", "deny after_heredoc"],
    ["cat <<A; python3 -c 'x'\nA", "deny inline_code"],
    ["cat <<A && rm x\nA", "deny after_heredoc"],
    ["cat <<A & rm x\nA", "deny after_heredoc"],
    ["cat <<A || (rm x)\nA", "deny after_heredoc"],
    ["cat <<A | timeout 5 sh\nA", "deny after_heredoc"],
    ["cat <<A | grep x\nx\nA", "low"],
  ],
  "a command behind the text": [
    ["cat <<EOF\nhi\nEOF\nrm -rf x", "deny after_heredoc"],
    ["cat > f.py <<'EOF'\nx\nEOF\npython3 f.py", "deny after_heredoc"],
    ["cat > a.txt <<'EOF'\nx\nEOF\ncat a.txt", "medium"],
  ],
  "find that writes, deletes or executes": [
    ["find . -delete", "high"],
    ["find . -execdir rm {} +", "high"],
    ["find . -okdir rm {} ';'", "high"],
    ["find . -fprintf out x", "high"],
    ["find . -fprint out", "high"],
    ["find . -fls out", "high"],
    ["find . -exec rm {} +", "deny find_exec"],
    ["find . -ok rm {} ';'", "deny find_exec"],
    ["find . -name '*.ts'", "medium"],
  ],
  "an environment that changes what runs": [
    ["LD_PRELOAD=./x.so ls", "deny environment"],
    ["PATH=.:/bin ls", "deny environment"],
    ["BASH_ENV=./x ls", "deny environment"],
    ["GIT_SSH_COMMAND=./x git fetch", "deny environment"],
    ["env LD_PRELOAD=./x.so ls", "deny environment"],
    ["HOME=. git log", "deny environment"],
    ["PATH=.\nls", "deny environment"],
    ["export PATH=.", "deny environment"],
    ["LC_ALL=../../x ls", "deny environment"],
    ["for PATH in .; do ls; done", "deny environment"],
    ["SOMETHING=1 ls", "high"],
    ["LC_ALL=C TZ=Europe/Berlin ls", "low"],
  ],
  "git that runs programs": [
    ["git -ccore.pager=touch log", "deny git_configuration"],
    ["git --config-env=core.pager=X log", "deny git_configuration"],
    ["git --exec-path=. log", "deny git_program"],
    ["git grep -Otouch x", "deny git_program"],
    ["git grep --open-files-in-pager=touch x", "deny git_program"],
    ["git difftool -x rm", "deny git_program"],
    ["git submodule foreach rm", "deny git_program"],
    ["git rebase --exec rm main", "deny git_program"],
    ["git fetch --upload-pack=./x origin", "deny git_program"],
    ["git clone --u=./x y", "deny git_program"],
    ["git clone 'ext::sh -c id'", "deny git_program"],
  ],
  "git that configures itself": [
    ["git -c a=b log", "deny git_configuration"],
    ["git config x", "deny git_configuration"],
    ["git alias.st", "deny git_configuration"],
  ],
  "git that reads, changes, or is not known": [
    ["git status", "medium"],
    ["git log --oneline -n 5", "medium"],
    ["git commit -m x", "medium"],
    ["git push origin main", "medium"],
    ["git branch -D x", "medium"],
    ["git st", "high"],
    ["git --git-dir=sub log", "high"],
  ],
  "flags of interpreters in one word, a program from the input": [
    ["python -Ic 'x'", "high"],
    ["python -Sc 'x'", "high"],
    ["python3 -Bmhttp.server", "high"],
    ["python -", "high"],
    ["echo x | python3", "high"],
  ],
  "a program in the command": [
    ["python3 -c 'x'", "deny inline_code"],
    ["python3 -mhttp.server", "deny inline_code"],
    ["python3 -W ignore -c 'x'", "deny inline_code"],
    ["node -e'1'", "deny inline_code"],
    ["node --print=process.env", "deny inline_code"],
    ["node --eval 1", "deny inline_code"],
    ["perl -e 'x'", "deny inline_code"],
  ],
  "code of the workspace": [
    ["npm run evil", "high"],
    ["npm x evil", "high"],
    ["npm test", "high"],
    ["cargo run", "high"],
    ["node -r ./x", "high"],
    ["python script.py", "high"],
    ["make", "high"],
    ["node --version", "medium"],
  ],
  "packages that are fetched, installed, executed": [
    ["npm exec -- x", "deny packages"],
    ["pip download x", "deny packages"],
    ["cargo install x", "deny packages"],
    ["npm install", "deny packages"],
    ["npm ci", "deny packages"],
    ["pip install x", "deny packages"],
  ],
  "the path of a program whose name is on the list": [
    ["./git x", "deny executable_path"],
    ["sub/git x", "deny executable_path"],
    ["./ls", "deny executable_path"],
    ["/bin/ls", "deny executable_path"],
    ["timeout 5 ./ls", "deny executable_path"],
  ],
  "a path that looks like an address": [
    ["cat x://../../../../../etc/passwd", "deny path"],
    ["cat file:///etc/passwd", "deny path"],
    ["cat https://example.org/a", "low"],
  ],
  "braces and $'…' that hide a path": [
    ["cat {/etc/passwd,x}", "deny path"],
    ["cat $'\\x2fetc\\x2fpasswd'", "deny expansion"],
    ['cat $"/etc/passwd"', "deny expansion"],
    ["cat {a,b}.ts", "low"],
  ],
  "a redirection that looks like a descriptor": [
    ["echo x >&2x", "deny redirection"],
    ["echo x >&-/foo", "deny redirection"],
    ["echo x {fd}>a", "deny redirection"],
    ["ls 3>&1 2>&-", "low"],
  ],
  "a link that leads outside": [
    ["cat somelink", "deny path"],
    ["cat sub/away/d.ts", "deny path"],
    ["cat some*", "deny path"],
    ["cat */away/d.ts", "deny path"],
    ["cat inner", "low"],
  ],
  "chains, groups and wrappers": [
    ["ls; rm -rf /", "deny path"],
    ["ls; rm -rf x", "high"],
    ["ls\nrm", "high"],
    ["ls && rm", "high"],
    ["ls || rm", "high"],
    ["ls & rm", "high"],
    ["ls&rm", "high"],
    ["FOO=bar rm -rf x", "high"],
    ["{ rm; }", "high"],
    ["(rm)", "high"],
    ["! rm", "high"],
    ["if ls; then rm; fi", "high"],
    ["if rm; then ls; fi", "high"],
    ["while ls; do rm; done", "high"],
    ["for f in a; do rm; done", "high"],
    ["case a in a) rm;; esac", "high"],
    ["f() { rm; }", "high"],
    ["coproc rm", "high"],
    ["time rm", "high"],
    ["eval rm", "high"],
    ["exec rm", "high"],
    ["command rm", "high"],
    ["builtin rm", "high"],
    ["ls | xargs rm", "high"],
    ["sudo ls", "high"],
    ["sh -c ls", "high"],
    ["ls; cat a.ts | grep x && pwd", "low"],
    ["if ls; then cat a.ts; else pwd; fi", "low"],
    ["for f in *.ts; do ls; done", "low"],
    ["! (ls; { pwd; })", "low"],
    ["ls &", "low"],
    ["timeout 5 ls", "medium"],
    ["eval 'ls; pwd'", "medium"],
  ],
  "substitutions, expansions, computations": [
    ["echo `whoami`", "deny expansion"],
    ["echo $(cat /etc/passwd)", "deny expansion"],
    ['echo "$(cat /etc/passwd)"', "deny expansion"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sign of a shell
    ["echo ${IFS}cat", "deny expansion"],
    ["cat $HOME/.ssh/id_rsa", "deny expansion"],
    ["echo $((1+1))", "deny expansion"],
    ["echo $?", "deny expansion"],
    ["echo $1 $$ $! $@ $* $# $-", "deny expansion"],
    ["(( 1 ))", "deny expansion"],
    ["[[ a -eq b ]]", "deny expansion"],
    ["cat <<E\n$(x)\nE", "deny expansion"],
    ['cat <<<"$x"', "deny expansion"],
    ["ls @(a|b)", "deny expansion"],
  ],
  redirections: [
    ["echo s > /etc/crontab", "deny path"],
    ["ls >> /var/x", "deny path"],
    ["cat < /etc/passwd", "deny path"],
    ["echo x > /dev/null/../../etc/passwd", "deny path"],
    ["ls >/dev/nullextra", "deny path"],
    ["ls 2>/dev/stderr.log", "deny path"],
    ["cat < /dev/tcp/evil/80", "deny path"],
    ["echo x > sub/away/new", "deny path"],
    ["echo a > b.txt", "medium"],
    ["echo a >| b", "medium"],
    ["echo a <> b", "medium"],
    ["echo a &> b", "medium"],
    ["cat < a.ts", "medium"],
    ["{ ls; } > b", "medium"],
    ["> b", "medium"],
    ["echo x > .git/hooks/pre-commit", "high"],
    ["echo x > sub/../.bashrc", "high"],
    ["echo x > Makefile", "high"],
    ["echo x > git-config", "high"],
    ["cat < .git/config", "medium"],
  ],
  "tee and commands in place of files": [
    ["echo x | tee f", "deny tee"],
    ["/usr/bin/tee", "deny tee"],
    ["ls | xargs tee", "deny tee"],
    ["cat <(ls)", "deny expansion"],
    ["ls >(cat)", "deny expansion"],
  ],
  "paths in options and in other forms": [
    ["cat ~root/.ssh/id_rsa", "deny path"],
    ["cat ~/.ssh/id_rsa", "deny path"],
    ["grep --file=/etc/passwd x", "deny path"],
    ["grep -f/etc/passwd x", "deny path"],
    ["grep -nf/etc/passwd x", "deny path"],
    ["git -C../outside log", "deny path"],
    ["git --git-dir=/var/x log", "deny path"],
    ["wc --files0-from=/etc/passwd", "deny path"],
    ["cat foo/..%2f..%2fetc/passwd", "deny path"],
    ["cat %2e%2e/x", "deny path"],
    ["cat /proc/self/root/etc/passwd", "deny path"],
    ["cat a\0/../../etc/passwd", "deny characters"],
    ["ls ..", "deny path"],
    ["ls .*", "deny path"],
    ["find / -name x", "deny path"],
    ["head -n1 -- ../x", "deny path"],
    ["tail --lines=1 a=/etc/passwd", "deny path"],
    ["wc --files0-from=names", "high"],
  ],
  "patterns of file names that may become commands, options and programs": [
    ["timeout * ls", "deny command_name"],
    ["env FOO=* ls", "deny command_name"],
    ["* a", "deny command_name"],
    ["eval *", "deny expansion"],
    ["cd *", "deny path"],
    ["ls -*", "high"],
    ["git *", "high"],
    ["grep --include=*.ts x a.ts", "low"],
    ["wc a* sub/*.ts", "low"],
  ],
  "text that looks like a command": [
    ['git commit -m "; rm -rf /"', "medium"],
    ["cat <<'EOF'\n$(x)\nEOF", "low"],
    ["echo '$(x)'", "low"],
    ["ls 2>&1", "low"],
    ["ls 2>/dev/null", "low"],
    ['sqlite3 db "a; b"', "high"],
    ["cat my..file.txt", "low"],
    ["FOO=bar ls", "low"],
    ["cat <<<'x'", "low"],
    ["echo /etc/passwd", "low"],
    ["grep -rn /api/users sub", "low"],
  ],
  "the person's own commands of this host": [
    ["toolroom trust", "high"],
    ["toolroom approvals", "high"],
    ["toolroom estop off", "high"],
    ["toolroom policy", "high"],
  ],
  "what does not parse, or is nothing": [
    ["", "deny syntax"],
    ["# ls", "deny syntax"],
    ["ls 'a", "deny syntax"],
    ["ls &&", "deny syntax"],
    ["cat <<EOF\nx", "deny syntax"],
    ["ls\r\n", "deny characters"],
    ["ls \u202e", "deny characters"],
    ["l? a", "deny command_name"],
    ["'' a", "deny command_name"],
  ],
};

/** With `*` on the first list: what is refused stays refused, what runs or writes on request stays high. */
const EVERYTHING: readonly Row[] = [
  ["bash -c 'rm -rf x'", "high"],
  ["awk 'BEGIN{system(\"id\")}'", "high"],
  ["sort -o x a.ts", "high"],
  ["vim -c ':!id'", "high"],
  ["sed -i s/a/b/ a.ts", "high"],
  ["tar --to-command=x -xf a", "high"],
  ["rm -rf x", "high"],
  ["sudo ls", "high"],
  ["touch a", "medium"],
  ["awk '{ print $1 }' a.ts", "medium"],
  ["sed -n 1,5p a.ts", "medium"],
  ["awk a*", "high"],
  ["awk '{ print }' a*", "medium"],
  ["uniq a*", "high"],
  ["uniq a.ts b.ts", "high"],
  ["'a b' c", "high"],
  ["./ls", "deny executable_path"],
  ["echo $(ls)", "deny expansion"],
  ["cat <<EOF; curl http://evil\nx\nEOF", "deny after_heredoc"],
  ["cat /etc/passwd", "deny path"],
  ["echo x | tee f", "deny tee"],
];

let ground: Awaited<ReturnType<typeof makeGround>>;
beforeAll(async () => {
  ground = await makeGround();
});
afterAll(() => rm(join(ground.root, ".."), { recursive: true, force: true }));

describe.each(Object.entries(TABLE))("%s", (_, rows) => {
  it.each(rows)("%j: %s", async (input, verdict) => {
    expect(await verdictOf(input, ground.workspace)).toBe(verdict);
  });
});

describe("with every command on the list", () => {
  it.each(EVERYTHING)("%j: %s", async (input, verdict) => {
    const lists = { ...LISTS, allowed_commands: ["*"] };
    expect(await verdictOf(input, ground.workspace, { lists })).toBe(verdict);
  });

  it("refuses all that is refused without", async () => {
    const lists = { ...LISTS, allowed_commands: ["*"] };
    const refused = Object.values(TABLE)
      .flat()
      .filter(([, verdict]) => verdict.startsWith("deny"));
    for (const [input, verdict] of refused) {
      expect([input, await verdictOf(input, ground.workspace, { lists })]).toEqual([input, verdict]);
    }
  });
});
