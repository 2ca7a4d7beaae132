import path from "node:path";
import type { OwnTransformed } from "./jiti.ts";
import { positionAtByte } from "./positions.ts";
import { commonJsText, ownText, runnerText } from "./prelude.ts";
import { originalPosition } from "./source-maps.ts";

/** A module's text as the loader evaluates it, prelude included. */
export interface Transformed {
  /** Who made it: oxc, or jiti's own transformer. */
  readonly form: "runner" | "own";
  readonly code: string;
  /** The `mappings` of the source maps, last step first. */
  readonly mappings: readonly string[];
}

/** The author's source does not parse. Positions are 1-based; undefined where unknown. */
export interface SyntaxFault {
  readonly message: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** Names what made a cached text: it changes with the pinned version of oxc and with anything here or in the prelude. */
export const TRANSFORM_VERSION = "oxc-0.151.0/2";

/** Transforms one source; `file` gives the dialect by its extension. */
export type Transform = (source: string, file: string) => Transformed | { readonly fault: SyntaxFault };

/**
 * Loads oxc. Two steps: TypeScript away, then imports and exports into calls. What oxc gets wrong or refuses
 * (decorators, `using`, `import d, * as ns`) goes through `own`, and is a fault only where that refuses it too.
 */
export async function openTransform(own: (source: string, file: string) => OwnTransformed): Promise<Transform> {
  const { moduleRunnerTransformSync, transformSync } = await import("oxc-transform");

  return (source, file) => {
    const script = transformSync(path.basename(file), source, {
      sourcemap: true,
      // Both settings make oxc call a helper for what it would otherwise pass through as unknown syntax.
      decorator: { legacy: true },
      target: "es2025",
    });
    const [first] = script.errors;
    if (first) {
      const start = first.labels[0]?.start;
      const at = start === undefined ? undefined : positionAtByte(source, start);
      return ownTransformed(own(source, file), "async", { message: first.message, line: at?.line, column: at?.column });
    }
    if (needsHelper(script.helpersUsed) || /^import [\w$]+, \* as /m.test(script.code)) {
      return ownTransformed(own(source, file), "async");
    }
    const module = moduleRunnerTransformSync("module.mjs", script.code, { sourcemap: true });
    const mappings = [module.map?.mappings ?? "", script.map?.mappings ?? ""];
    const [wrong] = module.errors;
    if (wrong) {
      // The text was parsed once: what is wrong now (an export of nothing, two defaults) is no matter of dialect.
      const start = wrong.labels.at(-1)?.start;
      const at =
        start === undefined ? undefined : originalPosition(mappings.slice(1), positionAtByte(script.code, start));
      return { fault: { message: wrong.message, line: at?.line, column: at?.column } };
    }
    return { form: "runner", code: runnerText(module.code), mappings };
  };
}

/**
 * A text of jiti's own transformer: an async one for `import`, a sync one for `require`.
 * @param fault what oxc found before: it is told where this one refuses the source too
 */
export function ownTransformed(
  result: OwnTransformed,
  form: "async" | "sync",
  fault?: SyntaxFault,
): Transformed | { readonly fault: SyntaxFault } {
  if ("code" in result) {
    const code = form === "async" ? ownText(result.code) : commonJsText(result.code);
    return { form: "own", code, mappings: result.mappings };
  }
  const { error, line, column } = result;
  return { fault: fault ?? { message: error, line: line || undefined, column: column || undefined } };
}

function needsHelper(helpers: Readonly<Record<string, string>>): boolean {
  return Object.keys(helpers).length > 0;
}
