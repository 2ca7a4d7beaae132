import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { SchemaFit } from "./schema-fit.ts";

/** A tool whose schema was looked at. */
interface LookedAt {
  readonly id: string;
  /** The display path of its module. */
  readonly file: string;
  /** Providers or profiles, for people. */
  readonly to: string;
}

/** Tells why a provider is not given a tool. */
export function schemaRefused(
  { id, file, to }: LookedAt,
  refusals: readonly Pick<SchemaFit["refusals"][number], "pointer" | "message">[],
): Diagnostic {
  const reasons = refusals.map(({ pointer, message }) => `${pointer || "the top"} ${message}`).join("; ");
  return diagnostic("SCHEMA_REFUSED", {
    file,
    message: `the parameters of ${id} cannot be sent to ${to}, which would refuse every request with them: ${reasons}`,
    hint: `Change the schema there. Until then ${id} is left out of what ${to} is told; it can be called in every other way.`,
  });
}

/** Tells what a provider is sent in place of what the author wrote. */
export function schemaRewritten(
  { id, file, to }: LookedAt,
  rewrites: readonly Pick<SchemaFit["rewrites"][number], "pointer" | "rule" | "message">[],
): Diagnostic {
  const list = rewrites.map(({ pointer, rule, message }) => `${pointer || "the top"}: ${message} (${rule})`);
  const message = `the parameters of ${id} are rewritten for ${to}: ${list.join("; ")}`;
  return diagnostic("SCHEMA_REWRITTEN", { file, message });
}

/** Tells that providers are given another name than the tool's id. */
export function toolPublished({ id, file }: Pick<LookedAt, "id" | "file">, name: string): Diagnostic {
  return diagnostic("TOOL_PUBLISHED_NAME", {
    file,
    message: `providers are given ${id} as ${name}: they take names of at most 64 letters, digits, _ and - that begin with a letter or _`,
  });
}
