import { ENTER } from "./jiti.ts";
import type { Transformed } from "./transform.ts";

/** Every prelude takes one line of its own, so the line that V8 reports is one more than the text's. */
export const PRELUDE_LINES = 1;

/**
 * A transformed text with its imports bound to the loader's functions (`runtime.ts`). The block lets a module
 * declare its own `require`, which is a parameter of the function around it.
 */
export function asyncText({ form, code }: Pick<Transformed, "form" | "code">): string {
  const bind =
    form === "runner"
      ? `const{i:__vite_ssr_import__,d:__vite_ssr_dynamic_import__,e:__vite_ssr_exports__,a:__vite_ssr_exportAll__,m:__vite_ssr_import_meta__,r:__toolroom_require__}=${ENTER};require=__toolroom_require__;`
      : `({d:jitiImport,e:exports,r:require,s:jitiESMResolve}=${ENTER});`;
  return `"use strict";${bind}{\n${code}\n}`;
}

/** A CommonJS text whose `require` is the loader's. The function gives it `this`, and its own directives. */
export function commonJsText(code: string): string {
  return `require=${ENTER}.r;(function(){\n${code}\n}).call(exports);`;
}
