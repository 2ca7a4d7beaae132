import type { Approver } from "../../sdk/approval.ts";
import { HostError } from "../../sdk/errors.ts";
import { screenOf, talk } from "../approval-dialog.ts";
import { type Conversation, isCommand, isSlip, obey } from "../chat-commands.ts";
import { type ChatDisplay, openChatDisplay } from "../chat-display.ts";
import { type ChatInput, openChatInput, type TurnKeys } from "../chat-input.ts";
import type { Command } from "../command.ts";
import { type Interrupt, stopOnInterrupt } from "../interrupt.ts";
import { isOperatorCommand, operate } from "../operator-commands.ts";
import { type CommandLine, switchOption, textOption } from "../options.ts";
import { reloadLine } from "../reload-text.ts";
import type { Terminal } from "../terminal.ts";
import { tellUnasked } from "../unasked.ts";
import { usageError } from "../usage.ts";

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
    // The watch begins when there is time for it: nobody is to wait for the prompt.
    const person = createPerson(terminal);
    const host = await open({ watch: "later", probe: true, ...(person ? { approver: person.approver } : {}) });
    const unasked = tellUnasked(host, terminal);
    await converse({ host, terminal, agent: await host.agent(choice) }, person);
    return unasked() ? 1 : 0;
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

/** Who sits at the terminal of a chat, and can be asked as soon as its input is open. */
interface Person {
  readonly approver: Approver;
  sit(input: ChatInput): void;
}

/** @returns undefined in a pipe: a question there would wait for nobody */
function createPerson(terminal: Terminal): Person | undefined {
  const { stdin, stdout, note } = terminal;
  if (stdin.isTTY !== true || stdout.isTTY !== true) return undefined;
  let input: ChatInput | undefined;
  return {
    async approver(request, { signal }) {
      if (!input) throw new Error("the chat has not begun");
      return await input.question(
        signal,
        async (read) => await talk(request, { screen: screenOf(terminal), show: note, read }),
      );
    },
    sit: (opened) => {
      input = opened;
    },
  };
}

async function converse(chat: Conversation, person: Person | undefined): Promise<void> {
  const { host, terminal } = chat;
  const input = openChatInput(terminal);
  person?.sit(input);
  let answering: ReadonlySet<string> = new Set();
  const display = openChatDisplay(host, terminal, {
    streams: () => chat.agent.model.protocol === "native",
    answers: (tool) => answering.has(tool),
  });
  if (input.interactive) greet(chat);
  tellResumption(chat);
  terminal.report(host.diagnostics({ profile: chat.agent.profile }));
  host.on("reload", (receipt) => input.aside(() => display.remark(reloadLine(receipt))));
  const watch = startOnce(async () => {
    await host.watch().catch((error: unknown) => display.note(`the content is not watched: ${wordsOf(error)}`));
  });
  const next = async () => await whileIdle(input.next(), watch);
  let turns = 0;
  for (let typed = await next(); typed !== undefined; typed = await next()) {
    const message = typed.trim();
    if (isCommand(message)) {
      if (isOperatorCommand(message)) await watch();
      if (!(await obey(message, chat))) break;
    } else if (await isSlip(message, chat)) {
      terminal.note(`There is no command or tool ${message}; /help lists the commands.`);
    } else if (message !== "") {
      // One message from a pipe needs no watch; a second one is answered by what the files hold then.
      if (turns++ > 0) await watch();
      answering = await answeringTools(chat);
      await turn(message, chat, { input, display });
      terminal.report(host.diagnostics({ profile: chat.agent.profile }));
    }
  }
  display.close();
  input.close();
}

/** Has a message answered, and lets the person speak, pause and stop meanwhile. */
async function turn(
  message: string,
  chat: Conversation,
  { input, display }: { readonly input: ChatInput; readonly display: ChatDisplay },
): Promise<void> {
  const interrupt = stopOnInterrupt();
  display.begin();
  try {
    await input.during(
      keysOf(chat, display, interrupt),
      async () => await answer(message, chat, { display, interrupt }),
    );
  } finally {
    interrupt.release();
  }
  display.usage(chat.agent.usage());
}

function keysOf({ agent, host }: Conversation, display: ChatDisplay, interrupt: Interrupt): TurnKeys {
  let paused = false;
  return {
    line(text) {
      // What stops everything does not wait for what it is to stop.
      if (/^\/estop\b/u.test(text.trim())) {
        void operate(text.trim(), { host, terminal: { say: display.note, note: display.note } });
        return true;
      }
      if (isCommand(text.trim())) {
        display.note(`${text.trim()} has to wait: a turn runs. Ctrl-C stops it.`);
        return true;
      }
      // A message ends a pause.
      paused = false;
      return agent.intervene(text);
    },
    escape() {
      paused = !paused;
      if (paused) agent.pause();
      else agent.resume();
    },
    interrupt: interrupt.press,
    typing: display.hold,
  };
}

async function answer(
  message: string,
  { agent }: Conversation,
  { display, interrupt }: { readonly display: ChatDisplay; readonly interrupt: Interrupt },
): Promise<void> {
  try {
    const { answer: text, stopped } = await agent.run(message, { signal: interrupt.signal });
    if (stopped === undefined) display.answer(text);
    else display.note(text);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    display.note(error.message);
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

/** So long nothing is typed until other work may begin. */
const IDLE_MS = 30;

/** Begins some work when a wait takes longer than a moment. */
async function whileIdle<T>(wait: Promise<T>, begin: () => Promise<void>): Promise<T> {
  const timer = setTimeout(() => void begin(), IDLE_MS);
  try {
    return await wait;
  } finally {
    clearTimeout(timer);
  }
}

function startOnce(start: () => Promise<void>): () => Promise<void> {
  let started: Promise<void> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function answeringTools({ host, agent }: Conversation): Promise<ReadonlySet<string>> {
  const definitions = await host.toolDefinitions({ profile: agent.profile });
  return new Set(definitions.filter(({ role }) => role === "answer").map(({ name }) => name));
}
