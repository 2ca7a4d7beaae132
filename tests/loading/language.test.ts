import { describe, expect, test } from "vitest";
import { load, workbench } from "./workbench.ts";

/** TypeScript and JavaScript features; each module's default export must be `true`. */
const FEATURES: Record<string, Record<string, string>> = {
  enums: {
    "a.ts":
      "enum A { x = 1, y = x << 2 } const enum B { z = 'q' } export default A.y === 4 && A[1] === 'x' && B.z === 'q';",
  },
  namespaces: {
    "a.ts":
      "namespace N { export const n = 1; export namespace M { export const m = n + 1; } } export default N.M.m === 2;",
  },
  "parameter properties": {
    "a.ts":
      "class A { constructor(readonly n: number, private m = 2) {} sum() { return this.n + this.m; } } export default new A(1).sum() === 3;",
  },
  "declared fields": {
    "a.ts":
      "class A { n = 1; } class B extends A { declare n: number; other?: string; } export default new B().n === 1 && 'other' in new B();",
  },
  "abstract classes": {
    "a.ts":
      "abstract class A { abstract run(): number; twice() { return this.run() * 2; } } class B extends A { run() { return 2; } } export default new B().twice() === 4;",
  },
  "satisfies, as, non-null, generics": {
    "a.ts":
      "const f = <T,>(x: T): T => x; const v = { n: 1 } satisfies { n: number }; export default f<number>(v!.n as number) === 1;",
  },
  "import =, export =": {
    "lib.cts": "import path = require('node:path'); export = { sep: path.sep };",
    "a.ts": "import lib from './lib.cts'; export default lib.sep === '/';",
  },
  "private and static members": {
    "a.ts":
      "class A { static #n = 0; static { A.#n = 1; } static get n() { return A.#n; } static has(x: object) { return #m in x; } #m = 1; } export default A.n === 1 && A.has(new A());",
  },
  "legacy decorators": {
    "lib.ts":
      "export const log: string[] = []; export function tag(name: string) { return (...args: any[]): void => { log.push(name + ':' + typeof args[1]); }; }",
    "a.ts":
      "import { log, tag } from './lib.ts';\n@tag('class') class A { n = 1; @tag('method') run(@tag('parameter') _x: number) {} }\nexport default log.join() === 'parameter:string,method:string,class:undefined' && new A().n === 1;",
  },
  "a decorator on the default export": {
    "a.ts":
      "function mark(cls: any) { cls.marked = true; } @mark export default class A { static get ok() { return (A as any).marked; } static default = true; }\n",
    "b.ts": "import A from './a.ts'; export default A.ok;",
  },
  using: {
    "a.ts":
      "const log: string[] = []; { using a = { [Symbol.dispose ?? Symbol.for('Symbol.dispose')]: () => log.push('gone') }; log.push(typeof a); } export default log.join() === 'object,gone';",
  },
  "await using in a function": {
    "a.ts":
      "const log: number[] = []; async function f() { await using a = { [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]: async () => { log.push(2); } }; void a; log.push(1); } await f(); export default log.join() === '1,2';",
  },
  "a default beside a namespace": {
    "lib.ts": "export default 1; export const two = 2;",
    "a.ts": "import one, * as all from './lib.ts'; export default one === 1 && all.two === 2 && all.default === 1;",
  },
  "decorators with imports of every kind": {
    "lib.ts": "export default 1; export let n = 1; export const up = () => { n++; };",
    "d.json": '{"v": 1}',
    "c.cjs": "module.exports = { v: 1 };",
    "a.ts":
      "import one, * as all from './lib.ts'; import { n, up } from './lib.ts'; import json from './d.json'; import common, { v } from './c.cjs'; import { Tool } from 'toolroom'; import fs from 'node:fs';\nfunction d(_: unknown) {}\n@d class A {}\nup(); const later = await import('./lib.ts');\nexport default one + all.default + json.v + common.v + v === 5 && n === 2 && later.n === 2 && typeof Tool === 'function' && typeof fs.readFileSync === 'function' && import.meta.url.endsWith('a.ts') && !!A;",
  },
  "exports of an own-transformed module are live": {
    "lib.ts":
      "function d(_: unknown) {} @d class A {} export let n = 1; export const up = () => { n++; }; export { A };",
    "a.ts": "import { n, up } from './lib.ts'; up(); export default n === 2;",
  },
  "@ in comments, strings, templates and regular expressions": {
    "a.ts":
      "/** @param x */ // @dec\nconst a = '@x', b = `@y\n@z class`, c = /@w/; export default a + b + c.source === '@x@y\\n@z class@w';",
  },
  "names that the loader uses": {
    "a.ts":
      "const require = 1, module = 2, exports = 3, jitiImport = 4, process = 5; export const __filename = 6; export default require + module + exports + jitiImport + process + __filename === 21;",
  },
  "this, strict mode": {
    "a.ts": "export default this === undefined && (function (this: unknown) { return this === undefined; })();",
  },
  "sloppy mode in CommonJS": {
    "a.cjs":
      "var undeclared = function () { leak_ = 1; return typeof this; }; module.exports = undeclared() === 'object' && delete globalThis.leak_;",
  },
  "a directive in CommonJS": {
    "a.cjs": "'use strict'; module.exports = (function () { return this === undefined; })();",
  },
  "top-level await and for await": {
    "a.ts": "let n = 0; for await (const x of [Promise.resolve(1), 2]) n += x; export default n === 3;",
  },
  "dynamic imports": {
    "lib.ts": "export const n = 1;",
    "a.ts": "const name = 'lib'; const { n } = await import('./' + name + '.ts'); export default n === 1;",
  },
  "import attributes": {
    "d.json": '{"n": 1}',
    "a.ts":
      "import d from './d.json' with { type: 'json' }; const e = await import('./d.json', { with: { type: 'json' } }); export default d.n === 1 && e.default === d;",
  },
  "string names": {
    "lib.ts": "const n = 1; export { n as 'a b' };",
    "a.ts": "import { 'a b' as n } from './lib.ts'; export default n === 1;",
  },
  "default re-exports": {
    "lib.ts": "export { default } from './x.ts'; export { default as named } from './x.ts';",
    "x.ts": "export default 1;",
    "a.ts": "import d, { named } from './lib.ts'; export default d + named === 2;",
  },
  "hoisted functions before imports": {
    "lib.ts": "export const n = 1;",
    "a.ts": "export default f(); function f() { return n === 1; } import { n } from './lib.ts';",
  },
  "regular expression flags": {
    "a.ts": "export default /[\\p{L}--[a-z]]/v.test('A') && /a/d.exec('a')?.indices?.[0]?.[0] === 0;",
  },
  "compiled CommonJS with __esModule": {
    "lib.cjs": "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 1; exports.n = 2;",
    "a.ts": "import d, { n } from './lib.cjs'; export default d === 1 && n === 2;",
  },
  "exports.default in CommonJS": {
    "lib.cjs": "exports.default = 1;",
    "a.ts": "import d from './lib.cjs'; export default d === 1;",
  },
  "a function as module.exports": {
    "lib.cjs": "module.exports = function () { return 1; }; module.exports.n = 2;",
    "a.ts": "import f, { n } from './lib.cjs'; export default f() === 1 && n === 2;",
  },
  "a return at the top of CommonJS": {
    "lib.cjs": "exports.n = 1; return; exports.n = 2;",
    "a.ts": "import { n } from './lib.cjs'; export default n === 1;",
  },
  "require in TypeScript": {
    "lib.cjs": "exports.n = 1;",
    "a.cts":
      "const { n } = require('./lib.cjs'); const path = require('node:path'); exports.ok = n === 1 && typeof path.join === 'function';",
    "b.ts": "import { ok } from './a.cts'; export default ok;",
  },
  "TypeScript and ES modules required by CommonJS": {
    "lib.ts":
      "import { m } from './m.mjs'; enum A { x = 1 } export const n: number = A.x + m; export default class B {}",
    "m.mjs": "export const m = 1;",
    "c.cjs":
      "const lib = require('./lib'); module.exports = lib.n === 2 && lib.default.name === 'B' && require('./m.mjs').m === 1;",
    "a.ts": "import ok from './c.cjs'; export default ok;",
  },
  "one instance for import and require": {
    "lib.ts": "export const value = {};",
    "c.cjs": "exports.value = require('./lib.ts').value;",
    "a.ts": "import { value } from './lib.ts'; import c from './c.cjs'; export default c.value === value;",
  },
  JSX: {
    "jsx.tsx":
      "/** @jsxRuntime classic */ /** @jsx h */ const h = (tag: string) => tag; export const ok = <b /> === 'b';",
    "a.ts": "import { ok } from './jsx.tsx'; export default ok;",
  },
};

describe("language", () => {
  test.each(Object.keys(FEATURES))("%s", async (name) => {
    const { write, loader: open } = workbench();
    const file = write(FEATURES[name] as Record<string, string>);
    for (const cacheDir of [undefined, `${file}.cache`, `${file}.cache`]) {
      const loader = open(cacheDir ? { cacheDir } : {});
      expect((await load(loader, file)).default).toBe(true);
      await loader.close();
    }
  });
});
