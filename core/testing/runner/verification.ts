/** What an `AGENTS.md` lists under Verification. */
export interface VerificationCommand {
  readonly command: string;
  /** 1-based line of the document. */
  readonly line: number;
}

const FENCE = /^\s*(`{3,}|~{3,})\s*([\w-]*)/u;
const SHELLS: ReadonlySet<string> = new Set(["", "sh", "bash", "shell", "console", "zsh"]);
/** A code span that a line or an item of a list begins with. */
const SPAN = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s+)?`([^`]+)`/u;

/**
 * The commands in the section `## Verification` of a document, in their order: each line of a code block of a shell, or
 * of one without a language (a leading `$ ` is dropped, comments are passed over), and each code span that begins a line
 * or an item of a list and has more than one word, or names a program by its path. Other code spans are words of a
 * sentence. A command that is `toolroom test` itself is passed over.
 */
export function verificationCommands(markdown: string): readonly VerificationCommand[] {
  const found: VerificationCommand[] = [];
  let inside = false;
  let fence: { readonly marker: string; readonly isShell: boolean } | undefined;
  const add = (text: string, index: number): void => {
    const command = text.trim().replace(/^\$\s+/u, "");
    if (command !== "" && !command.startsWith("#") && !isItself(command)) found.push({ command, line: index + 1 });
  };
  for (const [index, line] of markdown.split(/\r?\n/u).entries()) {
    const [, marker = "", language = ""] = FENCE.exec(line) ?? [];
    if (fence) {
      if (marker.startsWith(fence.marker)) fence = undefined;
      else if (inside && fence.isShell) add(line, index);
      continue;
    }
    if (marker !== "") {
      fence = { marker, isShell: SHELLS.has(language.toLowerCase()) };
      continue;
    }
    const [, level, title = ""] = /^(#{1,2})\s+(.*?)[\s#]*$/u.exec(line) ?? [];
    if (level !== undefined) inside = level === "##" && title.toLowerCase() === "verification";
    const [, span] = SPAN.exec(line) ?? [];
    if (inside && span !== undefined && isCommand(span)) add(span, index);
  }
  return found;
}

/** `npx vitest run` is one, `word_count` is not. */
function isCommand(span: string): boolean {
  return /^\.{0,2}\//u.test(span) || /^[\w./@-]+\s+\S/u.test(span.trim());
}

/** It would run itself without an end. */
function isItself(command: string): boolean {
  return /(?:^|[\s/])toolroom\s+test(?:\s|$)|\bnpm\s+(?:start|run\s+start)\s+--\s+test(?:\s|$)|\bmain\.js\s+test(?:\s|$)/u.test(
    command,
  );
}
