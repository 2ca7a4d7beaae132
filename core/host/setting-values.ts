import { join } from "node:path";
import type { Settings } from "../discovery/settings.ts";
import type { PromptLimits } from "../prompt/budget.ts";

/** A number of the settings. The settings file was checked, so anything else means that nobody set it. */
export function numberSetting(settings: Settings, key: string, fallback: number): number {
  const value = settings.get(key);
  return typeof value === "number" ? value : fallback;
}

/** A text of the settings, or undefined. */
export function textSetting(settings: Settings, key: string): string | undefined {
  const value = settings.get(key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** How long prompts may be. Nothing is limited that no settings file limits: counting tokens costs. */
export function promptLimits(settings: Settings): PromptLimits {
  const limit = (key: string): number | undefined => numberSetting(settings, key, 0) || undefined;
  return { maxTokens: limit("prompt.maxTokens"), fragmentTokens: limit("prompt.fragmentTokens") };
}

/** Levels of the log; `silent` writes nothing. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** Where the log goes: `log.file` (relative to the root), by default `logs/toolroom.log` of the state directory. */
export function logSettings(
  settings: Settings,
  places: { root: string; state: string },
): { file: string; level: LogLevel } {
  const named = textSetting(settings, "log.file");
  return {
    file: named === undefined ? join(places.state, "logs", "toolroom.log") : join(places.root, named),
    level: (textSetting(settings, "log.level") ?? "info") as LogLevel,
  };
}
