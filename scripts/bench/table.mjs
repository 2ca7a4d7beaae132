/** The rows as one table for people: name, ours, baseline, ratio, goal, holds; below it what could not be measured. */
export function formatTable(rows) {
  const failures = rows.filter((row) => row.error !== undefined).map(({ name, error }) => `\n${name}: ${error}`);
  return [...measured(rows.filter((row) => row.error === undefined)), ...failures].join("\n");
}

function measured(rows) {
  const lines = [
    ["name", "ours", "baseline", "ratio", "goal", "holds"],
    ...rows.map((row) => [
      row.name,
      formatMeasure(row.ours, row.unit),
      `${formatMeasure(row.baseline, row.unit)} ${row.against}`,
      formatNumber(row.ratio),
      row.goal,
      row.holds ? "yes" : "NO",
    ]),
  ];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const format = (line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd();
  const [head, ...body] = lines;
  return [format(head), widths.map((width) => "-".repeat(width)).join("  "), ...body.map(format)];
}

function formatMeasure(value, unit) {
  return `${formatNumber(value)} ${unit}`;
}

/** Three figures that mean something. */
function formatNumber(value) {
  if (!Number.isFinite(value)) return String(value);
  if (value !== 0 && Math.abs(value) < 0.001) return "< 0.001";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
