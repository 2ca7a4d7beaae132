import type { Cassettes } from "./cassettes.ts";
import { type Environment, resolveEndpoint } from "./endpoints.ts";
import type { Model, ModelSettings } from "./model.ts";
import { OFFLINE, parseModelId } from "./model.ts";
import { createOfflineModel } from "./offline/model.ts";

/**
 * The model of an id; without one the offline model. Nothing is sent before the first question, and the provider's
 * library is imported only then.
 *
 * @throws HostError MODEL_UNKNOWN (usage), MODEL_KEY_MISSING, MODEL_MISCONFIGURED, and what {@link Cassettes} throw
 */
export async function openModel(
  id: string | undefined,
  options: { env: Environment; settings: ModelSettings; cassettes?: Cassettes },
): Promise<Model> {
  const { cassettes } = options;
  const replayed = await cassettes?.replay(id);
  if (replayed) {
    const { createProviderModel } = await import("./providers.ts");
    return { ...createProviderModel(replayed.id, replayed.endpoint, replayed.fetch), free: true };
  }
  const parsed = parseModelId(id ?? OFFLINE);
  if (parsed.provider === OFFLINE) {
    await cassettes?.record(OFFLINE);
    return createOfflineModel();
  }
  const endpoint = resolveEndpoint(parsed, options);
  const fetch = await cassettes?.record(endpoint);
  const { createProviderModel } = await import("./providers.ts");
  return createProviderModel(`${parsed.provider}/${parsed.model}`, endpoint, fetch);
}
