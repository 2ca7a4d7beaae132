/** How much harm a call can do: `low` reads, `medium` changes local state, `high` destroys or reaches out. */
export type RiskLevel = "low" | "medium" | "high";
