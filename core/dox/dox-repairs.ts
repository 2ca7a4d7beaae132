import { repairedArguments } from "./argument-table.ts";
import { companionsIn } from "./companions.ts";
import { repairedRisk } from "./declared-risk.ts";
import { type Document, parseDocument } from "./document.ts";
import { repairedIndex } from "./page-index.ts";
import { type PagePlace, type Places, placesOf } from "./places.ts";
import { createReader, type Reader } from "./reader.ts";
import { companionStub, pageStub } from "./stubs.ts";
import type { CheckedTool, CheckSubject, Edit } from "./subject.ts";

/** What can be derived of documents: tables of arguments, risks, rows of children, and the beginnings of those that are missing. */
export function documentRepairs(subject: CheckSubject): readonly Edit[] {
  const reader = createReader(subject.files);
  const places = placesOf(reader, subject.usr);
  const toolOf = (module: string) => subject.tools.find(({ file }) => file === module);
  return [
    ...places.tools.flatMap((place) => {
      const { documented, missing } = companionsIn(place, reader, subject.tools);
      return [
        ...documented.flatMap(({ file, module }) => companionEdit(file, toolOf(module), reader)),
        ...missing.map((module) => ({
          file: `${module}.dox.md`,
          description: "begin the document",
          text: companionStub(module, toolOf(module), reader),
        })),
      ];
    }),
    ...places.pages.flatMap((place) => pageEdit(place, { places, reader, tools: subject.tools })),
  ];
}

function companionEdit(file: string, tool: CheckedTool | undefined, reader: Reader): readonly Edit[] {
  const [document, contract] = [reader.document(file), tool?.contract];
  if (!document || !contract) return [];
  const table = taking(document, (old) => repairedArguments(old, contract.parameters));
  const filled = table === undefined ? document : parseDocument(file, table);
  const risk = taking(filled, (old) => repairedRisk(old, contract.risk));
  const text = risk ?? table;
  const done = [
    ...(table === undefined ? [] : ["the table of arguments"]),
    ...(risk === undefined ? [] : ["the risk"]),
  ];
  return text === undefined ? [] : [{ file, description: `write ${done.join(" and ")}`, text }];
}

function pageEdit(
  place: PagePlace,
  {
    places,
    reader,
    tools,
  }: { readonly places: Places; readonly reader: Reader; readonly tools: readonly CheckedTool[] },
): readonly Edit[] {
  const { file, directory } = place;
  if (reader.kind(file) !== undefined) {
    const document = reader.document(file);
    const text = document && taking(document, (old) => repairedIndex(old, place, { places, reader }));
    return text === undefined ? [] : [{ file, description: "write the rows of the section Children", text }];
  }
  const own = tools.filter(
    (tool) => tool.candidate.plugin !== undefined && tool.file.startsWith(`${directory}/tools/`),
  );
  const begun = pageStub(place, own);
  const text = repairedIndex(parseDocument(file, begun), place, { places, reader }) ?? begun;
  return [{ file, description: "begin the page", text }];
}

/** What a repair makes of a document, where it takes: what is written into code or a comment that nothing closes is not seen. */
function taking(document: Document, repair: (document: Document) => string | undefined): string | undefined {
  const text = repair(document);
  return text !== undefined && repair(parseDocument(document.file, text)) === undefined ? text : undefined;
}
