import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTexts } from "../../core/discovery/texts.ts";
import { makeTree } from "../helpers/tree.ts";

describe("the texts of the next generation", () => {
  it("are those of this one, without what changed", () => {
    const root = makeTree({ "a.ts": "a", "b.ts": "b", "lib/c.ts": "c" });
    const texts = createTexts();
    for (const name of ["a.ts", "b.ts", "lib/c.ts"]) texts.read(join(root, name));
    expect(texts.fork([join(root, "a.ts")]).files()).toEqual([join(root, "b.ts"), join(root, "lib/c.ts")]);
    expect(texts.fork([join(root, "lib")]).files()).toEqual([join(root, "a.ts"), join(root, "b.ts")]);
    expect(texts.fork([join(root, "li")]).files()).toHaveLength(3);
    const many = Array.from({ length: 40 }, (_, index) => join(root, `gone-${index}.ts`));
    expect(texts.fork([...many, join(root, "lib")]).files()).toEqual([join(root, "a.ts"), join(root, "b.ts")]);
    expect(texts.files()).toHaveLength(3);
  });

  it("share what was served until one of them serves more", () => {
    const root = makeTree({ "a.ts": "a", "b.ts": "b" });
    const texts = createTexts();
    texts.read(join(root, "a.ts"));
    const next = texts.fork([join(root, "a.ts")]);
    next.read(join(root, "a.ts"));
    expect(next.served).toBe(texts.served);
    next.read(join(root, "b.ts"));
    expect([...next.served]).toEqual([join(root, "a.ts"), join(root, "b.ts")]);
    texts.serve(join(root, "c.ts"));
    expect([...texts.served]).toEqual([join(root, "a.ts"), join(root, "c.ts")]);
    expect(next.fork([]).served).toBe(next.served);
  });

  it("begin with what was read to see that it is another text, if the file is still that one", () => {
    const root = makeTree({ "a.ts": "old" });
    const file = join(root, "a.ts");
    const texts = createTexts();
    texts.read(file);
    const write = (text: string, seconds: number): void => {
      writeFileSync(file, text);
      utimesSync(file, seconds, seconds);
    };
    write("second", 1_000);
    expect(texts.outdated([file])).toEqual([file]);
    expect(texts.fork([file]).read(file).text).toBe("second");
    write("third!", 2_000);
    expect(texts.outdated([file])).toEqual([file]);
    write("fourth", 3_000);
    expect(texts.fork([file]).read(file).text).toBe("fourth");
    expect(texts.outdated([file])).toEqual([file]);
    rmSync(file);
    expect(() => texts.fork([file]).read(file)).toThrow("ENOENT");
  });

  it("does not take what was read for a text in use", () => {
    const root = makeTree({ "a.ts": "old" });
    const file = join(root, "a.ts");
    const texts = createTexts();
    texts.read(file);
    writeFileSync(file, "something longer");
    texts.outdated();
    const next = texts.fork([file]);
    expect([next.get(file), next.knows(file)]).toEqual([undefined, false]);
    expect(next.readAs(file, statSync(file)).text).toBe("something longer");
  });
});
