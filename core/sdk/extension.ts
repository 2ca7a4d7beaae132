import type { PointMap, PointName } from "./points.ts";
import type { ToolAgent } from "./tool.ts";

const EXTENSION_BRAND = Symbol.for("toolroom.Extension");

/** What an extension is given besides its payload. */
export interface ExtensionContext {
  /** The agent at whose life cycle the point lies; undefined for a call without an agent. */
  readonly agent: ToolAgent | undefined;
  /** Fires when the call or the turn is stopped. */
  readonly signal: AbortSignal;
}

/**
 * The base of an extension: `export default class extends Extension<"tool_execute_before"> { … }` in
 * `extensions/tool_execute_before/_50_name.ts`. One instance is made for each run.
 */
export abstract class Extension<Point extends PointName> {
  static readonly [EXTENSION_BRAND] = true;

  /**
   * Runs at the point. The payload may be changed in place where its fields allow; a returned value is ignored.
   * What it throws is attributed to it: see {@link PointMap} for what a failure does at this point.
   */
  abstract execute(payload: PointMap[Point], context: ExtensionContext): void | Promise<void>;
}

/** A class that extends {@link Extension}, of this or of another copy of the SDK. */
export function isExtensionClass(value: unknown): value is new () => Extension<PointName> {
  return typeof value === "function" && (value as unknown as Record<symbol, unknown>)[EXTENSION_BRAND] === true;
}
