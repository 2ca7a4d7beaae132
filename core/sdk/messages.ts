/** One native tool call of an earlier reply. `args` is what the model gave, also when it was no object. */
export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** One message of the history as models are given it, oldest first. */
export type ModelMessage =
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls?: readonly ModelToolCall[] }
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly content: string;
      readonly isError: boolean;
    };
