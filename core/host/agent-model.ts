import type { Registry } from "../loading/registry.ts";
import type { Cassettes } from "../model/cassettes.ts";
import type { Model } from "../model/model.ts";
import { openModel } from "../model/open.ts";
import { textSetting } from "./setting-values.ts";

/** What decides about the models of a host. */
export interface ModelParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cassettes: Cassettes;
  /** The model that the host was told to use, or was given, above every setting. */
  readonly model: string | Model | undefined;
}

/** The model of an agent of a profile. @throws HostError MODEL_UNKNOWN */
export async function modelOf(parts: ModelParts, registry: Registry): Promise<Model> {
  if (typeof parts.model === "object") return parts.model;
  return await openModel(modelId(parts, registry), { ...parts, settings: registry.view.settings });
}

/** The person's word goes before the profile's, the profile's before the settings', theirs before the environment's. */
export function modelId({ model, env }: Pick<ModelParts, "model" | "env">, { view }: Registry): string | undefined {
  // A model that the host was given, and not told of, has its id itself.
  const asked = typeof model === "object" ? model.id : model;
  return asked ?? view.profile.model ?? textSetting(view.settings, "model") ?? (env.TOOLROOM_MODEL || undefined);
}
