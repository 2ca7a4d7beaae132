import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { ToolContract } from "../loading/tool-contract.ts";
import { type Document, sectionOf } from "./document.ts";

/** `dynamic`: it depends on the arguments. */
type Risk = ToolContract["risk"];

/** How a line of the section Side effects says the risk. */
export function riskLine(risk: Risk): string {
  return `Risk: ${risk}.`;
}

/** Compares the line `Risk: …` of the section Side effects with the code. A section that is missing is not asked. */
export function riskFindings(document: Document, risk: Risk): readonly Diagnostic[] {
  const { file } = document;
  const effects = sectionOf(document, "Side effects");
  const said = saidIn(document);
  if (!effects || said?.word === risk) return [];
  const message = `expected a line "${riskLine(risk)}", as the code has it, found ${said?.word ?? "none"}`;
  const fix = { file, description: "write the risk" };
  const hint = "Change the one that is wrong, or `check dox --fix` writes what the code has.";
  return [diagnostic("DOX_RISK", { file, line: said?.line ?? effects.line, message, hint, fix })];
}

/** The text of a document with the risk that the code has. Undefined: it has it. */
export function repairedRisk(document: Document, risk: Risk): string | undefined {
  const effects = sectionOf(document, "Side effects");
  if (!effects || riskFindings(document, risk).length === 0) return undefined;
  const said = saidIn(document);
  const lines = document.text.split(/\r?\n/u);
  if (said) lines[said.line - 1] = (lines[said.line - 1] ?? "").replace(RISK, `$1${risk}`);
  else lines.splice(effects.line, 0, "", riskLine(risk));
  return lines.join(document.text.includes("\r\n") ? "\r\n" : "\n");
}

const RISK = /^(\s*(?:[-*]\s+)?Risk:\s*`?)(\w+)/u;

function saidIn(document: Document): { readonly word: string; readonly line: number } | undefined {
  const lines = sectionOf(document, "Side effects")?.lines ?? [];
  return lines.map(({ prose, line }) => ({ word: RISK.exec(prose)?.[2] ?? "", line })).find(({ word }) => word !== "");
}
