import { describe, expect, it } from "vitest";
import { argumentFindings, repairedArguments } from "../../core/dox/argument-table.ts";
import { parseDocument } from "../../core/dox/document.ts";

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "the file" },
    unit: { enum: ["lines", "a|b"], default: "a|b" },
    edits: { type: "array", items: { type: "object", properties: { from: { type: "number" } }, required: ["from"] } },
  },
  required: ["path", "edits"],
};

const MARKED = ["<!-- arguments -->", "<!-- /arguments -->"] as const;
const document = (...lines: readonly string[]) =>
  parseDocument("a.ts.dox.md", ["## Arguments", "", ...lines, "", "## Output", "", "| name |", "|---|"].join("\n"));
const findings = (...lines: readonly string[]) =>
  argumentFindings(document(...lines), parameters).map(({ code, line }) => `${code} ${line}`);
const repaired = (...lines: readonly string[]) => {
  const text = repairedArguments(document(...lines), parameters);
  expect(text && argumentFindings(parseDocument("a", text), parameters)).toEqual(text && []);
  return text?.split("\n").slice(2, -5);
};

const RIGHT = [
  "| name | type | required | default | meaning |",
  "|---|---|---|---|---|",
  "| `path` | string | yes | | the file |",
  '| `unit` | "lines" or "a\\|b" | no | `"a\\|b"` | |',
  "| `edits` | array of object | yes | | |",
  "| `edits[].from` | number | yes | | |",
] as const;

describe("a table of arguments", () => {
  it("that is the schema is left alone, in whatever order, alignment and case of yes and no", () => {
    const [header = "", dashes = "", path = "", ...rest] = RIGHT;
    expect(findings(...RIGHT)).toEqual([]);
    const other = [header.replace("name", "Name"), dashes, ...rest, path.replaceAll(" ", "  ").replace("yes", "Yes")];
    expect(findings(...other)).toEqual([]);
    expect(repaired(...other)).toBeUndefined();
  });

  it("is the one between the markers, else the first that is of names", () => {
    const foreign = ["| action | needs |", "|---|---|", "| `x` | |", ""];
    expect(findings(...foreign, ...RIGHT)).toEqual([]);
    expect(findings(...foreign, MARKED[0], ...RIGHT, MARKED[1])).toEqual([]);
    expect(findings(...foreign)).toEqual(["DOX_ARGUMENT_TABLE 1"]);
    expect(findings(...RIGHT, MARKED[0], ...foreign, MARKED[1])).toEqual(["DOX_ARGUMENT_TABLE 10"]);
    expect(findings("~~~", ...RIGHT, "~~~")).toEqual(["DOX_ARGUMENT_TABLE 1"]);
  });

  it("is written where there is none, and at its markers", () => {
    expect(repaired("Text.")).toEqual([MARKED[0], ...RIGHT, MARKED[1], "", "Text."]);
    expect(repaired("Text.", ...MARKED, "More.")).toEqual(["Text.", MARKED[0], ...RIGHT, MARKED[1], "More."]);
  });

  it("keeps what authors wrote: order, words, columns", () => {
    const table = [
      "| name | since | type | meaning |",
      "|---|---|---|---|",
      "| `edits` | 2 | array | in their order |",
      "| gone | 1 | string | old |",
      "| `path` | 1 | string | where it lies |",
    ];
    expect(repaired(...table)).toEqual([
      "| name | type | required | default | since | meaning |",
      "|---|---|---|---|---|---|",
      "| `edits` | array of object | yes | | 2 | in their order |",
      "| `edits[].from` | number | yes | | | |",
      "| `path` | string | yes | | 1 | where it lies |",
      '| `unit` | "lines" or "a\\|b" | no | `"a\\|b"` | | |',
    ]);
  });

  it("keeps the words of an argument that has another name now", () => {
    const old = RIGHT.map((row) => row.replace("`path` | string | yes | | the file", "`file` | string | no | | mine"));
    expect(repaired(...old)).toEqual(RIGHT.map((row) => row.replace("the file", "mine")));
  });

  it("has one row for each", () => {
    expect(findings(...RIGHT, "| `path` | string | yes | | again |")).toEqual(["DOX_ARGUMENT_UNKNOWN 9"]);
    expect(repaired(...RIGHT, "| `path` | string | yes | | again |")).toHaveLength(RIGHT.length);
  });

  it("is not asked for where any object is taken, or nothing; and lines end as they did", () => {
    expect(argumentFindings(document("Any."), null)).toEqual([]);
    expect(argumentFindings(document("None."), { type: "object", properties: {} })).toEqual([]);
    const windows = parseDocument("a", "## Arguments\r\n\r\nText.\r\n");
    expect(repairedArguments(windows, parameters)?.split("\r\n").slice(2, -3)).toEqual([
      MARKED[0],
      ...RIGHT,
      MARKED[1],
    ]);
  });
});
