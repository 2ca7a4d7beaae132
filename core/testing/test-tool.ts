import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCase } from "./cases.ts";
import { checkContract } from "./contract.ts";
import { CONTRACTS } from "./contracts.ts";
import type { TestToolOptions } from "./options.ts";
import { placeOf } from "./place.ts";
import { openSubject, type Subject } from "./subject.ts";

export type { CaseContext, Expectation, TestToolOptions, ToolCase, WorkspaceFiles } from "./options.ts";

/** No contract takes so long; a tool that blocks is told by its name. */
const TIMEOUT_MS = 30_000;

/**
 * Declares tests of one tool: the contracts that every tool is held to, and the author's own cases. To be called at the
 * top level of a test file of Vitest, or in `describe`.
 *
 * The tool runs in a host of its own, on a copy of its plugin in a temporary root with an empty workspace, and each call
 * goes through the whole dispatch: prompts, `lib/`, settings and extensions of the plugin are there as for a person.
 * The tests of one tool run one after another.
 *
 * ```ts
 * import { testTool } from "toolroom/testing";
 *
 * testTool("../tools/greet.ts", {
 *   cases: [{ name: "greets twice", args: { name: "Ada", times: 2 }, expect: { message: "Hello, Ada! Hello, Ada!" } }],
 * });
 * ```
 *
 * @param path the tool's module: a URL, or a path, relative to the directory of the test file
 */
export function testTool(path: string | URL, options: TestToolOptions = {}): void {
  const place = placeOf(fileOf(path));
  describe(place.id, { concurrent: false, shuffle: false, timeout: TIMEOUT_MS }, () => {
    let opened: Subject | undefined;
    beforeAll(async () => {
      opened = await openSubject(place, options);
    }, TIMEOUT_MS);
    afterAll(async () => {
      await opened?.close();
    });
    const subject = (): Subject => {
      if (opened) return opened;
      throw new Error("the tool could not be opened");
    };

    for (const contract of CONTRACTS) {
      test(contract.name, async ({ annotate }) => {
        const note = await checkContract(contract, subject());
        if (note !== undefined) await annotate(note);
      });
    }
    for (const own of options.cases ?? []) {
      test(own.name, async () => {
        await runCase(subject(), own);
      });
    }
  });
}

function fileOf(path: string | URL): string {
  if (path instanceof URL || path.startsWith("file:")) return fileURLToPath(path);
  const { testPath } = expect.getState();
  return resolve(testPath === undefined ? process.cwd() : dirname(testPath), path);
}
