import type { ReplyScan } from "./reply-scan.ts";

/** A scan of a text that is no request. */
export type ReplyFault = Exclude<ReplyScan, { readonly kind: "object" | "leaked" | "empty" }>;

/** What is wrong with a text reply and where, in words for the model. */
export function describeFault(fault: ReplyFault, text: string): string {
  const where = place(text, fault.at);
  const found = quote(text.slice(fault.at));
  switch (fault.kind) {
    case "before":
      return fault.start === undefined
        ? `No JSON object was found; the reply begins with ${found}. Send one JSON object and nothing else.`
        : outside(`before it (${where}: ${quote(text.slice(fault.at, fault.start))})`);
    case "after":
      return outside(`behind it (${where}: ${found})`);
    case "second":
      return `The reply holds more than one JSON value: the second begins at ${where}. None was run; send exactly one.`;
    case "list":
      return "The reply is a list, but exactly one JSON object is expected. Send one request at a time.";
    case "open":
      return `The JSON object that begins at ${where} is never closed, so it was not run. Send it again, complete and shorter.`;
    case "brackets":
      return `The brackets of the JSON object do not match: the "${text[fault.at]}" at ${where} closes something else. Nothing was run.`;
    case "fence":
      return `The code fence that begins at ${where} is never closed, so what it holds was not run. Send the object alone.`;
  }
}

/** The place of an offset, as people count: `line 1, column 1`. */
export function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function outside(what: string): string {
  return `There is text outside the JSON object, ${what}, so it was not run. Send the object alone; thoughts belong in "thoughts".`;
}

function quote(text: string): string {
  const trimmed = text.trim();
  return JSON.stringify(trimmed.length > 60 ? `${trimmed.slice(0, 60)}…` : trimmed);
}
