import { describe, expect, test } from "vitest";
import { createMatcher } from "../../../core/model/offline/match.ts";
import { definitions } from "../definitions.ts";
import { QUESTIONS, UNSERVED } from "./questions.ts";

const tools = await definitions();
const matcher = createMatcher(tools);

describe("the table of questions", () => {
  test("forty, in English and Chinese, none of them an example of a fragment", () => {
    const said = new Set(tools.flatMap(({ examples }) => examples?.map(({ say }) => say) ?? []));
    expect(QUESTIONS).toHaveLength(40);
    expect(new Set(QUESTIONS.map(({ say }) => say)).size).toBe(40);
    expect(QUESTIONS.filter(({ say }) => said.has(say))).toEqual([]);
    expect(QUESTIONS.filter(({ say }) => /\p{Script=Han}/u.test(say)).length).toBeGreaterThanOrEqual(15);
    expect(UNSERVED).toHaveLength(10);
  });

  test("at least 36 find the right tool and the right arguments, and no other is guessed at", () => {
    const answers = QUESTIONS.map(({ say, tool, args }) => {
      const { call } = matcher.match(say);
      return {
        say,
        right: call?.tool.name === tool && same(call.args, args),
        call: call && [call.tool.name, call.args],
      };
    });
    const wrong = answers.filter(({ right }) => !right);
    expect(wrong.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(4);
  });

  test.each(UNSERVED)("declined: %s", (say) => {
    expect(matcher.match(say).call).toBeUndefined();
  });
});

test("every example of a fragment finds its own call", () => {
  for (const tool of tools) {
    for (const { say, call } of tool.examples ?? []) {
      const found = matcher.match(say).call;
      expect([say, found?.tool.name, found?.args], say).toEqual([say, tool.name, call]);
    }
  }
});

function same(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}
