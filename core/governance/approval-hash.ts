import { createHash } from "node:crypto";
import type { JsonObject } from "../sdk/result.ts";
import { canonicalJson } from "./canonical-json.ts";

/** What an approval is bound to. */
export interface BoundCall {
  /** The tool's id. */
  readonly tool: string;
  readonly method: string | undefined;
  /** In any order of their keys. */
  readonly args: JsonObject;
  /** Of the content of the tool's modules. */
  readonly modules: string;
}

/**
 * The SHA-256 of exactly one call. Whatever differs, differs here.
 * @throws TypeError for arguments without a canonical form: then nobody can be asked about them
 */
export function approvalHash({ tool, method, args, modules }: BoundCall): string {
  const text = canonicalJson({ tool, method: method ?? null, args, modules });
  return createHash("sha256").update(text).digest("hex");
}
