import type { HereDoc, Redirection } from "./parser.ts";
import { readText } from "./read-words.ts";
import type { Reading } from "./reading.ts";
import { shown } from "./refusal.ts";
import type { Redirect } from "./tree.ts";

/** What a command reads from and writes to besides its own input and output. */
export function readRedirects(redirects: readonly Redirection[], reading: Reading): readonly Redirect[] {
  return redirects.flatMap((redirect) => readRedirect(redirect, reading));
}

function readRedirect(redirect: Redirection, reading: Reading): readonly Redirect[] {
  const { descriptor: given } = redirect;
  if (given?.type === "FileDescriptorVariable") {
    return reading.refuse("redirection", `{${given.name}} keeps a file open in a variable; use a number`, []);
  }
  const descriptor = given?.value;
  if (redirect.type === "HereDoc") {
    reading.heredoc = true;
    return [{ type: "text", descriptor, text: readBody(redirect, reading), lines: true }];
  }
  if (!redirect.target) return reading.refuse("syntax", `there is nothing behind ${redirect.operator}`, []);
  if (redirect.target.parts?.some(({ type }) => type === "Glob" || type === "BraceExpansion")) {
    if (redirect.type !== "HereString") {
      return reading.refuse("redirection", `${shown(redirect.target.text)} is no name of one file; write it out`, []);
    }
  }
  const target = readText(redirect.target, reading);
  if (redirect.type === "HereString") return [{ type: "text", descriptor, text: target, lines: false }];
  const { operator } = redirect;
  if (operator !== "<&" && operator !== ">&") return [{ type: "file", descriptor, operator, target }];
  if (/^(?:\d{1,3}-?|-)$/u.test(target)) return [{ type: "merged", descriptor, operator, target }];
  const message = `${operator}${shown(target)} names a file and looks like a descriptor; write > file 2>&1`;
  return reading.refuse("redirection", message, []);
}

function readBody({ body, delimiter, closing, operator }: HereDoc, reading: Reading): string {
  if (!delimiter || !closing) {
    return reading.refuse("syntax", `the text behind ${operator} has no end: its last line has to be the word`, "");
  }
  const text = operator === "<<-" ? body.text.replace(/^\t+/gmu, "") : body.text;
  if (delimiter.quoted) return text;
  const computed = body.parts?.find(({ type }) => type !== "Literal");
  // What stands for something else is found by its sign as well: a grammar may see less than a shell.
  if (computed || /^(?:[^\\$`]|\\[\s\S])*[$`]/u.test(text)) {
    const what = computed ? shown(computed.text) : "a $ or a backquote";
    const message = `${what} in the text behind ${operator} stands for something else; put the word behind ${operator} in single quotes`;
    return reading.refuse("expansion", message, "");
  }
  return text.replace(/\\([\\$`\n])/gu, (_, char: string) => (char === "\n" ? "" : char));
}
