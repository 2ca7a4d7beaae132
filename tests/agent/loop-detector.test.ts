import { describe, expect, it } from "vitest";
import { createLoopDetector } from "../../core/agent/loop-detector.ts";

/** Runs calls `tool args result`, one a reply, and tells the level of each. A call that is blocked has no result. */
function levelsOf(calls: readonly string[], replies?: readonly number[]): string[] {
  const detector = createLoopDetector();
  return calls.map((call, index) => {
    const [name = "", args = "", result = ""] = call.split(" ");
    const asked = detector.ask({ name, args }, replies?.[index] ?? index);
    if (asked.level === "block" || asked.level === "stop") return asked.level;
    const ended = detector.ended({ name, args }, result);
    return ended.level === "run" ? asked.level : ended.level;
  });
}

const times = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, i) => make(i));

describe("the same call with the same arguments", () => {
  it("is warned of, blocked, stopped at the 3rd, 4th, 5th time", () => {
    expect(levelsOf(times(5, (i) => `read a ${i}`))).toEqual(["run", "run", "warn", "block", "stop"]);
    expect(levelsOf(times(5, () => "read a same"))).toEqual(["run", "run", "warn", "block", "stop"]);
  });

  it("is no loop with something else in between, or with other arguments", () => {
    const work = times(6, (i) => `edit ${i} ok${i}`).flatMap((edit) => [edit, "test all failed"]);
    expect(new Set(levelsOf(work))).toEqual(new Set(["run"]));
    expect(new Set(levelsOf(times(6, (i) => `read ${i} ${i}`)))).toEqual(new Set(["run"]));
  });

  it("counts within one reply as well", () => {
    expect(levelsOf(["a x 1", "a x 1", "a x 1", "a x 1"], [0, 0, 0, 0])).toEqual(["run", "run", "warn", "block"]);
  });
});

describe("two calls that alternate", () => {
  it("are warned of, blocked, stopped in the 4th, 5th, 6th cycle", () => {
    const levels = levelsOf(times(12, (i) => (i % 2 === 0 ? "read a x" : "list b y")));
    expect(levels.map((level, i) => `${i + 1} ${level}`).filter((level) => !level.endsWith("run"))).toEqual([
      "8 warn",
      "10 block",
      "11 block",
      "12 stop",
    ]);
  });

  it("are no loop while one of them changes", () => {
    const levels = levelsOf(times(20, (i) => (i % 2 === 0 ? `edit ${i} ${i}` : "read a x")));
    expect(new Set(levels)).toEqual(new Set(["run"]));
  });
});

describe("the same result for other arguments", () => {
  it("is warned of, blocked, stopped at the 5th, 6th, 7th time", () => {
    expect(levelsOf(times(7, (i) => `search ${i} nothing`))).toEqual([
      ...times(4, () => "run"),
      "warn",
      "block",
      "stop",
    ]);
  });

  it("is no loop when the result changes, before or at the 5th call", () => {
    expect(new Set(levelsOf(times(9, (i) => `search ${i} found${i % 4 === 3 ? i : ""}`)))).toEqual(new Set(["run"]));
    expect(levelsOf([...times(4, (i) => `s ${i} no`), "s x yes", ...times(4, (i) => `s y${i} no`)])).not.toContain(
      "warn",
    );
  });

  it("is no loop with another tool in between", () => {
    const calls = times(10, (i) => `edit ${i} done`);
    calls.splice(4, 0, "test all ok");
    expect(levelsOf(calls.slice(0, 9))).toEqual(times(9, () => "run"));
  });

  it("counts the calls of one reply once: none of them knew a result", () => {
    const calls = times(10, (i) => `edit ${i} done`);
    expect(
      new Set(
        levelsOf(
          calls,
          calls.map(() => 0),
        ),
      ),
    ).toEqual(new Set(["run"]));
  });
});

it("says what it saw, looks back at 20 calls, and forgets when it is told to", () => {
  const detector = createLoopDetector();
  const ask = () => detector.ask({ name: "read", args: "a" }, 0);
  ask();
  ask();
  expect(ask()).toEqual({ level: "warn", reason: "read was called 3 times in a row with the same arguments" });
  detector.reset();
  expect(ask()).toEqual({ level: "run" });
  for (let i = 0; i < 100; i++) detector.ask({ name: "x", args: String(i) }, i);
  expect(ask()).toEqual({ level: "run" });
});
