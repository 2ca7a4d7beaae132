import { posix } from "node:path";
import { argumentsOf } from "../prompt/arguments.ts";
import { argumentLines, MARKERS } from "./argument-table.ts";
import { codesToName } from "./declared-output.ts";
import { riskLine } from "./declared-risk.ts";
import { moduleFacts } from "./module-sources.ts";
import type { PagePlace } from "./places.ts";
import type { Reader } from "./reader.ts";
import { DOX_SECTIONS, PAGE_SECTIONS, STUB } from "./required-sections.ts";
import type { CheckedTool } from "./subject.ts";
import { dashesLine, rowLine } from "./tables.ts";

/**
 * The beginning of a companion document: what the code says, and for the rest a mark that the check goes on to tell of.
 * @param tool undefined where the module does not load
 */
export function companionStub(module: string, tool: CheckedTool | undefined, reader: Reader): string {
  const contract = tool?.contract;
  const facts = moduleFacts(reader, module);
  const rows = argumentsOf(contract?.parameters ?? null);
  const codes = codesToName(facts).map((code) => `\`${code}\``);
  const table = [MARKERS.open, ...argumentLines(rows), MARKERS.close].join("\n");
  const ends = codes.length === 0 ? "" : ` Errors: ${codes.join(", ")}.`;
  const written = contract && {
    Arguments: rows.length > 0 ? table : contract.parameters === null ? "Any object." : "None.",
    Output: `${STUB}\n\n\`breakLoop\` is ${facts.breaksAt !== undefined}.${ends}`,
    "Side effects": `${STUB}\n\n${riskLine(contract.risk)}`,
  };
  return text(tool?.id ?? posix.basename(module).replace(/\.\w+$/u, ""), DOX_SECTIONS, written);
}

/** The beginning of a page. @param tools those of the plugin that it is of */
export function pageStub({ directory }: PagePlace, tools: readonly CheckedTool[]): string {
  const rows = tools.map(({ id, contract }) =>
    rowLine([`\`${id}\``, contract?.description ?? "", contract?.risk ?? ""]),
  );
  const header = [rowLine(["tool", "does", "risk"]), dashesLine(3)];
  return text(directory, PAGE_SECTIONS, {
    ...(rows.length === 0 ? {} : { Ownership: [...header, ...rows].join("\n") }),
    Children: "None.",
  });
}

function text(title: string, sections: readonly string[], written: Partial<Record<string, string>> = {}): string {
  const parts = sections.map((section) => `## ${section}\n\n${written[section] ?? STUB}\n`);
  return [`# ${title}\n`, ...parts].join("\n");
}
