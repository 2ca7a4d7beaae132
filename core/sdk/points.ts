import type { Json } from "./json.ts";
import type { ModelMessage } from "./messages.ts";
import type { JsonObject, ToolResult } from "./result.ts";
import type { LoopData } from "./tool.ts";

/**
 * The extension points and their payloads. An extension is a module `extensions/<point>/_NN_<name>.ts` in
 * any layer; those of one point run in the order of their file names, a file of the same name in a higher
 * layer replaces the lower one. Payload fields that are not `readonly` may be replaced by the extension.
 */
export interface PointMap {
  /** An agent was made; its first turn is still to come. */
  agent_init: { readonly profile: string; readonly id: string };

  /** A turn begins: a person asked, and the loop is about to start. */
  monologue_start: { readonly turnId: string; readonly message: string };
  /** A turn is over. `stopped`: why it ended without an answer of the model. Not run for a turn that somebody stopped. */
  monologue_end: { readonly turnId: string; readonly answer: string; readonly stopped?: string | undefined };
  /** The turn of the agent that the person talks to is over, and with it all that it asked of others. */
  process_chain_end: { readonly turnId: string; readonly answer: string };

  /** A round of the loop begins: one question to the model and what comes of it. `loopData.extras` is shared by all of a turn. */
  message_loop_start: { readonly loopData: LoopData };
  /** The round is over. Not run for one that somebody stopped. */
  message_loop_end: { readonly loopData: LoopData };

  /** Before the prompt is put together. */
  message_loop_prompts_before: { readonly loopData: LoopData };
  /**
   * The system prompt is put together. Each extension adds its section to those of the ones before, so the names of the
   * files give the order: `_15_mine.ts` stands between `_14_…` and `_16_…`.
   */
  system_prompt: {
    /** In the order of the prompt; joined by blank lines, an empty one leaves no gap. */
    sections: PromptPart[];
    /**
     * The text of a prompt file such as `agent.system.main.md`, the winner of all layers, with what it includes. `""`
     * where it is missing or fails, which is reported: never rejects.
     *
     * @param variables what the file may name besides what all prompt files may
     */
    readonly render: (file: string, variables?: JsonObject) => Promise<string>;
  };
  /**
   * The prompt is put together. `messages` is the history for this question only. What is put into `extras` is told
   * to the model behind the history, as one message that is not kept.
   */
  message_loop_prompts_after: {
    readonly loopData: LoopData;
    system: string;
    messages: readonly ModelMessage[];
    extras: Record<string, Json>;
  };
  /** The model is about to be asked. */
  before_main_llm_call: { readonly loopData: LoopData; readonly model: string; readonly protocol: "native" | "json" };

  /** A piece of the model's reasoning. `chunk` may be replaced for those who watch; `full` is all so far. */
  reasoning_stream_chunk: { chunk: string; readonly full: string };
  /** The reasoning has grown by a tenth or more. */
  reasoning_stream: { readonly text: string };
  /** The reply is complete; all of its reasoning, empty where there was none. */
  reasoning_stream_end: { readonly text: string };
  /** A piece of the model's text. `chunk` may be replaced for those who watch; what is run is what the model wrote. */
  response_stream_chunk: { chunk: string; readonly full: string };
  /** The text has grown by a tenth or more. `parsed`: by the JSON protocol the object as far as it is written. */
  response_stream: { readonly text: string; readonly parsed: unknown };
  /** The reply is complete. */
  response_stream_end: { readonly text: string };
  /**
   * What the loop made of a reply, before any of it runs. `requests` and `answer` may be replaced; `skip: true` leaves
   * it at that: nothing runs, and the next round begins.
   */
  message_loop_result: {
    readonly loopData: LoopData;
    readonly text: string;
    requests: readonly AskedCall[];
    answer: string | undefined;
    skip: boolean;
  };

  /** Before authorisation. `args` may be replaced (they are validated again); `deny` refuses the call. A failing extension closes the gate. */
  tool_execute_before: {
    readonly toolName: string;
    readonly method: string | undefined;
    args: JsonObject;
    deny?: string;
  };
  /** After the result was normalised and masked; `result` may be replaced by a result of the same contract. */
  tool_execute_after: { readonly toolName: string; result: ToolResult };
  /** Progress text of a running tool, and, before the call, each argument as it is shown. */
  tool_output_update: { readonly toolName: string; content: string };

  /** The entry of a tool result before it is written to the history. */
  hist_add_tool_result: { readonly toolName: string; entry: Record<string, unknown> };
  /** Any entry before it is written to the history: a text, or the entry of a tool result. `ai` is true for the model's own text. */
  hist_add_before: { readonly ai: boolean; content: unknown };
  /** What the model or the person is told of something that went wrong in the loop. */
  error_format: { message: string };

  /** Once a minute, as long as the host runs. */
  job_loop: { readonly round: number };
}

/** One section of the system prompt. `id`: a word for tables. */
export interface PromptPart {
  readonly id: string;
  readonly text: string;
}

/** A call that a reply asks for. Without an `id` it is given one. */
export interface AskedCall {
  readonly id?: string;
  /** `name` or `name:method`. */
  readonly name: string;
  readonly args: unknown;
}

/** The name of an extension point. */
export type PointName = keyof PointMap;

/**
 * How the extensions of a point combine. `series`: each is told, none can change anything. `waterfall`: each sees what
 * the one before left. Of both a failing one is reported and passed over with all that it changed. `veto`: as
 * waterfall, but a failing one, or one that sets `deny`, stops the call.
 */
export type PointMode = "series" | "waterfall" | "veto";

/** The points with their modes. `replaces` names the fields that an extension may replace; other changes are dropped. */
export const POINTS = {
  agent_init: { mode: "series", replaces: [] },
  monologue_start: { mode: "series", replaces: [] },
  monologue_end: { mode: "series", replaces: [] },
  process_chain_end: { mode: "series", replaces: [] },
  message_loop_start: { mode: "series", replaces: [] },
  message_loop_end: { mode: "series", replaces: [] },
  message_loop_prompts_before: { mode: "series", replaces: [] },
  system_prompt: { mode: "waterfall", replaces: ["sections"] },
  message_loop_prompts_after: { mode: "waterfall", replaces: ["system", "messages", "extras"] },
  before_main_llm_call: { mode: "series", replaces: [] },
  reasoning_stream_chunk: { mode: "waterfall", replaces: ["chunk"] },
  reasoning_stream: { mode: "series", replaces: [] },
  reasoning_stream_end: { mode: "series", replaces: [] },
  response_stream_chunk: { mode: "waterfall", replaces: ["chunk"] },
  response_stream: { mode: "series", replaces: [] },
  response_stream_end: { mode: "series", replaces: [] },
  message_loop_result: { mode: "waterfall", replaces: ["requests", "answer", "skip"] },
  tool_execute_before: { mode: "veto", replaces: ["args", "deny"] },
  tool_execute_after: { mode: "waterfall", replaces: ["result"] },
  tool_output_update: { mode: "waterfall", replaces: ["content"] },
  hist_add_tool_result: { mode: "waterfall", replaces: ["entry"] },
  hist_add_before: { mode: "waterfall", replaces: ["content"] },
  error_format: { mode: "waterfall", replaces: ["message"] },
  job_loop: { mode: "series", replaces: [] },
} as const satisfies Record<PointName, { readonly mode: PointMode; readonly replaces: readonly string[] }>;
