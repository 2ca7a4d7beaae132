import { isObject } from "../dispatch/schema-rules.ts";
import type { Argument, SchemaFacts } from "./schema-facts.ts";

const NAMES =
  /^(?:.+_)?(?:path|paths|file|files|filename|filenames|filepath|dir|dirs|directory|directories|folder|folders|cwd)$/u;

/** The arguments that are paths of the workspace. @param named the author's word for them, where there is one */
export function pathArguments({ arguments: all }: SchemaFacts, named?: readonly string[]): readonly Argument[] {
  const texts = all.filter(({ isText, isTextList }) => isText || isTextList);
  if (named) return texts.filter(({ name }) => named.includes(name));
  return texts.filter(({ name, schema }) => NAMES.test(name) || (isObject(schema) && schema.format === "path"));
}
