import { contentsOf } from "../contents.ts";
import type { Contract } from "../contract.ts";
import { breach, shown } from "../failure.ts";

/** Whoever is asked whether a call may run has to be able to say no. */
export const asking: Contract = {
  name: "changes nothing as long as it is only asked about",
  async check(subject) {
    const { ground, sample, id } = subject;
    let asked = 0;
    const host = await subject.asking(() => {
      asked++;
      return { decision: "deny" };
    });
    const look = (): string => `${contentsOf(ground.workspace)} ${contentsOf(ground.outside)}`;
    try {
      const before = look();
      await host.call(id, sample.args);
      if (asked === 0) return "it answers for the agent, so nobody is asked";
      const after = look();
      if (after === before) return undefined;
      throw breach({
        expected: `the files to be as they were when ${shown(sample.args)} was denied: ${before}`,
        found: after,
        todo: "A risk function and a preview only look; what changes something belongs in execute.",
      });
    } finally {
      await host.close();
    }
  },
};
