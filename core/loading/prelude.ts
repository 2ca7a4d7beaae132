import { ENTER } from "./jiti.ts";

/** Every prelude takes one line of its own, so the line that V8 reports is one more than the text's. */
export const PRELUDE_LINES = 1;

/** The names that the module-runner form uses, and the keys of `Runtime` that they are bound to. */
const RUNNER_NAMES = [
  ["__vite_ssr_import__", "i"],
  ["__vite_ssr_dynamic_import__", "d"],
  ["__vite_ssr_exports__", "e"],
  ["__vite_ssr_exportAll__", "a"],
  ["__vite_ssr_import_meta__", "m"],
] as const;

/**
 * The body of an async function in the module-runner form, with the names that it uses bound to the loader's
 * functions (`runtime.ts`). The block lets a module declare its own `require`, a parameter of the function.
 */
export function runnerText(code: string): string {
  const used = RUNNER_NAMES.filter(([name]) => code.includes(name)).map(([name, key]) => `${key}:${name}`);
  // Also in a text that binds nothing: that it entered tells that it compiled.
  const bind = code.includes("require")
    ? `const __toolroom__=${ENTER},{${used.join()}}=__toolroom__;require=__toolroom__.r;`
    : `const{${used.join()}}=${ENTER};`;
  return `"use strict";${bind}{\n${withoutHashbang(code)}\n}`;
}

/** The same for a text of jiti's own transformer. */
export function ownText(code: string): string {
  return `"use strict";({d:jitiImport,e:exports,r:require,s:jitiESMResolve}=${ENTER});{\n${withoutHashbang(code)}\n}`;
}

/** A CommonJS text whose `require` is the loader's. The function gives it `this`, and its own directives. */
export function commonJsText(code: string): string {
  return `require=${ENTER}.r;(function(){\n${withoutHashbang(code)}\n}).call(exports);`;
}

/** A hashbang is only allowed as the very first thing, and a prelude comes before it. */
function withoutHashbang(code: string): string {
  return code.startsWith("#!") ? `//${code.slice(2)}` : code;
}
