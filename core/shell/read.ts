import type { Assignment, Command, CompoundList, ParsedScript, Statement, SyntaxNode } from "./parser.ts";
import { readRedirects } from "./read-redirects.ts";
import { readTest } from "./read-tests.ts";
import { readArgument, readPattern, readText } from "./read-words.ts";
import { createReading, type Reading } from "./reading.ts";
import { type Refusal, shown } from "./refusal.ts";
import type { Assigned, List, Node, Simple, Word } from "./tree.ts";

/**
 * What of a parsed command line is understood, or why it may not run. Kinds of nodes that are not named here are refused,
 * so that a newer grammar brings nothing in.
 */
export function readScript(script: ParsedScript): { readonly list: List } | { readonly refusal: Refusal } {
  const [error] = script.errors ?? [];
  if (error) {
    return {
      refusal: {
        rule: "syntax",
        message: `the command does not parse: ${error.message} at character ${error.pos + 1}`,
      },
    };
  }
  const reading = createReading();
  const list = readStatements(script.commands, reading);
  return reading.refusal ? { refusal: reading.refusal } : { list };
}

function readStatements(statements: readonly Statement[], reading: Reading): List {
  return {
    items: statements.map(({ command, background }) => ({
      node: readNode(command, reading),
      background: background === true,
    })),
  };
}

function readList(list: CompoundList, reading: Reading): List {
  return readStatements(list.commands, reading);
}

function readNode(node: SyntaxNode, reading: Reading): Node {
  switch (node.type) {
    case "Command":
      return readCommand(node, reading);
    case "Pipeline":
      return {
        type: "pipeline",
        prefixes: node.prefixes.map((prefix) => (prefix.type === "Negation" ? "!" : prefix.posix ? "time -p" : "time")),
        commands: node.commands.map((command) => readNode(command, reading)),
        operators: node.operators,
      };
    case "AndOr":
      return {
        type: "chain",
        commands: node.commands.map((command) => readNode(command, reading)),
        operators: node.operators,
      };
    case "Subshell":
    case "BraceGroup":
      return { type: "group", subshell: node.type === "Subshell", body: readList(node.body, reading) };
    case "Redirected": {
      const command = readNode(node.command, reading);
      return { type: "redirected", command, redirects: readRedirects(node.redirects, reading) };
    }
    case "If":
      return {
        type: "if",
        branches: [node, ...node.elif].map(({ clause, then }) => ({
          condition: readList(clause, reading),
          body: readList(then, reading),
        })),
        otherwise: node.else && readList(node.else, reading),
      };
    case "While":
      return {
        type: "while",
        kind: node.kind,
        condition: readList(node.clause, reading),
        body: readList(node.body, reading),
      };
    case "For":
    case "Select":
      return {
        type: "for",
        kind: node.type === "For" ? "for" : "select",
        name: readName(node.name.text, reading),
        words: (node.wordlist ?? []).flatMap((word) => readArgument(word, reading)),
        body: readList(node.body, reading),
      };
    case "Case":
      return {
        type: "case",
        subject: readText(node.word, reading),
        items: node.items.map(({ pattern, body, terminator }) => ({
          patterns: pattern.map((word) => readPattern(word, reading)),
          body: readList(body, reading),
          end: terminator ?? ";;",
        })),
      };
    case "Function":
      return { type: "function", name: readName(node.name.text, reading), body: readNode(node.body, reading) };
    case "Coproc": {
      const name = node.name && readName(node.name.text, reading);
      return { type: "coprocess", name, body: readNode(node.body, reading) };
    }
    case "TestCommand":
      return { type: "test", tokens: readTest(node.expression, reading) };
    case "ArithmeticCommand":
    case "ArithmeticFor":
      return reading.refuse("expansion", "(( )) computes what variables hold; write the result", NOTHING);
    default:
      return reading.refuse("syntax", `a ${node.type} is not understood`, NOTHING);
  }
}

const NOTHING: Simple = { type: "simple", assignments: [], words: [], redirects: [], behindHeredoc: false };

function readCommand({ name, prefix, suffix }: Command, reading: Reading): Simple {
  const behindHeredoc = reading.heredoc;
  const assignments: Assigned[] = [];
  const words: Word[] = name ? [...readArgument(name, reading)] : [];
  const redirects = [...prefix, ...suffix].flatMap((item) => {
    if (item.type === "Word") words.push(...readArgument(item, reading));
    else if (item.type !== "Assignment") return readRedirects([item], reading);
    else if (prefix.includes(item)) assignments.push(readAssignment(item, reading));
    else words.push(wordOf(readAssignment(item, reading)));
    return [];
  });
  return { type: "simple", assignments, words, redirects, behindHeredoc };
}

function readAssignment({ name, value, append, index, text }: Assignment, reading: Reading): Assigned {
  if (value.type !== "Word" || append || index) {
    const message = `${shown(text)} is no plain NAME=value, which is all that is understood`;
    return reading.refuse("syntax", message, { name, value: "" });
  }
  return { name: readName(name, reading), value: readText(value, reading) };
}

function wordOf({ name, value }: Assigned): Word {
  const text = `${name}=${value}`;
  return { pieces: [{ text, pattern: false }], text, isPattern: false };
}

function readName(name: string, reading: Reading): string {
  if (/^[A-Za-z_]\w{0,63}$/u.test(name)) return name;
  return reading.refuse("syntax", `${shown(name)} is no name of letters, digits and _`, name);
}
