import type { WireScript } from "../helpers/wire-server.ts";

type Protocol = "native" | "json";

type Reply = Exclude<Extract<WireScript, readonly unknown[]>[number], undefined>;
type Ask = readonly [name: string, args?: unknown];

/** One turn: what a person says and does, what the model says one reply after the other, and how it ends. */
interface ScriptedTurn {
  readonly message: string;
  /** What the person does meanwhile. */
  readonly hand?: "speak" | "stop the tool" | "stop the model";
  readonly replies: (says: Says) => readonly Reply[];
  readonly answer: string;
  readonly stopped?: "aborted";
}

/** How a model says something by its protocol. */
interface Says {
  readonly protocol: Protocol;
  /** One reply that asks for these calls; by the JSON protocol several are no request. */
  calls(...asks: readonly Ask[]): Reply;
  answer(text: string): Reply;
  /** A reply of which the beginning comes, and the rest never. */
  begins(text: string): Reply;
}

const meet = (who: string): Ask => ["meet", { who }];
const together = (...asks: readonly Ask[]): Ask => [
  "parallel",
  { tool_calls: asks.map(([tool_name, tool_args]) => ({ tool_name, tool_args })), wait: true },
];
const STOPPED = "The turn was stopped.";

export const TURNS: readonly ScriptedTurn[] = [
  {
    message: "How long is the file?",
    replies: ({ calls, answer }) => [calls(["word_count", { path: "README.md" }]), answer("Three lines.")],
    answer: "Three lines.",
  },
  {
    message: "Let them meet.",
    replies: ({ protocol, calls, answer }) => {
      const three = [meet("Ann"), meet("Bob"), meet("Cid")];
      return [protocol === "native" ? calls(...three) : calls(together(...three)), answer("They met.")];
    },
    answer: "They met.",
  },
  {
    message: "Say it wrongly first.",
    replies: ({ protocol, calls, answer }) => [
      // Markup of another model's calls, for a tool that nobody offered; then arguments, or an object, without an end.
      { text: '<tool_call>{"name": "erase", "arguments": {}}</tool_call>' },
      protocol === "native"
        ? calls(["note", '{"line": "ne'])
        : { text: '{"tool_name": "note", "tool_args": {"line": "ne' },
      answer("Now it is right."),
    ],
    answer: "Now it is right.",
  },
  {
    message: "Do it again and again.",
    replies: ({ calls, answer }) => [
      ...[1, 2, 3, 4].map(() => calls(["same", { a: 1, b: 2 }])),
      answer("It is always the same."),
    ],
    answer: "It is always the same.",
  },
  {
    message: "How many lines again?",
    hand: "speak",
    replies: ({ begins, answer }) => [begins("It seems to me that it has twelve lines"), answer("Three, then.")],
    answer: "Three, then.",
  },
  {
    message: "Have the poet look.",
    replies: ({ calls, answer }) => [
      calls(["call_subordinate", { message: "Look at the ship.", profile: "poet" }]),
      calls(["same", {}]),
      answer("The ship sails, the wind prevails."),
      answer("The poet has looked."),
    ],
    answer: "The poet has looked.",
  },
  {
    message: "Open the vault.",
    replies: ({ calls, answer }) => [
      calls(["vault", { key: "§§secret(WINDOW)" }]),
      calls(["vault", { key: "§§secret(DOOR)" }]),
      answer("It is open."),
    ],
    answer: "It is open.",
  },
  {
    message: "Have the same poet go on.",
    replies: ({ calls, answer }) => [
      calls(["call_subordinate", { message: "Go on.", context_id: "sub-1" }]),
      answer("And never fails."),
      answer("The poet went on."),
    ],
    answer: "The poet went on.",
  },
  {
    message: "Finish.",
    replies: ({ protocol, calls }) => [
      calls(["finish", {}], ["note", { line: "never" }], ["no_such_tool", {}]),
      // By the JSON protocol a reply of several requests runs none of them.
      ...(protocol === "native" ? [] : [calls(["finish", {}])]),
    ],
    answer: "The ship is ready.",
  },
  {
    message: "Work without end.",
    hand: "stop the tool",
    replies: ({ protocol, calls }) => [
      protocol === "native" ? calls(["endless", {}], ["note", { line: "never" }]) : calls(["endless", {}]),
    ],
    answer: STOPPED,
    stopped: "aborted",
  },
  {
    message: "Tell a story.",
    hand: "stop the model",
    replies: ({ begins }) => [begins("Once upon a time there were twelve ships")],
    answer: STOPPED,
    stopped: "aborted",
  },
  {
    message: "Are you there?",
    replies: ({ answer }) => [answer("I am here.")],
    answer: "I am here.",
  },
];

const request = (name: string, args: unknown): string =>
  JSON.stringify({ thoughts: [], headline: "", tool_name: name, tool_args: args });

/** The replies of all turns, from a server that refuses what a provider would refuse. */
export function scriptOf(protocol: Protocol): { readonly script: WireScript; readonly refused: readonly string[] } {
  const refused: string[] = [];
  let ids = 0;
  const says: Says = {
    protocol,
    calls: (...asks) =>
      protocol === "native"
        ? { calls: asks.map(([name, args = {}]) => ({ id: `call-${++ids}`, name, args })) }
        : { text: asks.map(([name, args = {}]) => request(name, args)).join("\n") },
    answer: (text) => (protocol === "native" ? { text } : { text: request("response", { text }) }),
    begins: (text) => ({
      text: protocol === "native" ? text : request("response", { text }).slice(0, -3),
      trouble: "hang",
    }),
  };
  const replies = TURNS.flatMap((turn) => turn.replies(says));
  return {
    refused,
    script({ body }, index) {
      const fault = faultOf(body.messages);
      const reply = replies[index];
      if (fault === undefined && reply) return reply;
      refused.push(`request ${index + 1}: ${fault ?? "expected none"}`);
      return { status: 400, message: refused.at(-1) ?? "" };
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: messages of two formats
type Message = Record<string, any>;

/** Why a provider would refuse the messages: a call without its result behind it, a result without its call, nothing said. */
function faultOf(messages: readonly Message[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    const { role, content } = message;
    const blocks: Message[] = Array.isArray(content) ? content : [];
    const results = [
      ...(role === "tool" ? [message.tool_call_id] : []),
      ...blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : [])),
    ];
    for (const id of results) if (!open.includes(id)) return `the result of ${id} has no call`;
    open = open.filter((id) => !results.includes(id));
    if (open.length > 0 && results.length === 0) return `no result of ${open.join(", ")}`;
    const calls = [
      ...(message.tool_calls ?? []).map(({ id }: Message) => id),
      ...blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    ];
    open.push(...calls);
    if (calls.length === 0 && results.length === 0 && (content ?? "").length === 0) return `${role} says nothing`;
  }
  return open.length === 0 ? undefined : `no result of ${open.join(", ")} at the end`;
}
