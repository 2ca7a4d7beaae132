import { createCancellation, isPromiseLike } from "../governance/cancellation.ts";
import type { Model, ModelPart, ModelRequest } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import type { ReplyText, ToolRequest } from "./extract.ts";

/** One reply of a model, as far as it was read. */
export interface Reply extends ReplyText {
  readonly usage: Usage;
  /** Something of it had come. */
  readonly streamed: boolean;
  /** The turn was stopped, or a person spoke: what is here is what had come until then. */
  readonly interrupted: boolean;
  /** What the model failed with; undefined where it did not. */
  readonly error: unknown;
}

/** Who is told of a reply while it comes. What takes no time is not waited for. */
export interface ReplyReader {
  /** @returns false where the rest is of no use: the stream is then ended */
  text(piece: string): boolean | Promise<boolean>;
  reasoning(piece: string): void | Promise<void>;
  /** Waits while the turn is paused; throws where it was stopped or a person spoke. */
  checkpoint(): void | Promise<void>;
}

/**
 * Reads a reply to its end, until the reader has enough, or until the request's signal fires; leaving the iteration
 * closes the request. Never rejects: what the model failed with is part of the reply.
 */
export async function readReply(model: Model, request: ModelRequest, reader: ReplyReader): Promise<Reply> {
  const work = createCancellation(request.signal);
  const draft = createDraft();
  let iterator: AsyncIterator<ModelPart> | undefined;
  let isOver = false;
  try {
    iterator = model.stream(request)[Symbol.asyncIterator]();
    const parts = iterator;
    for (;;) {
      const next = await work.race(() => parts.next());
      if (next.done) break;
      const goesOn = take(next.value, draft, reader);
      if (!(isPromiseLike(goesOn) ? await goesOn : goesOn)) {
        leave(parts);
        break;
      }
      const held = reader.checkpoint();
      if (held) await held;
    }
    isOver = true;
    return draft.reply({});
  } catch (error) {
    return draft.reply(work.reason ? { interrupted: true } : { error });
  } finally {
    if (iterator && !isOver) leave(iterator);
    work.close();
  }
}

/** Not waited for: a stream that hangs does not come to an end either. */
function leave(iterator: AsyncIterator<ModelPart>): void {
  iterator.return?.().then(undefined, () => {});
}

function take(part: ModelPart, draft: Draft, reader: ReplyReader): boolean | Promise<boolean> {
  draft.add(part);
  if (part.type === "text") return reader.text(part.text);
  const wait = part.type === "reasoning" ? reader.reasoning(part.text) : undefined;
  return wait ? wait.then(() => true) : true;
}

interface Draft {
  add(part: ModelPart): void;
  reply(end: { readonly interrupted?: boolean; readonly error?: unknown }): Reply;
}

function createDraft(): Draft {
  const text: string[] = [];
  const reasoning: string[] = [];
  const calls: Omit<ToolRequest, "text">[] = [];
  let usage: Usage = {};
  let isCut = false;
  return {
    add(part) {
      if (part.type === "text") text.push(part.text);
      else if (part.type === "reasoning") reasoning.push(part.text);
      else if (part.type === "tool-call") {
        const { id, name, args, invalid } = part;
        calls.push({ id: freeId(id, calls), name, args, ...(invalid === undefined ? {} : { invalid }) });
      } else {
        usage = part.usage;
        isCut = part.reason === "length";
      }
    },
    reply({ interrupted = false, error }) {
      const whole = text.join("");
      return {
        text: whole,
        reasoning: reasoning.join(""),
        calls: calls.map((call) => ({ ...call, text: whole })),
        usage,
        isCut,
        streamed: text.length + reasoning.length + calls.length > 0,
        interrupted,
        error,
      };
    },
  };
}

/** Some servers give all calls of a reply one id, or none; results are matched by it. */
function freeId(id: string, calls: readonly { readonly id: string }[]): string {
  const wanted = id || "call";
  if (!calls.some((call) => call.id === wanted)) return wanted;
  return freeId(`${wanted}-${calls.length + 1}`, calls);
}
