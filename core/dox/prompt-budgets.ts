import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { readFrontMatter } from "../discovery/front-matter.ts";
import { argumentsOf } from "../prompt/arguments.ts";
import { countTokens } from "../prompt/tokens.ts";
import type { CheckSubject } from "./subject.ts";

/** Most tokens of a fragment where neither it nor a setting says anything: the larger of the bundled ones twice. */
const FRAGMENT_TOKENS = 1_000;

/** Most characters of a description where no setting says anything; every request carries those of all tools. */
const DESCRIPTION_LENGTH = 300;

/** Text has hardly ever more tokens than this share of its bytes; counting a thousand fragments takes long. */
const TOKENS_PER_BYTE = 1 / 2;

/**
 * Fragments and descriptions that are longer than is usual. What a `budget:` or the settings limit, the prompt keeps to and
 * tells itself.
 */
export async function checkBudgets({
  fragments,
  tools,
  profiles,
  files,
}: CheckSubject): Promise<readonly Diagnostic[]> {
  const settings = profiles[0]?.view.settings;
  const found: Diagnostic[] = [];
  const longest = settings?.get("prompt.descriptionLength");
  const limit = typeof longest === "number" ? longest : DESCRIPTION_LENGTH;
  const tooLong = (text: string | undefined): boolean => text !== undefined && [...text].length > limit;
  const told = (length: number) => ({
    message: `the description has ${length} characters, expected at most ${limit}`,
    hint: "Say in one sentence what the tool does; the rest belongs into the body of the fragment.",
  });
  for (const { own, file, meta, body } of fragments) {
    if (!own) continue;
    if (tooLong(meta.description)) {
      const place = readFrontMatter(files.read(file) ?? "", file).document?.position(["description"]) ?? {};
      found.push(diagnostic("DESCRIPTION_TOO_LONG", { file, ...place, ...told([...(meta.description ?? "")].length) }));
    }
    const limited = meta.budget !== undefined || settings?.get("prompt.fragmentTokens") !== undefined;
    if (limited || Buffer.byteLength(body) * TOKENS_PER_BYTE <= FRAGMENT_TOKENS) continue;
    const tokens = await countTokens(body);
    if (tokens <= FRAGMENT_TOKENS) continue;
    found.push(
      diagnostic("FRAGMENT_OVER_BUDGET", {
        file,
        message: `has ${tokens} tokens, expected at most ${FRAGMENT_TOKENS}`,
        hint: "Shorten it. Or write a budget: in its front matter; over it the summary: stands for the text.",
      }),
    );
  }
  for (const { own, file, contract } of tools) {
    if (!own || !contract) continue;
    if (tooLong(contract.description)) {
      found.push(diagnostic("DESCRIPTION_TOO_LONG", { file, ...told([...(contract.description ?? "")].length) }));
    }
    for (const { name, description } of argumentsOf(contract.parameters)) {
      if (!tooLong(description)) continue;
      const message = `the description of the argument ${name} has ${[...description].length} characters, expected at most ${limit}`;
      const hint = "Say in few words what belongs there; the rest belongs into the body of the fragment.";
      found.push(diagnostic("DESCRIPTION_TOO_LONG", { file, message, hint }));
    }
  }
  return found;
}
