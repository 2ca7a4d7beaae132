import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Frame, framesOf, type WireFormat } from "./wire-formats.ts";

/** One reply of the script. Everything is optional; an empty reply is an empty text. */
interface WireReply {
  readonly text?: string;
  readonly reasoning?: string;
  /** `args` that is a string is sent as it is, valid JSON or not; anything else as its JSON. */
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
  /** Anything but 200 sends `body` instead of a stream. */
  readonly status?: number;
  /** More headers of such a reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, or a value that is sent as JSON; default: the format's own error shape with `message`. */
  readonly body?: unknown;
  /** The message of the default error body; the text `{key}` stands for the API key of the request. */
  readonly message?: string;
  /** `hang`: the stream starts and never ends. `cut`: the connection is dropped in the middle. `error`: an error inside the stream. */
  readonly trouble?: "hang" | "cut" | "error";
}

/** One request as it came. */
interface WireRequest {
  readonly format: WireFormat;
  readonly path: string;
  readonly key: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of four formats
  readonly body: any;
  /** Resolves when the connection of this request is closed, by whichever side. */
  readonly closed: Promise<void>;
}

/** A running server. */
export interface WireServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `url` with `/v1`, as base URLs of providers are written. */
  readonly baseURL: string;
  /** All requests so far, oldest first. */
  readonly requests: readonly WireRequest[];
  /** Resolves with the nth request (from 0) as soon as it has come. */
  request(index: number): Promise<WireRequest>;
  close(): Promise<void>;
}

/** What to answer: a list, one reply a request (the last one again when it is used up), or a function of the request. */
export type WireScript = readonly WireReply[] | ((request: WireRequest, index: number) => WireReply);

/**
 * A local server that speaks the streaming formats of OpenAI (chat completions and responses), Anthropic
 * (messages) and Google (streamGenerateContent), told apart by the path.
 */
export async function startWireServer(script: WireScript): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const waiting = new Map<number, (request: WireRequest) => void>();
  const server = createServer((incoming, response) => {
    void readRequest(incoming, response).then((request) => {
      if (!request) return void response.writeHead(404, { "content-type": "text/plain" }).end("no such path");
      const index = requests.push(request) - 1;
      waiting.get(index)?.(request);
      const reply = typeof script === "function" ? script(request, index) : script[Math.min(index, script.length - 1)];
      return send(request, reply ?? {}, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    baseURL: `${url}/v1`,
    requests,
    async request(index) {
      return requests[index] ?? new Promise((resolve) => waiting.set(index, resolve));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const PATHS: readonly (readonly [RegExp, WireFormat])[] = [
  [/\/chat\/completions$/, "openai-chat"],
  [/\/responses$/, "openai-responses"],
  [/\/messages$/, "anthropic"],
  [/:streamGenerateContent$/, "google"],
];

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<WireRequest | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const path = (incoming.url ?? "").split("?")[0] ?? "";
  const format = PATHS.find(([pattern]) => pattern.test(path))?.[1];
  if (!format || incoming.method !== "POST") return undefined;
  const { authorization, "x-api-key": xApiKey, "x-goog-api-key": google } = incoming.headers;
  return {
    format,
    path,
    key: String(xApiKey ?? google ?? authorization?.replace(/^Bearer /, "") ?? ""),
    body: JSON.parse(Buffer.concat(chunks).toString("utf8")),
    closed: new Promise((resolve) => response.on("close", () => resolve())),
  };
}

async function send(request: WireRequest, reply: WireReply, response: ServerResponse): Promise<void> {
  const { status = 200, message = "something is wrong" } = reply;
  if (status !== 200) {
    const words = message.replaceAll("{key}", request.key);
    const body = reply.body ?? errorBody(request.format, words, status);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const type = typeof body === "string" ? "text/html" : "application/json";
    return void response.writeHead(status, { "content-type": type, ...reply.headers }).end(text);
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const frames = framesOf(request.format, { ...reply, model: String(request.body.model ?? "gemini") });
  // Trouble comes when the reply has begun: the first text is out, the end is not.
  const shown = reply.trouble === undefined ? frames : frames.slice(0, Math.max(1, frames.length - 3));
  for (const frame of shown) response.write(serialise(frame));
  if (reply.trouble === "hang") return;
  if (reply.trouble === "cut") return void setImmediate(() => response.destroy());
  if (reply.trouble === "error") {
    const body = errorBody(request.format, message.replaceAll("{key}", request.key), 529);
    response.write(serialise({ event: "error", data: body }));
  }
  response.end();
}

function serialise({ event, data }: Frame): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

function errorBody(format: WireFormat, message: string, status: number): unknown {
  if (format === "anthropic") return { type: "error", error: { type: "some_error", message } };
  if (format === "google") return { error: { code: status, message, status: "SOME_ERROR" } };
  return { error: { message, type: "some_error", param: null, code: null } };
}
