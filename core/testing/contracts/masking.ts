import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../sdk/json.ts";
import type { JsonObject } from "../../sdk/result.ts";
import type { Contract } from "../contract.ts";
import { breach, shown } from "../failure.ts";
import { type Argument, asArgument } from "../schema-facts.ts";
import type { Subject } from "../subject.ts";

/** So many characters of a secret are as bad as all of it. */
const PART = 12;

/** A model asks with a placeholder, the tool is given the value, and nobody else may ever see that. */
export const masking: Contract = {
  name: "lets no secret out that it is given",
  async check(subject) {
    const texts = subject.facts.arguments.filter(({ isText, isTextList }) => isText || isTextList);
    if (texts.length === 0) return "it takes no text";
    const placeholder = `§§secret(${subject.secret.name})`;
    for (const argument of texts) {
      for (const text of [placeholder, subject.secret.value]) {
        const args = withText(subject.sample.args, [argument], text);
        const told = subject.events.length;
        const result = await subject.call(args);
        requireMasked(subject, args, [
          ["the result", JSON.stringify(result)],
          ["progress and events", JSON.stringify(subject.events.slice(told))],
        ]);
      }
    }
    const args = withText(subject.sample.args, texts, placeholder);
    requireMasked(subject, args, await askedByAModel(subject, args));
    return undefined;
  },
};

/** A text that was told or written, with the words for where. */
type Told = readonly [where: string, text: string];

/** One turn in which a model asks for the call: all that it leaves. */
async function askedByAModel(subject: Subject, args: JsonObject): Promise<readonly Told[]> {
  let done = (): void => {};
  const host = await subject.another({ model: modelThatCalls(subject.id, args, () => done()) });
  const events: unknown[] = [];
  host.onAny((event) => events.push(event));
  const agent = await host.agent({ session: "new" });
  done = () => void agent.stop();
  try {
    await agent.run("Call it.");
    return [
      ["the events of a turn", JSON.stringify(events)],
      ["the history", JSON.stringify(agent.history)],
    ];
  } finally {
    agent.close();
    await host.close();
  }
}

/** Asks for the call, and then for nothing more. */
function modelThatCalls(name: string, args: JsonObject, done: () => void): Model {
  let asked = 0;
  return {
    id: "test/suite",
    protocol: "native",
    async *stream({ signal }) {
      if (asked++ === 0) {
        yield { type: "tool-call", id: "call-1", name, args };
        yield { type: "finish", reason: "tool-calls", usage: {} };
        return;
      }
      const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      done();
      if (!signal.aborted) await stopped;
      throw signal.reason;
    },
  };
}

function withText(args: JsonObject, texts: readonly Argument[], text: string): JsonObject {
  const changed = texts.map((argument): [string, Json] => [argument.name, asArgument(argument, text)]);
  return { ...args, ...Object.fromEntries(changed) };
}

function requireMasked(subject: Subject, args: JsonObject, told: readonly Told[]): void {
  const { value } = subject.secret;
  const found = [...told, ...written(join(subject.ground.root, "usr"))].find(([, text]) => holds(text, value));
  if (!found) return;
  const [where, text] = found;
  throw breach({
    expected: `nothing of a secret in ${where}, when the tool is given one: ${shown(args).replaceAll(value, "<the secret>")}`,
    found: aroundOf(text, value),
    todo: "Say that it was used, not what it is. The host masks whole values, not what a tool makes of them.",
  });
}

/** The files that the host has written: log, transcripts, kept outputs. */
function written(usr: string): readonly Told[] {
  return readdirSync(usr, { recursive: true, withFileTypes: true }).flatMap((entry): Told[] => {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(usr.length + 1).replaceAll("\\", "/");
    if (!entry.isFile() || !/^(?:logs|sessions|spill)\//u.test(path)) return [];
    return [[`usr/${path}`, readFileSync(file, "utf8")]];
  });
}

/** Whole, in part, backwards, or with other characters between. */
function holds(text: string, value: string): boolean {
  const plain = text.replace(/[^a-z0-9]/giu, "").toLowerCase();
  const backwards = [...value].reverse().join("");
  return [value, backwards].some((form) =>
    [form.slice(0, PART), form.slice(-PART)].some((part) => plain.includes(part)),
  );
}

function aroundOf(text: string, value: string): string {
  const at = text.indexOf(value.slice(0, PART));
  return at < 0 ? shown(text) : shown(text.slice(Math.max(0, at - 60), at + PART));
}
