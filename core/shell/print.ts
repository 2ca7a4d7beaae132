import type { FileRedirect, List, Node, Pipeline, Redirect, Simple, TextRedirect, Word } from "./tree.ts";

/**
 * Words that a shell runs, with what was understood of them: what runs is printed from that as well. Undefined: the word is
 * part of the text of the one before it.
 */
export type InnerTexts = ReadonlyMap<Word, List | undefined>;

/**
 * What is understood of a command as text for `bash`. Every word is quoted but for its patterns, so the shell that runs it
 * finds nothing in it that is not in the tree: no expansion, no alias, no reserved word in the place of a command.
 */
export function printList({ items }: List, texts: InnerTexts): string {
  return items.map(({ node, background }) => printNode(node, texts) + (background ? " &" : "")).join("\n");
}

function printNode(node: Node, texts: InnerTexts): string {
  switch (node.type) {
    case "simple":
      return printSimple(node, texts);
    case "pipeline":
      return [...node.prefixes, printPipeline(node, texts)].filter((part) => part !== "").join(" ");
    case "chain":
      return joined(
        node.commands.map((command) => printNode(command, texts)),
        node.operators,
      );
    case "group":
      return node.subshell ? `(\n${printList(node.body, texts)}\n)` : `{\n${printList(node.body, texts)}\n}`;
    case "redirected":
      return withRedirects(printNode(node.command, texts), node.redirects);
    case "if": {
      const branches = node.branches.map(
        ({ condition, body }, index) =>
          `${index === 0 ? "if" : "elif"}\n${printList(condition, texts)}\nthen\n${printList(body, texts)}\n`,
      );
      return `${branches.join("")}${node.otherwise ? `else\n${printList(node.otherwise, texts)}\n` : ""}fi`;
    }
    case "while":
      return `${node.kind}\n${printList(node.condition, texts)}\ndo\n${printList(node.body, texts)}\ndone`;
    case "for":
      return `${node.kind} ${node.name} in ${node.words.map(printWord).join(" ")}\ndo\n${printList(node.body, texts)}\ndone`;
    case "case": {
      const items = node.items.map(
        ({ patterns, body, end }) => `(${patterns.map(printWord).join(" | ")})\n${printList(body, texts)}\n${end}\n`,
      );
      return `case ${quoted(node.subject)} in\n${items.join("")}esac`;
    }
    case "function":
      return `${node.name}() ${printNode(node.body, texts)}`;
    case "coprocess":
      return `coproc ${node.name === undefined ? "" : `${node.name} `}${printNode(node.body, texts)}`;
    case "test":
      return `[[ ${node.tokens.map((token) => (typeof token === "string" ? token : printWord(token))).join(" ")} ]]`;
  }
}

/** `a |& b` in the form that every shell has. */
function printPipeline({ commands, operators }: Pipeline, texts: InnerTexts): string {
  return commands
    .map((command, index) => printNode(command, texts) + (operators[index] === "|&" ? " 2>&1" : ""))
    .join(" | ");
}

function joined(texts: readonly string[], operators: readonly string[]): string {
  return texts.map((text, index) => (index === 0 ? text : `${operators[index - 1]} ${text}`)).join(" ");
}

function printSimple({ assignments, words, redirects }: Simple, texts: InnerTexts): string {
  const parts = assignments.map(({ name, value }) => `${name}=${quoted(value)}`);
  let guards = !TAKE_ANY.has(words[0]?.text ?? "");
  for (const [index, word] of words.entries()) {
    if (word.text === "--") guards = false;
    // Quoted always: unquoted the name could be a reserved word.
    if (index === 0) parts.push(singleQuoted(word.text));
    else if (texts.has(word)) parts.push(...printText(word, texts).map(singleQuoted));
    // A file may be called like an option.
    else
      parts.push(
        guards && word.pieces.find(({ text }) => text !== "")?.pattern ? `./${printWord(word)}` : printWord(word),
      );
  }
  return withRedirects(parts.join(" "), redirects);
}

/** Commands none of whose options does harm: what a pattern finds is shown to them as it is. */
const TAKE_ANY = new Set(["cat", "echo", "grep", "head", "ls", "tail"]);

/** A word as the program gets it; nothing where it is part of the text before it. */
export function printText(word: Word, texts: InnerTexts): readonly string[] {
  if (!texts.has(word)) return [word.text];
  const list = texts.get(word);
  return list ? [printList(list, texts)] : [];
}

/** A text of lines is put behind a line end, which a group makes possible wherever a command may stand. */
function withRedirects(command: string, redirects: readonly Redirect[]): string {
  if (redirects.length === 0) return command;
  const texts = redirects.filter((one): one is TextRedirect => one.type === "text" && one.lines);
  const text = [command, ...redirects.map((one) => printRedirect(one, texts))].filter((part) => part !== "").join(" ");
  if (texts.length === 0) return text;
  const bodies = texts.map((one, index) => `${one.text}${delimiterOf(texts, index)}\n`);
  return `{\n${text}\n${bodies.join("")}}`;
}

function printRedirect(redirect: Redirect, texts: readonly TextRedirect[]): string {
  const descriptor = redirect.descriptor ?? "";
  if (redirect.type === "merged") return `${descriptor}${redirect.operator}${redirect.target}`;
  if (redirect.type === "file") return printFile(redirect);
  if (redirect.lines) return `${descriptor}<<'${delimiterOf(texts, texts.indexOf(redirect))}'`;
  return `${descriptor}<<<${singleQuoted(redirect.text)}`;
}

function printFile({ descriptor, operator, target }: FileRedirect): string {
  const file = singleQuoted(target);
  if (operator === "&>") return `>${file} 2>&1`;
  if (operator === "&>>") return `>>${file} 2>&1`;
  return `${descriptor ?? ""}${operator}${file}`;
}

/** A word that is no line of any of the texts. */
function delimiterOf(texts: readonly TextRedirect[], index: number): string {
  for (let number = index; ; number += texts.length) {
    const word = `END_${number}`;
    if (!texts.some(({ text }) => text.split("\n").includes(word))) return word;
  }
}

function printWord({ pieces }: Word): string {
  return pieces.map(({ text, pattern }) => (pattern ? text : quoted(text))).join("");
}

function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/u.test(text) ? text : singleQuoted(text);
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
