import { createInterface } from "node:readline";
import type { Agent, Host } from "../../host.ts";
import { HostError, ToolError } from "../../sdk/errors.ts";
import type { Command } from "../command.ts";
import type { Terminal } from "../terminal.ts";

const HELP = `/help           this text
/tools          the tools of this profile
/profile [P]    the profile, or a new conversation with profile P
/quit           end (also Ctrl-D)
Ctrl-C          stop the turn; at an empty prompt, end`;

/** `chat`: the interactive form of `run`, also in a plain pipe. */
export const command: Command = {
  usage: "chat",
  summary: "a conversation; /help lists its commands",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    if (line.words.length > 0)
      throw new HostError("USAGE", `chat takes no words, found "${line.words.join(" ")}"; run "<message>" asks once.`, {
        kind: "usage",
      });
    if (terminal.json) throw new HostError("USAGE", "chat has no JSON form; run --json has.", { kind: "usage" });
    const host = await open();
    await converse(host, terminal);
    return 0;
  },
};

async function converse(host: Host, terminal: Terminal): Promise<void> {
  let agent = await host.agent({});
  let turn: AbortController | undefined;
  const interactive = terminal.stdin.isTTY === true;
  const lines = createInterface({
    input: terminal.stdin,
    output: terminal.stdout,
    terminal: interactive,
    prompt: interactive ? "> " : "",
  });
  lines.on("SIGINT", () => {
    if (turn) turn.abort(new ToolError("STOPPED", "The turn was stopped."));
    else lines.close();
  });
  const stopWatching = showEvents(host, terminal, () => agent);
  if (interactive) {
    terminal.say(`toolroom, profile ${agent.profile}, model ${agent.model.id}. /help lists the commands.`);
    if (agent.model.id === "offline")
      terminal.say("No model is configured: the offline model matches questions to tools. See README, Models.");
  }
  lines.prompt();
  for await (const typed of lines) {
    const message = typed.trim();
    if (message === "/quit" || message === "/exit") break;
    if (message.startsWith("/profile ")) agent = await switchProfile(host, terminal, message.slice(9).trim(), agent);
    else if (message === "/profile") terminal.say(agent.profile);
    else if (message === "/help") terminal.say(HELP);
    else if (message === "/tools")
      for (const tool of await agent.tools()) terminal.say(`${tool.id}: ${tool.description}`);
    else if (message !== "") {
      turn = new AbortController();
      await answer(agent, message, { terminal, signal: turn.signal });
      turn = undefined;
    }
    lines.prompt();
  }
  stopWatching();
  lines.close();
}

async function answer(
  agent: Agent,
  message: string,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<void> {
  try {
    const outcome = await agent.run(message, { signal });
    terminal.say(outcome.answer);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    terminal.note(error.message);
  }
}

async function switchProfile(host: Host, terminal: Terminal, profile: string, current: Agent): Promise<Agent> {
  try {
    const agent = await host.agent({ profile });
    terminal.say(`profile ${agent.profile}; a new conversation.`);
    return agent;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    terminal.note(error.message);
    return current;
  }
}

/** Shows what happens while a turn runs. The text of the JSON protocol is a request, not words, so it is not streamed. */
function showEvents(host: Host, terminal: Terminal, agent: () => Agent): () => void {
  const offs = [
    host.on("text_delta", ({ text }) => {
      if (agent().model.protocol === "native") terminal.stream(text);
    }),
    host.on("tool_start", ({ name, args }) => terminal.note(`  → ${name} ${JSON.stringify(args)}`)),
    host.on("tool_progress", ({ name, text }) => terminal.note(`  … ${name}: ${text}`)),
    host.on("tool_end", ({ name, status, durationMs }) => terminal.note(`  ← ${name} ${status}, ${durationMs} ms`)),
    host.on("warning", ({ message }) => terminal.note(`  ! ${message}`)),
  ];
  return () => {
    for (const off of offs) off();
  };
}
