import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkDox, type DoxFiles } from "../../core/dox/dox.ts";
import { DOX_SECTIONS } from "../../core/dox/findings.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));
const whole = DOX_SECTIONS.map((title) => `## ${title}\n\nText.\n`).join("\n");

function check(tree: Readonly<Record<string, string>>, read: DoxFiles["read"] = (name) => tree[name] ?? "") {
  const display = (file: string) => file.replace(/^\/r\//, "");
  return checkDox({ toolsDir: "/r/tools", display, files: { list: () => Object.keys(tree), read } });
}

describe("checkDox", () => {
  test("needs no disk, and no order of the listing", () => {
    const tree = { "a.ts": "", "b.ts": "", "c.ts.dox.md": whole };
    const turned = Object.fromEntries(Object.entries(tree).reverse());
    expect(check(tree)).toEqual(check(turned));
    expect(check(tree).diagnostics).toHaveLength(3);
  });

  test("every finding names the file to edit, what was expected, and what to do", () => {
    for (const item of check({ "a.ts": "", "b.ts": "", "b.dox.md": "", "c.ts.dox.md": "" }).diagnostics) {
      expect(item.file).toMatch(/^tools\/.*\.dox\.md$/);
      expect(item.message).toMatch(/^expected /);
      expect(item.hint).toMatch(/\.$/);
      expect(item.severity).toBe("error");
    }
  });

  test("a misnamed document is read all the same", () => {
    const codes = check({ "a.ts": "", "a.dox.md": "## Purpose\n" }).diagnostics.map(({ code }) => code);
    expect(codes).toContain("DOX_MISNAMED");
    expect(codes).toContain("DOX_SECTION_EMPTY");
    expect(codes).not.toContain("DOX_MISSING");
  });

  test("CRLF, a byte-order mark, closing marks and indentation are fine", () => {
    const text = `\ufeff${whole.replace("## Purpose", "  ## Purpose ##").replaceAll("\n", "\r\n")}`;
    expect(check({ "a.ts": "", "a.ts.dox.md": text }).diagnostics).toEqual([]);
  });

  test("a heading of another level or case is not the section", () => {
    for (const heading of ["# Purpose", "### Purpose", "## purpose", "##Purpose", "    ## Purpose"]) {
      const text = whole.replace("## Purpose", heading);
      const codes = check({ "a.ts": "", "a.ts.dox.md": text }).diagnostics.map(({ code }) => code);
      expect(codes, heading).toEqual(["DOX_SECTION_MISSING"]);
    }
  });

  test("a document that cannot be read is a finding", () => {
    const deny = () => {
      throw Object.assign(new Error("no"), { code: "EACCES" });
    };
    const { diagnostics } = check({ "a.ts": "", "a.ts.dox.md": "" }, deny);
    expect(diagnostics).toMatchObject([{ code: "DOX_UNREADABLE", file: "tools/a.ts.dox.md" }]);
  });

  test("our own core tools are documented", () => {
    const report = checkDox({ toolsDir: join(HOME, "tools"), display: (file) => file });
    expect(report).toEqual({ diagnostics: [], checked: 4 });
  });
});
