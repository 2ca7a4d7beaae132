import { type Environment, resolveEndpoint } from "./endpoints.ts";
import type { Model, ModelSettings } from "./model.ts";
import { OFFLINE, parseModelId } from "./model.ts";
import { createOfflineModel } from "./offline/model.ts";

/**
 * The model of an id; without one the offline model. Nothing is sent before the first question, and the provider's
 * library is imported only then.
 *
 * @throws HostError MODEL_UNKNOWN (usage), MODEL_KEY_MISSING, MODEL_MISCONFIGURED
 */
export async function openModel(
  id: string | undefined,
  options: { env: Environment; settings: ModelSettings },
): Promise<Model> {
  const parsed = parseModelId(id ?? OFFLINE);
  if (parsed.provider === OFFLINE) return createOfflineModel();
  const endpoint = resolveEndpoint(parsed, options);
  const { createProviderModel } = await import("./providers.ts");
  return createProviderModel(`${parsed.provider}/${parsed.model}`, endpoint);
}
