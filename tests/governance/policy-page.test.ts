import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { RISK_PROFILE_KEYS } from "../../core/discovery/risk-profile-keys.ts";
import { DEFAULT_SETTINGS } from "../../core/discovery/settings.ts";
import { parseYaml } from "../../core/discovery/yaml.ts";

const PAGE = "plugins/_base/skills/toolroom-development/policy.md";
const page = readFileSync(fileURLToPath(new URL(`../../${PAGE}`, import.meta.url)), "utf8");

describe("the reference page", () => {
  it("lists every key of a risk profile with its default and meaning, and no other", () => {
    const from = page.indexOf("| key | default | meaning |");
    const rows = page
      .slice(from, page.indexOf("\n\n", from))
      .split("\n")
      .slice(2)
      .map((line) => /^\| `(\w+)` \| `(.+?)` \| (.+) \|$/u.exec(line)?.slice(1));
    const known = Object.entries(RISK_PROFILE_KEYS).map(([key, { default: value, meaning }]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value ?? []),
      meaning,
    ]);
    expect(rows).toEqual(known);
  });

  it("lists the settings of limits with their defaults", () => {
    const from = page.indexOf("| setting | default | meaning |");
    const rows = page
      .slice(from, page.indexOf("\n\n", from))
      .split("\n")
      .slice(2)
      .map((line) => /^\| `([\w.]+)` \| `(.+?)` \| .+ \|$/u.exec(line)?.slice(1));
    const { loadTimeoutMs: _, ...limits } = DEFAULT_SETTINGS.tools;
    const known = Object.entries(limits).map(([key, value]) => [`tools.${key}`, String(value)]);
    expect(rows).toEqual([["models.prices", "{}"], ...known]);
  });

  it("shows YAML that parses", () => {
    const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/gu)].map(([, text = ""]) => parseYaml(text));
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(block).not.toHaveProperty("error");
  });
});
