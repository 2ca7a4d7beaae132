import type { Diagnostic } from "../diagnostics.ts";
import { type Extension, isExtensionClass } from "../sdk/extension.ts";
import type { PointName } from "../sdk/points.ts";
import { type DefaultRule, defaultClass } from "./default-export.ts";
import type { ModuleLoader } from "./module-loader.ts";

/** The class of an extension: one instance is made for each run. */
type ExtensionClass = new () => Extension<PointName>;

/** An extension, or the one thing that is wrong with its module. */
export type ExtensionOutcome = { readonly cls: ExtensionClass } | { readonly diagnostic: Diagnostic };

/**
 * Loads an extension's module and checks that its default export is one. Never rejects.
 * @param target `id` is `<point>/<file stem>`, `file` absolute
 */
export async function loadExtension(
  loader: ModuleLoader,
  target: { readonly id: string; readonly file: string },
): Promise<ExtensionOutcome> {
  const { id, file } = target;
  const outcome = await loader.import(file);
  if ("diagnostic" in outcome) return outcome;
  const [point = ""] = id.split("/");
  const rule: DefaultRule<ExtensionClass> = {
    base: "Extension",
    notAClass: "LOAD_NOT_AN_EXTENSION",
    isClass: isExtensionClass as DefaultRule<ExtensionClass>["isClass"],
    example: `export default class extends Extension<"${point}"> { async execute(payload) { … } }`,
  };
  return defaultClass(outcome.exports, { file, shown: loader.display(file), rule });
}
