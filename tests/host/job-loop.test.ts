import { expect, it } from "vitest";
import { startJobLoop } from "../../core/host/job-loop.ts";

it("a round waits until the one before is done, and one that fails is told and followed by the next", async () => {
  const seen: string[] = [];
  let goOn = () => {};
  const end = startJobLoop({
    everyMs: 1,
    async run(round) {
      seen.push(`begin ${round}`);
      if (round === 1) await new Promise<void>((resolve) => (goOn = resolve));
      if (round === 2) throw new Error("no luck");
      seen.push(`end ${round}`);
    },
    failed: (error) => void seen.push(`failed ${(error as Error).message}`),
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(seen).toEqual(["begin 1"]);
  goOn();
  while (!seen.includes("end 3")) await new Promise((resolve) => setTimeout(resolve, 1));
  end();
  expect(seen.slice(0, 6)).toEqual(["begin 1", "end 1", "begin 2", "failed no luck", "begin 3", "end 3"]);
  const { length } = seen;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(seen.length).toBeLessThanOrEqual(length + 2);
});
