import { type DelegatedAnswer, Tool, z } from "toolroom";
import { pointed } from "../lib/pointed.ts";

const parameters = z.object({
  message: z
    .string()
    .min(1)
    .describe(
      "the whole task: goal, facts, limits and the form of the answer, for it sees nothing of this conversation",
    ),
  profile: z.string().optional().describe("of a new one; default your own"),
  context_id: z.string().optional().describe("goes on with that subordinate; without it a new one begins"),
  reset: z.boolean().default(false).describe("true with context_id: a new one takes its place"),
});

type Arguments = z.infer<typeof parameters>;

/** Its own limits end a subordinate, so this only has to be longer than anything planned. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

const ENDS = {
  iterations: "used up its rounds before it was done",
  unusable: "was ended, because its replies could not be used",
  loop: "was ended, because its calls led nowhere",
} as const;

/** Has a subordinate do something, and gives its answer. */
export default class CallSubordinate extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Has a subordinate agent of any profile do a task, and gives its answer.";
  // Work of its own, and money: a person is asked before it begins, and again for what the subordinate calls.
  static readonly risk = "medium";
  static readonly timeoutMs = LONGEST_MS;

  async execute({ message, profile, context_id: contextId, reset }: Arguments) {
    const task = { message, profile, contextId, reset };
    const answer = await pointed(this.agent.delegate(task), (pointer) => pointer.replace("/contextId", "/context_id"));
    return this.#told(answer);
  }

  #told({ contextId, profile, answer, stopped, calls, usage }: DelegatedAnswer) {
    const additional = { context_id: contextId };
    const data = { ...additional, profile, answer, calls, usage, ...(stopped ? { stopped } : {}) };
    if (stopped === undefined && answer.trim() !== "") return this.response({ message: answer, additional, data });
    const why = stopped ? ENDS[stopped] : "ended without words";
    const said = answer.trim() === "" ? "" : ` What it says:\n\n${answer}`;
    return { ...this.partial(`The subordinate ${contextId} ${why}.${said}`, data), additional };
  }
}
