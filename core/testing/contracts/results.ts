import type { ToolResult } from "../../sdk/result.ts";
import type { Contract } from "../contract.ts";
import { envelopeFaults, sameJson } from "../envelope.ts";
import { breach, shown } from "../failure.ts";
import type { Subject } from "../subject.ts";

/** Without a call that works, the other contracts would look at refusals only. */
export const sampleCall: Contract = {
  name: "works with its sample call",
  async check({ sample, facts, host, id }) {
    const { error, message } = sample.result;
    if (!error) return undefined;
    if (error.code === "UNKNOWN_TOOL" && (await isFallback({ host, id }))) return undefined;
    const call = `the sample call ${shown(sample.args)} (${sample.from})`;
    if (facts.schema === null && sample.from === "its schema") {
      const todo = "Give the tool static parameters, or the option args.";
      throw breach({ expected: `${call} to work`, found: message, todo });
    }
    throw breach({
      expected: `${call} to work`,
      found: message,
      todo:
        error.class === "tool"
          ? "Mend the tool, or give args that it can work with."
          : "Give args, and the files or settings that they need.",
    });
  },
};

/** What every program and every face relies on. */
export const envelope: Contract = {
  name: "gives the result envelope, complete and frozen",
  async check({ sample, id }) {
    const faults = envelopeFaults(sample.result, { tool: id, args: sample.args });
    if (faults.length === 0) return undefined;
    throw breach({
      expected: "a result as this.success, this.partial, this.failure or this.response make it",
      found: faults.join("; "),
      todo: "Return what one of them gives, unchanged.",
    });
  },
};

/** A result is written to transcripts, sent to models and printed with --json. */
export const jsonData: Contract = {
  name: "gives data that is JSON",
  async check({ sample: { result } }) {
    if (result.error?.code === "INVALID_RESULT") {
      const todo = "Put plain values into data (text for dates, numbers that are finite), as static output says.";
      throw breach({ expected: "data that is JSON and fits static output", found: result.message, todo });
    }
    const read = JSON.parse(JSON.stringify(result)) as ToolResult;
    if (sameJson(read, result)) return undefined;
    throw breach({
      expected: "a result that JSON gives back as it was",
      found: `${shown(result)}, which comes back as ${shown(read)}`,
      todo: "Put plain values into it.",
    });
  },
};

/** It answers for tools that there are not, so its errors are its work. */
async function isFallback({ host, id }: Pick<Subject, "host" | "id">): Promise<boolean> {
  return !(await host.toolDefinitions()).some(({ name }) => name === id);
}
