import { createValidator } from "../../dispatch/validate.ts";
import type { Contract } from "../contract.ts";
import { breach, shown } from "../failure.ts";
import { examplesOf } from "../sample.ts";

/** A model knows a tool by its fragment alone. */
export const fragment: Contract = {
  name: "has a fragment whose examples fit its schema",
  async check({ view, id, facts, host, place }) {
    const document = view.documentOf(id);
    if (!document) {
      const definitions = await host.toolDefinitions();
      if (!definitions.some(({ name }) => name === id)) return "no model is shown it, so it needs no fragment";
      throw breach({
        expected: `a fragment beside ${place.file}, prompts/agent.system.tool.${id}.md`,
        found: "none",
        todo: "Write it: when to use the tool, its arguments, what it returns, an example call.",
      });
    }
    const [fault] = view.fragment(document).diagnostics;
    if (fault)
      throw breach({
        expected: `front matter in ${document.path} that can be read`,
        found: fault.message,
        todo: fault.hint ?? "Mend it.",
      });
    if (facts.schema === null) return "any object is accepted, so every example fits";
    const validate = await createValidator({ source: facts.schema, json: facts.schema, repair: false });
    for (const example of examplesOf(view, id)) {
      const validated = await validate(example);
      if ("value" in validated) continue;
      const faults = validated.faults.map(
        ({ pointer, expected, received }) => `${pointer}: ${expected}, not ${received}`,
      );
      throw breach({
        expected: `the examples in ${document.path} to fit the schema`,
        found: `${shown(example)} (${faults.join("; ")})`,
        todo: "Mend the example, or the schema.",
      });
    }
    return undefined;
  },
};
