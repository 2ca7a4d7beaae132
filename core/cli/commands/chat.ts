import { createInterface, type Interface } from "node:readline";
import type { Agent, Host } from "../../host.ts";
import { HostError } from "../../sdk/errors.ts";
import { compactionText, openChatDisplay } from "../chat-display.ts";
import type { Command } from "../command.ts";
import { type Interrupt, stopOnInterrupt } from "../interrupt.ts";
import { type CommandLine, switchOption, textOption } from "../options.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage.ts";

const HELP = `/help           this text
/tools          the tools of this profile
/profile [P]    the profile, or a new conversation with profile P
/compact        replace all turns but the last ones by a summary
/quit           end (also Ctrl-D)
Ctrl-C          stop the turn; at the prompt, end`;

/** `chat`: the interactive form of `run`, also in a plain pipe. */
export const command: Command = {
  usage: "chat [--continue | --resume ID]",
  summary: "a conversation, written down as a session; /help lists its commands",
  options: { continue: { type: "boolean" }, resume: { type: "string" } },
  optionHelp: { continue: "go on with the session that was last used", resume: "go on with this session" },
  async run({ line, terminal, host: open }) {
    if (line.words.length > 0)
      throw usageError(`chat takes no words, found "${line.words.join(" ")}"; run "<message>" asks once`);
    if (terminal.json) throw usageError("chat has no JSON form; run --json has");
    const choice = sessionChoice(line);
    const host = await open();
    await converse(host, { terminal, agent: await host.agent(choice) });
    return 0;
  },
};

/** @throws HostError USAGE for two sessions at once */
function sessionChoice(line: CommandLine): { session: string; profile?: string } {
  const resume = textOption(line, "resume");
  const last = switchOption(line, "continue");
  if (resume !== undefined && last) throw usageError("--continue and --resume exclude each other: choose one");
  const session = resume ?? (last ? "latest" : "new");
  const profile = textOption(line, "profile");
  return { session, ...(profile === undefined ? {} : { profile }) };
}

/** A conversation: its agent is replaced when the profile changes. */
interface Conversation {
  readonly terminal: Terminal;
  agent: Agent;
}

async function converse(host: Host, chat: Conversation): Promise<void> {
  const { terminal } = chat;
  const interactive = terminal.stdin.isTTY === true && terminal.stdout.isTTY === true;
  const lines = createInterface({
    input: terminal.stdin,
    // In a plain pipe nothing but answers is written.
    ...(interactive ? { output: terminal.stdout, terminal: true, prompt: "> " } : { terminal: false }),
  });
  let answering: ReadonlySet<string> = new Set();
  const display = openChatDisplay(host, terminal, {
    streams: () => chat.agent.model.protocol === "native",
    answers: (tool) => answering.has(tool),
  });
  let turn: Interrupt | undefined;
  let open = true;
  lines.on("close", () => {
    open = false;
  });
  // A terminal in raw mode gives Ctrl-C as a key, which readline tells; it then sends no signal.
  lines.on("SIGINT", () => (turn ? turn.press() : leave(lines)));

  if (interactive) greet(chat);
  tellResumption(chat);
  terminal.report(host.diagnostics({ profile: chat.agent.profile }));
  if (interactive) lines.prompt();
  for await (const typed of lines) {
    const message = typed.trim();
    if (message === "/quit" || message === "/exit") break;
    if (COMMAND.test(message)) await obey(message, host, chat);
    else if (await isSlip(message, chat))
      terminal.note(`There is no command or tool ${message}; /help lists the commands.`);
    else if (message !== "") {
      turn = stopOnInterrupt();
      answering = await answeringTools(host, chat);
      await answer(message, chat, { display, signal: turn.signal });
      turn.release();
      turn = undefined;
      display.usage(chat.agent.usage());
      terminal.report(host.diagnostics({ profile: chat.agent.profile }));
    }
    if (interactive && open) lines.prompt();
  }
  display.close();
  // The prompt is still there when Ctrl-D or Ctrl-C ended the chat.
  if (interactive && !open) terminal.say("");
  lines.close();
}

/** Ctrl-C at the prompt throws away what was typed, and ends the chat where nothing was. */
function leave(lines: Interface): void {
  if (lines.line === "") lines.close();
  else {
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
  }
}

function greet({ terminal, agent }: Conversation): void {
  terminal.say(`toolroom, profile ${agent.profile}, model ${agent.model.id}. /help lists the commands.`);
  if (agent.model.id === "offline")
    terminal.say("No model is configured: the offline model matches questions to tools. See README, Models.");
}

/** What somebody who goes on should know, wherever he reads it. */
function tellResumption({ terminal, agent: { id, resumed } }: Conversation): void {
  if (!resumed) return;
  const { turns, interrupted, uncertain } = resumed;
  terminal.note(
    `session ${id} goes on after ${turns === 1 ? "one turn" : `${turns} turns`}${interrupted ? "; the last one was interrupted" : ""}.`,
  );
  for (const { name, args } of uncertain)
    terminal.note(`What became of ${name} ${JSON.stringify(args ?? {})} is not known; it was not run again.`);
}

async function answer(
  message: string,
  { terminal, agent }: Conversation,
  { display, signal }: { display: ReturnType<typeof openChatDisplay>; signal: AbortSignal },
): Promise<void> {
  try {
    const outcome = await agent.run(message, { signal });
    if (outcome.stopped === undefined) return display.answer(outcome.answer);
    display.settle();
    terminal.note(outcome.answer);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    display.settle();
    terminal.note(error.message);
  }
}

const COMMAND = /^\/(help|tools|profile|compact)(?:\s+(\S.*))?$/u;

/** A lone `/word` is meant as a command; asking a model about it would only cost something. */
async function isSlip(message: string, { agent }: Conversation): Promise<boolean> {
  const name = /^\/([A-Za-z][\w-]*)$/u.exec(message)?.[1];
  if (name === undefined) return false;
  return !(await agent.tools()).some(({ id, aliases }) => id === name || aliases.includes(name));
}

async function obey(message: string, host: Host, chat: Conversation): Promise<void> {
  const { terminal } = chat;
  const [, name, word] = COMMAND.exec(message) ?? [];
  if (name === "help") terminal.say(HELP);
  else if (name === "tools") {
    terminal.say(await toolLines(host, chat));
  } else if (name === "compact") {
    const made = await chat.agent.compact();
    terminal.say(made ? compactionText(made) : "There is nothing to summarise yet.");
  } else if (word === undefined) terminal.say(chat.agent.profile);
  else await switchProfile(word, host, chat);
}

/** What the model is offered, and what did not load. */
async function toolLines(host: Host, { agent }: Conversation): Promise<string> {
  const offered = new Set((await host.toolDefinitions({ profile: agent.profile })).map(({ name }) => name));
  const tools = await agent.tools();
  return tools
    .filter(({ id, status }) => offered.has(id) || status === "failed")
    .map(({ id, description, error }) => `${id}: ${error ?? description}`)
    .join("\n");
}

async function answeringTools(host: Host, { agent }: Conversation): Promise<ReadonlySet<string>> {
  const definitions = await host.toolDefinitions({ profile: agent.profile });
  return new Set(definitions.filter(({ role }) => role === "answer").map(({ name }) => name));
}

async function switchProfile(profile: string, host: Host, chat: Conversation): Promise<void> {
  try {
    const agent = await host.agent({ profile, session: "new" });
    chat.agent.close();
    chat.agent = agent;
    chat.terminal.say(`profile ${chat.agent.profile}; a new conversation.`);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    chat.terminal.note(error.message);
  }
}
