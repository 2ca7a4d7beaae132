/**
 * TypeScript cannot tell the transformer whether `export { Row } from "./rows.ts"` re-exports a value or a type,
 * so such a name may be missing in its origin without fault, as long as nothing uses it as a value.
 *
 * @param code text in the module-runner form
 * @returns the names under which `name` of `specifier` is re-exported and not otherwise used; empty = it is used
 */
export function typeReexports(code: string, specifier: string, name: string): readonly string[] {
  const exported: string[] = [];
  for (const binding of bindingsOf(code, specifier, name)) {
    for (const access of [`${binding}.${name}`, `${binding}[${JSON.stringify(name)}]`]) {
      const getters = gettersOf(code, access);
      if (getters.length !== countWhole(code, access)) return [];
      exported.push(...getters);
    }
  }
  return exported;
}

function bindingsOf(code: string, specifier: string, name: string): string[] {
  const imports = code.matchAll(
    /^const (__vite_ssr_import_\d+__) = await __vite_ssr_import__\((".*?"), \{ importedNames: (\[.*?\]) \}\);$/gm,
  );
  return [...imports]
    .filter(([, , from = "", names = ""]) => from === JSON.stringify(specifier) && parseNames(names).includes(name))
    .map(([, binding = ""]) => binding);
}

function parseNames(list: string): readonly string[] {
  try {
    return JSON.parse(list) as string[];
  } catch {
    // A name that is written in another way than JSON would: it is then not recognised, and reported as missing.
    return [];
  }
}

function gettersOf(code: string, access: string): string[] {
  const getters = code.matchAll(
    /^Object\.defineProperty\(__vite_ssr_exports__, ("(?:[^"\\]|\\.)*"), \{\n\tenumerable: true,\n\tconfigurable: true,\n\tget\(\) \{\n\t\treturn (.*);\n/gm,
  );
  return [...getters].filter(([, , value]) => value === access).map(([, name = ""]) => JSON.parse(name) as string);
}

function countWhole(code: string, access: string): number {
  let count = 0;
  for (let at = code.indexOf(access); at !== -1; at = code.indexOf(access, at + 1)) {
    if (!/[\w$]/.test(code[at + access.length] ?? "")) count += 1;
  }
  return count;
}
