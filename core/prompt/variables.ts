/** What every prompt file may name. */
export const PROMPT_VARIABLES = [
  "profile",
  "profile_title",
  "profile_context",
  "project",
  "profiles",
  "json_protocol",
  "secrets",
] as const;

/** What a file of the system prompt may name besides: the fragments, or what of them is to be told. */
export const SYSTEM_VARIABLES = ["tools"] as const;

/** What the fragment of a tool may name besides: what the tool is for; of several tools, by their ids. */
export const FRAGMENT_VARIABLES = ["description", "descriptions"] as const;

/** The messages that the host puts into a conversation, each with what it may name besides {@link PROMPT_VARIABLES}. */
export const MESSAGE_VARIABLES = {
  "fw.msg_misformat.md": ["reason"],
  "fw.msg_repeat.md": ["reason"],
  "fw.msg_empty.md": ["reason"],
  "fw.msg_loop.md": ["reason"],
  "fw.msg_summary.md": ["limit"],
  "fw.msg_iteration_limit.md": ["limit"],
  "fw.msg_resumed.md": ["calls", "interrupted"],
  "fw.compaction.md": [],
} as const satisfies Readonly<Record<string, readonly string[]>>;
