import { behind, type Directories, either, staying, type Whereabouts } from "./directories.ts";
import { judgeAssignments, judgeVariable } from "./judge-assignments.ts";
import { judgeWords } from "./judge-words.ts";
import type { Judging, Standing } from "./judging.ts";
import { isHarmlessDevice } from "./path-checks.ts";
import type { Chain, FileRedirect, List, Node, Redirect, Simple, Word } from "./tree.ts";

/** Judges commands one after the other. */
export function judgeList({ items }: List, standing: Standing, judging: Judging): Whereabouts {
  let where = staying(standing.directories);
  for (const { node, background } of items) {
    const directories = behind(where);
    const next = judgeNode(node, { ...standing, directories }, judging);
    where = background ? staying(directories) : next;
  }
  return where;
}

function judgeNode(node: Node, standing: Standing, judging: Judging): Whereabouts {
  const { directories } = standing;
  switch (node.type) {
    case "simple":
      return judgeSimple(node, standing, judging);
    case "pipeline": {
      const [first, ...more] = node.commands;
      if (!first) return staying(directories);
      const where = judgeNode(first, standing, judging);
      for (const command of more) judgeNode(command, standing, judging);
      // Each part of a pipeline is a process of its own.
      if (more.length > 0) return staying(directories);
      return node.prefixes.includes("!") ? staying(behind(where)) : where;
    }
    case "chain":
      return judgeChain(node, standing, judging);
    case "group": {
      const where = judgeList(node.body, standing, judging);
      return node.subshell ? staying(directories) : where;
    }
    case "redirected":
      judgeRedirects(node.redirects, directories, judging);
      return judgeNode(node.command, standing, judging);
    case "if": {
      const ends: Directories[] = [];
      let at = directories;
      for (const { condition, body } of node.branches) {
        const where = judgeList(condition, { ...standing, directories: at }, judging);
        ends.push(behind(judgeList(body, { ...standing, directories: behind(where) }, judging)));
        at = behind(where);
      }
      ends.push(node.otherwise ? behind(judgeList(node.otherwise, { ...standing, directories: at }, judging)) : at);
      return staying(either(...ends));
    }
    case "while": {
      const where = judgeList(node.condition, standing, judging);
      return again(judgeList(node.body, { ...standing, directories: behind(where) }, judging), standing, judging);
    }
    case "for":
      judgeVariable(node.name, "/", judging);
      if (node.kind === "select") judging.raise("high", "select asks at a terminal, which is not there");
      judgePatterns(node.words, directories, judging);
      return again(judgeList(node.body, standing, judging), standing, judging);
    case "case":
      return staying(either(directories, ...node.items.map(({ body }) => behind(judgeList(body, standing, judging)))));
    case "function":
      judging.raise("high", `it defines a function, ${node.name}`);
      return again(judgeNode(node.body, standing, judging), standing, judging);
    case "coprocess":
      judging.raise("high", "coproc keeps a command running");
      if (node.name !== undefined) judgeVariable(node.name, "/", judging);
      judgeNode(node.body, standing, judging);
      return staying(directories);
    case "test":
      judging.raise("high", "[[ ]] is on no list");
      for (const token of node.tokens) {
        if (typeof token !== "string") judging.checks.argument(token, "read", directories);
      }
      return staying(directories);
  }
}

/** What runs several times has to end where it began, or each time would begin somewhere else. */
function again(where: Whereabouts, { directories }: Standing, judging: Judging): Whereabouts {
  const ends = behind(where);
  if (ends.some((end) => !directories.includes(end))) {
    judging.refuse({
      rule: "path",
      message: "where a cd in a loop or a function leads cannot be seen; use ( ) around it",
    });
  }
  return staying(directories);
}

function judgeChain({ commands, operators }: Chain, standing: Standing, judging: Judging): Whereabouts {
  const [first, ...more] = commands;
  if (!first) return staying(standing.directories);
  let where = judgeNode(first, standing, judging);
  more.forEach((command, index) => {
    const isAnd = operators[index] === "&&";
    const next = judgeNode(command, { ...standing, directories: isAnd ? where.done : where.failed }, judging);
    where = isAnd
      ? { done: next.done, failed: either(where.failed, next.failed) }
      : { done: either(where.done, next.done), failed: next.failed };
  });
  return where;
}

function judgeSimple(node: Simple, standing: Standing, judging: Judging): Whereabouts {
  const { assignments, words, redirects, behindHeredoc } = node;
  const { directories } = standing;
  judgeRedirects(redirects, directories, judging);
  if (words.length > 0) {
    judgeAssignments(assignments, judging);
    return judgeWords(words, { ...standing, behindHeredoc: standing.behindHeredoc || behindHeredoc }, judging);
  }
  for (const { name, value } of assignments) judgeVariable(name, value, judging);
  judging.raise("medium", "it sets a variable or redirects, and runs nothing");
  return staying(directories);
}

function judgeRedirects(redirects: readonly Redirect[], directories: Directories, judging: Judging): void {
  for (const redirect of redirects) if (redirect.type === "file") judgeFile(redirect, directories, judging);
}

function judgeFile({ operator, target }: FileRedirect, directories: Directories, judging: Judging): void {
  if (isHarmlessDevice(target)) return;
  const reads = operator === "<";
  judging.raise("medium", reads ? "it reads a file by a redirection" : "it writes a file by a redirection");
  if (operator !== ">" && operator !== ">>" && operator !== ">|") judging.checks.path(target, "read", directories);
  if (!reads) judging.checks.path(target, "fill", directories);
}

function judgePatterns(words: readonly Word[], directories: Directories, judging: Judging): void {
  for (const word of words) if (word.isPattern) judging.checks.argument(word, "read", directories);
}
