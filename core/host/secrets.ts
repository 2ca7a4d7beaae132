import { join } from "node:path";
import type { Masker } from "../governance/mask.ts";
import { openSecrets, type Secrets, type SecretsPlace } from "../governance/secrets.ts";
import type { ContractCache } from "../loading/contract-cache.ts";
import type { Prompts } from "../prompt/assemble.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { GenerationHistory } from "./generation-history.ts";
import { secretValues } from "./secret-values.ts";

/** Lies in `usr/` and in the directory of a project. */
export const SECRETS_FILE = "secrets.env";

/** Reads `usr/secrets.env` and, over it, the project's; what the environment holds by custom is hidden as well. */
export function openHostSecrets({
  root,
  project,
  env,
  trusted,
}: {
  readonly root: string;
  readonly project: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the files may be used. */
  readonly trusted: boolean;
}): Secrets {
  const directories = trusted ? ["usr", ...(project === undefined ? [] : [`usr/projects/${project}`])] : [];
  const places = directories.map((directory): SecretsPlace => {
    const path = `${directory}/${SECRETS_FILE}`;
    return { file: join(root, path), path };
  });
  return openSecrets({ places, withheld: secretValues(env) });
}

/** The cache lies on the disk, and what a module threw while it was loaded may hold anything. */
export function maskedFailures(contracts: ContractCache, masker: Pick<Masker, "maskJson">): ContractCache {
  return {
    ...contracts,
    put(file, from, outcome) {
      contracts.put(file, from, "diagnostic" in outcome ? masker.maskJson(outcome) : outcome);
    },
  };
}

/** A file may hold a value that somebody keeps as a secret, and what is told of generations shows texts. */
export function maskedHistory(history: GenerationHistory, { maskJson }: Pick<Masker, "maskJson">): GenerationHistory {
  return {
    list: () => maskJson(history.list()),
    diff: (from, to) => maskJson(history.diff(from, to)),
    rollback: async (number) => maskJson(await history.rollback(number)),
    pin: history.pin,
    get pinned() {
      return history.pinned;
    },
    release: async () => {
      const receipt = await history.release();
      return receipt && maskJson(receipt);
    },
  };
}

/** Prompts whose files may name the secrets: the variable `secrets` is a list of `{name, comment?}`. */
export function withSecretNames(prompts: Prompts, secrets: Pick<Secrets, "names">): Prompts {
  const add = <Input extends { readonly variables: JsonObject }>(input: Input): Input => {
    const names = secrets.names().map((secret) => ({ ...secret }));
    return { ...input, variables: { ...input.variables, secrets: names } };
  };
  return {
    ...prompts,
    assemble: async (input) => await prompts.assemble(add(input)),
    render: async (input) => await prompts.render(add(input)),
  };
}
