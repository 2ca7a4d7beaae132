import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Jiti, JitiOptions } from "jiti";

/** What an evaluated text is given: see `runtime.ts`. */
type Enter = (module: NodeModule) => unknown;

/** What jiti's own transformer made of a source. `position` of an error is 1-based, 0 where unknown. */
export type OwnTransformed =
  | { readonly code: string; readonly mappings: readonly string[] }
  | { readonly error: string; readonly line: number; readonly column: number };

/** jiti, reduced to what the loader asks of it. */
export interface Engine {
  /**
   * Evaluates a text as the body of an async function. Its prelude must call {@link ENTER} before anything else.
   * @returns a promise that settles with the text's top level
   */
  evaluate(text: string, file: string, enter: Enter): Promise<unknown>;
  /** Evaluates a CommonJS text and returns its `module.exports`. */
  evaluateSync(text: string, file: string, enter: Enter): unknown;
  /** The URL that `specifier` means for `parent`, an absolute path; missing extensions and `.js` for `.ts` are tried. */
  resolve(specifier: string, parent: string): string | undefined;
  /** jiti's own transformer: slower, but it knows decorators and `using`, and can make synchronous text. */
  ownTransform(source: string, file: string, form: "async" | "sync"): OwnTransformed;
}

/** The expression with which a prelude asks for what {@link Enter} returns. */
export const ENTER = `require("toolroom:enter")(module)`;

/**
 * @param base an absolute directory from which packages are looked up that are not found beside their importer
 */
export function createEngine(base: string): Engine {
  const require = createRequire(import.meta.url);
  const { createJiti } = require("jiti") as typeof import("jiti");
  let entering: Enter | undefined;
  const enter = (module: NodeModule): unknown => {
    if (!entering) throw new Error("a module was evaluated outside the loader");
    const current = entering;
    entering = undefined;
    return current(module);
  };
  const runner = createJiti(`${base}/`, {
    ...OPTIONS,
    // The text that is handed to evalModule is final.
    transform: ({ source }) => ({ code: source }),
    virtualModules: { "toolroom:enter": enter },
  });
  let own: Jiti | undefined;

  const run = (text: string, file: string, options: { async: boolean; enter: Enter }): unknown => {
    entering = options.enter;
    try {
      // The name and the extension are given so that jiti does not work them out, and asks no package.json.
      return runner.evalModule(text, {
        id: file,
        filename: file,
        ext: ".ts",
        forceTranspile: true,
        async: options.async,
      });
    } finally {
      entering = undefined;
    }
  };

  return {
    evaluate: async (text, file, onEnter) => run(text, file, { async: true, enter: onEnter }),
    evaluateSync: (text, file, onEnter) => run(text, file, { async: false, enter: onEnter }),
    resolve: (specifier, parent) => {
      const found: unknown = runner.esmResolve(specifier, { parentURL: pathToFileURL(parent), try: true });
      return found === undefined ? undefined : String(found);
    },
    ownTransform: (source, file, form) => {
      own ??= createJiti(`${base}/`, { ...OPTIONS, sourceMaps: true });
      const ts = /\.[cm]?tsx?$/.test(file);
      return readOwn(own.transform({ source, filename: file, ts, async: form === "async", jsx: file.endsWith("x") }));
    },
  };
}

/** All of them given, so that no JITI_* variable of the environment changes what a person's tools do. */
const OPTIONS: JitiOptions = {
  fsCache: false,
  moduleCache: false,
  interopDefault: false,
  sourceMaps: false,
  debug: false,
  tryNative: false,
  tsconfigPaths: false,
  esmEvalTempFile: false,
  jsx: false,
  alias: {},
  nativeModules: [],
  transformModules: [],
  extensions: [".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".jsx", ".json"],
};

function readOwn(text: string): OwnTransformed {
  const failed = text.match(/^exports\.__JITI_ERROR__ = (\{.*\})/);
  if (failed?.[1]) {
    const { message, line, column } = JSON.parse(failed[1]) as { message: string; line: number; column: number };
    return { error: message.split("\n", 1)[0]?.trim() ?? "", line, column: line === 0 ? 0 : column + 1 };
  }
  const inline = text.match(/\n\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,([\w+/=]+)\s*$/);
  if (!inline?.[1]) return { code: text, mappings: [] };
  const map = JSON.parse(Buffer.from(inline[1], "base64").toString()) as { mappings: string };
  return { code: text.slice(0, inline.index), mappings: [map.mappings] };
}
