#!/usr/bin/env node
// Joins the modules of the host into a few files, because a process that loads one file starts several times
// sooner than one that loads a hundred. `dist/bundle/` is what runs; `dist/core/` holds the types and, for the bench,
// the single modules.
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * Takes modules of Node as they are. An `import` of one copies all that it exports first, and reading `ReadStream` or
 * `promises` of `node:fs` loads the whole of streams: 5 ms of every start.
 */
function plainBuiltins(code) {
  const imports = /^import (?:(\w+)(?:, )?)?(?:\* as (\w+)|\{([^}]*)\})? from "(node:[\w/]+)";$/gmu;
  return code.replace(imports, (_, whole, all, names, module) => {
    const targets = [whole, all, names && `{${names.replaceAll(" as ", ": ")}}`].filter(Boolean);
    return targets.map((target) => `const ${target} = process.getBuiltinModule("${module}");`).join("\n");
  });
}

/** The modules that each command imports before it knows what it has to do. */
const START = new RegExp(
  [
    "core/cli/(?:colors|command|command-line|commands|help|interrupt|options|strict|table|terminal|usage)\\.ts$",
    "core/sdk/(?:arguments|errors|events|json|nearest)\\.ts$",
    "core/discovery/(?:conventions|listing|look|paths)\\.ts$",
    "core/cli/commands/list\\.ts$",
    "core/host/(?:host-directories|kept-listing|listing-file|root-trust)\\.ts$",
    "core/governance/trust-file\\.ts$",
    "core/loading/atomic-file\\.ts$",
    "core/(?:diagnostics|locations)\\.ts$",
  ].join("|"),
);

// The schema library is the one package that every tool needs at once: as a hundred small files it would cost more
// than all the rest of a start. Every other package is loaded where it lies, and only when it is needed.
const bundle = await rolldown({
  input: {
    "cli/main": at("core/cli/main.ts"),
    index: at("core/index.ts"),
    "probe-main": at("core/probing/probe-main.ts"),
    testing: at("core/testing/test-tool.ts"),
    "verify-dox": at("scripts/verify-dox.ts"),
  },
  platform: "node",
  external: /^(?![./]|zod$|[A-Za-z]:\\)/,
  tsconfig: false,
  plugins: [{ name: "plain-builtins", renderChunk: plainBuiltins }],
});
const { output } = await bundle.write({
  dir: at("dist/bundle"),
  format: "esm",
  chunkFileNames: "chunks/[name]-[hash].js",
  // Comments go, names stay: a stack trace of the host has to be readable.
  // What every command needs first is one file.
  codeSplitting: { groups: [{ name: "start", test: START }] },
  comments: { legal: true, annotation: false, jsdoc: false },
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
});
await bundle.close();
// What runs now still needs its chunks until the new ones lie there.
const written = new Set(output.map(({ fileName }) => fileName));
for (const file of readdirSync(at("dist/bundle"), { recursive: true })) {
  const name = file.replaceAll("\\", "/");
  if (name.endsWith(".js") && !written.has(name)) rmSync(at(`dist/bundle/${name}`));
}
for (const file of ["cli/main.js", "verify-dox.js"]) chmodSync(at(`dist/bundle/${file}`), 0o755);
