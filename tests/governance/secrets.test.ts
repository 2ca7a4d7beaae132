import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openSecrets, type Secrets } from "../../core/governance/secrets.ts";
import type { ToolError } from "../../core/sdk/errors.ts";
import type { JsonObject } from "../../core/sdk/result.ts";
import { makeTree } from "../helpers/tree.ts";

const PLACES = ["usr/secrets.env", "usr/projects/site/secrets.env"];

/** Secrets over a fresh root; `write` of undefined removes a file. */
function open(usr?: string, project?: string) {
  const root = makeTree({ "usr/projects/site/.keep": "" });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (place: number, text: string | Uint8Array | undefined) => {
    const file = join(root, PLACES[place] as string);
    rmSync(file, { recursive: true, force: true });
    if (text !== undefined) writeFileSync(file, text);
  };
  write(0, usr);
  write(1, project);
  const places = PLACES.map((path) => ({ file: join(root, path), path }));
  const secrets = openSecrets({ places, withheld: [{ name: "HOST_API_KEY", value: "host-key-0123" }] });
  return { root, write, secrets };
}

const revealed = (secrets: Secrets, text: string) => secrets.reveal({ text }).text;

function refusal(run: () => unknown): ToolError {
  try {
    run();
  } catch (error) {
    return error as ToolError;
  }
  throw new Error("expected a refusal");
}

describe("the secrets of a host", () => {
  it("are named with their comments, sorted, without their values", () => {
    const { secrets } = open("# for mail, as mail-value\nMAIL=mail-value\nAPI=api-value", "SITE=site-value");
    expect(secrets.names()).toEqual([
      { name: "API" },
      { name: "MAIL", comment: "for mail, as §§secret(MAIL)" },
      { name: "SITE" },
    ]);
    expect(secrets.diagnostics()).toEqual([]);
  });

  it("of a project go over the person's, and all of them are masked", () => {
    const { secrets } = open("KEY=value-of-usr\n# shared\nBOTH=value-of-both", "key=value-of-site");
    expect(revealed(secrets, "§§secret(KEY) §§secret(BOTH)")).toBe("value-of-site value-of-both");
    expect(secrets.masker.mask("value-of-usr value-of-site host-key-0123")).toBe(
      "§§secret(KEY) §§secret(KEY) §§secret(HOST_API_KEY)",
    );
  });

  it("that are too short take the name away, also from a lower file", () => {
    const { secrets } = open("KEY=value-of-usr", "KEY=");
    expect(secrets.names()).toEqual([]);
    expect(secrets.diagnostics()).toMatchObject([{ code: "SECRET_TOO_SHORT", file: PLACES[1], line: 1 }]);
    expect(refusal(() => secrets.reveal({ text: "§§secret(KEY)" })).code).toBe("SECRET_UNKNOWN");
  });

  it("are none where there is no file", () => {
    const { secrets } = open();
    expect(secrets.names()).toEqual([]);
    expect(secrets.diagnostics()).toEqual([]);
    expect(refusal(() => secrets.reveal({ text: "§§secret(KEY)" })).message).toMatch(/none is set/);
  });

  it.each([
    ["a directory", (file: string) => mkdirSync(file), /not a file/],
    ["not UTF-8", (file: string) => writeFileSync(file, Buffer.from([0x41, 0x3d, 0xff, 0xfe])), /not UTF-8/],
    ["far too large", (file: string) => writeFileSync(file, "A=value\n".repeat(200_000)), /at most 1048576/],
  ])("in a file that is %s keep what they were, and a diagnostic says why", (_, spoil, why) => {
    const { secrets, root, write } = open("KEY=value-before");
    write(0, undefined);
    spoil(join(root, PLACES[0] as string));
    secrets.reload();
    expect(secrets.diagnostics()).toMatchObject([
      { code: "SECRETS_UNREADABLE", severity: "error", file: PLACES[0], message: expect.stringMatching(why) },
    ]);
    expect(revealed(secrets, "§§secret(KEY)")).toBe("value-before");
  });

  it("are read again by a reload, and old values stay hidden", () => {
    const { secrets, write } = open("KEY=value-one\nGONE=value-gone\nnonsense");
    expect(secrets.diagnostics()).toHaveLength(1);
    const { masker } = secrets;
    write(0, "KEY=value-two\nRENAMED=value-gone");
    secrets.reload();
    expect(secrets.diagnostics()).toEqual([]);
    expect(revealed(secrets, "§§secret(KEY)")).toBe("value-two");
    expect(masker.mask("value-one value-two value-gone")).toBe("§§secret(KEY) §§secret(KEY) §§secret(RENAMED)");
    expect(refusal(() => secrets.reveal({ text: "§§secret(GONE)" })).code).toBe("SECRET_UNKNOWN");
    write(0, undefined);
    secrets.reload();
    expect(secrets.names()).toEqual([]);
    expect(masker.mask("value-one value-two value-gone")).toMatch(
      /^§§secret\(KEY\) §§secret\(KEY\) §§secret\((?:GONE|RENAMED)\)$/,
    );
  });
});

describe("placeholders in arguments", () => {
  let secrets: Secrets;
  beforeEach(() => {
    ({ secrets } = open("KEY=value-of-key\nNESTS=x§§secret(KEY)x"));
  });

  it("are filled at any depth, in any case, and several in one text", () => {
    const args: JsonObject = {
      url: "https://user:§§secret(KEY)@host/?k=§§secret(key)",
      list: ["§§secret(Key)", ["plain", { deep: "a §§secret( KEY ) b" }]],
      count: 3,
      "§§secret(KEY)": null,
    };
    expect(secrets.reveal(args)).toEqual({
      url: "https://user:value-of-key@host/?k=value-of-key",
      list: ["value-of-key", ["plain", { deep: "a value-of-key b" }]],
      count: 3,
      "§§secret(KEY)": null,
    });
    expect(args.list).toEqual(["§§secret(Key)", ["plain", { deep: "a §§secret( KEY ) b" }]]);
  });

  it("give a frozen copy that shares what has none, and the very same object where there is none", () => {
    const plain = Object.freeze({ a: ["§§secret", { b: 1 }], other: "§§secret(" });
    expect(secrets.reveal(plain)).toBe(plain);
    const shared = Object.freeze({ x: 1 });
    const made = secrets.reveal({ shared, list: ["§§secret(KEY)"] });
    expect(made.shared).toBe(shared);
    expect(Object.isFrozen(made) && Object.isFrozen(made.list)).toBe(true);
  });

  it("are not looked for in a value that was put in", () => {
    expect(revealed(secrets, "§§secret(NESTS)")).toBe("x§§secret(KEY)x");
  });

  it("keep a key __proto__ what it is", () => {
    const made = secrets.reveal(JSON.parse('{"__proto__": {"a": "§§secret(KEY)"}}'));
    expect(JSON.stringify(made)).toBe('{"__proto__":{"a":"value-of-key"}}');
  });

  it("that name nothing are refused at once, with what there is", () => {
    const error = refusal(() =>
      secrets.reveal({ a: "§§secret(KEY)", "b/c": ["x", "§§secret(Nope) §§secret(OTHER)"], d: "§§secret(Nope)" }),
    );
    expect(error.code).toBe("SECRET_UNKNOWN");
    expect(error.message).toBe("there is no secret Nope, OTHER; available: KEY, NESTS");
    expect(error.details).toMatchObject({
      pointer: "/b~1c/1",
      hint: expect.stringContaining("§§secret(NAME)"),
      data: { unknown: ["Nope", "OTHER"], available: ["KEY", "NESTS"] },
    });
  });

  it("are refused for the host's own environment, which is only hidden", () => {
    const { message } = refusal(() => secrets.reveal({ a: "§§secret(HOST_API_KEY)" }));
    expect(message).toBe(
      "HOST_API_KEY belongs to the host's own environment and is not given to tools; available: KEY, NESTS",
    );
    expect(message).not.toContain("host-key-0123");
  });

  it("that are written wrongly are plain text", () => {
    for (const text of ["§§secret()", "§§secret(A B)", "§§secret(1A)", "§secret(KEY)", "§§ secret(KEY)"])
      expect(revealed(secrets, text)).toBe(text);
  });
});
