import { describe, expect, it } from "vitest";
import { createMasker } from "../../core/governance/mask.ts";
import { formsOf } from "../../core/governance/mask-forms.ts";

const SECRET = "p@ss/w0rd+\"q\"\\ 'é'!";
const { mask } = createMasker([{ name: "P", value: SECRET }]);
const KEY = [
  "-----BEGIN PRIVATE KEY-----",
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB",
  "wu3vvx9Q6dSVVQ9gmXc2Aw==",
  "-----END PRIVATE KEY-----",
].join("\n");
const key = createMasker([{ name: "KEY", value: KEY }]);

describe("the forms of a secret", () => {
  it.each([
    ["base64", Buffer.from(SECRET).toString("base64")],
    ["base64 without padding", Buffer.from(SECRET).toString("base64").replace(/=+$/, "")],
    ["base64url", Buffer.from(SECRET).toString("base64url")],
    ["encodeURIComponent", encodeURIComponent(SECRET)],
    ["encodeURI", encodeURI(SECRET)],
    ["lower-case digits", encodeURIComponent(SECRET).replace(/%../g, (digits) => digits.toLowerCase())],
    ["a form", new URLSearchParams({ x: SECRET }).toString().slice(2)],
    ["RFC 3986", "p%40ss%2Fw0rd%2B%22q%22%5C%20%27%C3%A9%27%21"],
    ["a path", "p%40ss/w0rd%2B%22q%22%5C%20%27%C3%A9%27%21"],
    ["JSON", JSON.stringify(SECRET).slice(1, -1)],
    ["JSON in JSON", JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ["JSON in ASCII", "p@ss/w0rd+\\\"q\\\"\\\\ '\\u00e9'!"],
    ["JSON with escaped slashes", "p@ss\\/w0rd+\\\"q\\\"\\\\ 'é'!"],
  ])("%s is masked whole", (_, form) => {
    expect(mask(`<${form}>`)).toBe("<§§secret(P)>");
  });

  it.each([0, 1, 2, 3, 4, 5])("base64 is found %d bytes into something longer", (before) => {
    for (const after of ["", "x", "xy", "xyz"]) {
      const encoded = Buffer.from(`${"u".repeat(before)}${SECRET}${after}`).toString("base64");
      const masked = mask(encoded);
      expect(masked).toContain("§§secret(P)");
      // At either end one character at most is shared between the secret and what stands beside it.
      const left = Buffer.from(masked.replace("§§secret(P)", " "), "base64");
      expect(left.length).toBeLessThanOrEqual(before + after.length + 3);
    }
  });

  it("base64 of a header", () => {
    const header = `Authorization: Basic ${Buffer.from(`user:${SECRET}`).toString("base64")}`;
    expect(mask(header)).toMatch(/^Authorization: Basic .{1,8}§§secret\(P\)$/);
  });

  it("a long secret is found in base64 that is broken into lines", () => {
    const value = "0123456789abcdef".repeat(12);
    const long = createMasker([{ name: "L", value }]);
    for (const width of [64, 76]) {
      const lines = Buffer.from(value)
        .toString("base64")
        .replaceAll(new RegExp(`.{${width}}`, "g"), "$&\n");
      expect(long.mask(lines)).toMatch(/^(?:§§secret\(L\)\n)+(?:§§secret\(L\)|.{0,15})$/);
    }
  });

  it.each([
    ["as it is", (text: string) => text],
    ["with CR LF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["in JSON", (text: string) => JSON.stringify({ text })],
    ["without its last line end", (text: string) => text.trim()],
    ["in base64", (text: string) => Buffer.from(text).toString("base64")],
  ])("a value of several lines is masked %s", (_, shown) => {
    const own = createMasker([{ name: "KEY", value: `${KEY}\n` }]);
    for (const masked of [own.mask(shown(`${KEY}\n`)), own.mask(shown(KEY))]) {
      expect(masked).toContain("§§secret(KEY)");
      expect(masked).not.toMatch(/MIIEv|wu3vv|BEGIN/);
    }
  });

  it("the long lines of a key are masked also where each is numbered or indented", () => {
    const numbered = KEY.split("\n").map((line, index) => `  ${index + 1}: ${line}`);
    expect(key.mask(numbered.join("\n"))).toBe(
      "  1: -----BEGIN PRIVATE KEY-----\n  2: §§secret(KEY)\n  3: §§secret(KEY)\n  4: -----END PRIVATE KEY-----",
    );
  });

  it("control characters that are taken out of texts do not hide a value", () => {
    expect(createMasker([{ name: "C", value: "ab\u0007cdef" }]).mask("abcdef ab\u0007cdef")).toBe(
      "§§secret(C) §§secret(C)",
    );
  });

  it("none is the value itself or shorter than four characters", () => {
    for (const value of ["abcd", "a\nbc", "    ", SECRET, KEY, "\ud800abc"]) {
      expect(formsOf(value)).not.toContain(value);
      for (const form of formsOf(value)) expect(form.length).toBeGreaterThanOrEqual(4);
    }
  });

  it("what is literally a secret is named by its own name, also where it is a form of another", () => {
    const encoded = Buffer.from("open sesame").toString("base64");
    const two = createMasker([
      { name: "PLAIN", value: "open sesame" },
      { name: "ENCODED", value: encoded },
    ]);
    expect(two.mask(`${encoded} open sesame`)).toBe("§§secret(ENCODED) §§secret(PLAIN)");
  });
});
