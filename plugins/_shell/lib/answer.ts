import type { Tool, ToolResult } from "toolroom";
import type { Followed } from "./sessions.ts";

/** What a model is told of code in a session. */
export function answerOf(tool: Tool, session: number, followed: Followed): ToolResult {
  const { text, file, state, exitCode, process } = followed;
  const lines = [
    text === "" ? "[no output]" : text.replace(/\n$/u, ""),
    ...(file === undefined ? [] : [`[the whole output is in ${file}]`]),
    ...endingOf(followed, session),
  ];
  const { signal, sandbox } = process;
  const data = {
    session,
    state,
    exitCode,
    signal,
    output: text,
    ...(file === undefined ? {} : { file }),
    sandbox: { ...sandbox },
  };
  const isWell = state === "done" && exitCode === 0;
  return isWell ? tool.success(lines.join("\n"), data) : tool.partial(lines.join("\n"), data);
}

function endingOf({ state, exitCode }: Followed, session: number): readonly string[] {
  switch (state) {
    case "done":
      return exitCode === 0 ? [] : [`[exit code ${exitCode}]`];
    case "ended":
      return [`[session ${session} ended with exit code ${exitCode}; the next code begins a new one]`];
    case "asking":
      return [`[it still runs in session ${session}, and seems to ask something: the tool input answers]`];
    case "running":
      return [`[it still runs in session ${session}: runtime output shows what comes, reset ends it]`];
  }
}
