import type { Agent, Host } from "../host.ts";
import { HostError } from "../sdk/errors.ts";
import { compactionText } from "./chat-display.ts";
import { isOperatorCommand, OPERATOR_HELP, operate } from "./operator-commands.ts";
import type { Terminal } from "./terminal.ts";

/** A conversation: its agent is replaced when the profile changes. */
export interface Conversation {
  readonly host: Host;
  readonly terminal: Terminal;
  agent: Agent;
}

const HELP = `/help           this text
/tools          the tools of this profile
/profile [P]    the profile, or a new conversation with profile P
/compact        replace all turns but the last ones by a summary
${OPERATOR_HELP}
/quit           end (also Ctrl-D)
While a turn runs, at a terminal:
a message       is told to the agent at once
Esc             pause, and go on
Ctrl-C          stop the turn; at the prompt, end`;

const COMMAND = /^\/(help|tools|profile|compact|quit|exit)(?:\s+(\S.*))?$/u;

/** Whether a line is a command of the chat. */
export function isCommand(line: string): boolean {
  return COMMAND.test(line) || isOperatorCommand(line);
}

/** Does what a command says. @returns false for the end of the chat */
export async function obey(line: string, chat: Conversation): Promise<boolean> {
  const { terminal, agent } = chat;
  if (isOperatorCommand(line)) {
    await operate(line, chat);
    return true;
  }
  const [, name, word] = COMMAND.exec(line) ?? [];
  if (name === "quit" || name === "exit") return false;
  if (name === "help") terminal.say(HELP);
  else if (name === "tools") terminal.say(await toolLines(chat));
  else if (name === "compact") {
    const made = await agent.compact();
    terminal.say(made ? compactionText(made) : "There is nothing to summarise yet.");
  } else if (word === undefined) terminal.say(agent.profile);
  else await switchProfile(word, chat);
  return true;
}

/** A lone `/word` is meant as a command; asking a model about it would only cost something. */
export async function isSlip(line: string, { agent }: Conversation): Promise<boolean> {
  const name = /^\/([A-Za-z][\w-]*)$/u.exec(line)?.[1];
  if (name === undefined) return false;
  return !(await agent.tools()).some(({ id, aliases }) => id === name || aliases.includes(name));
}

/** What the model is offered, and what did not load. */
async function toolLines({ host, agent }: Conversation): Promise<string> {
  const offered = new Set((await host.toolDefinitions({ profile: agent.profile })).map(({ name }) => name));
  const tools = await agent.tools();
  return tools
    .filter(({ id, status }) => offered.has(id) || status === "failed")
    .map(({ id, description, error }) => `${id}: ${error ?? description}`)
    .join("\n");
}

async function switchProfile(profile: string, chat: Conversation): Promise<void> {
  try {
    const agent = await chat.host.agent({ profile, session: "new" });
    chat.agent.close();
    chat.agent = agent;
    chat.terminal.say(`profile ${chat.agent.profile}; a new conversation.`);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    chat.terminal.note(error.message);
  }
}
