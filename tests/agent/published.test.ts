import { expect, onTestFinished, test } from "vitest";
import { createHistory } from "../../core/agent/history.ts";
import { type RecordBody, readRecord } from "../../core/agent/transcript-records.ts";
import { openModel } from "../../core/model/open.ts";
import { publishedNames } from "../../core/model/published-names.ts";
import { tool } from "../dispatch/workbench.ts";
import { sentTools } from "../helpers/wire-refusals.ts";
import { startWireServer } from "../helpers/wire-server.ts";
import { FACES, type Face, faces, settingsOf } from "../model/faces.ts";
import { turnBench } from "./turn-bench.ts";

const echo = tool(function (args: { a?: unknown }) {
  return this.success(`echo ${JSON.stringify(args.a ?? null)}`);
});
const parameters = { type: "object", properties: { a: { type: "number" } } };
/** As if its id were none that providers take. */
const NAME = publishedNames(["server__a tool"]).published.get("server__a tool") ?? "";
const TOOLS = [
  { name: "echo", published: NAME, description: "Says it again.", parameters },
  { name: "plain", description: "Has a name that fits.", parameters },
];

test.each(faces)("%s: a tool is published by its name, and everything here knows it by its id", async (face) => {
  const { id, env } = FACES[face] as Face;
  const calls = [
    { id: "call_1", name: NAME, args: { a: 1 } },
    { id: "call_2", name: "echo", args: { a: 2 } },
    { id: "call_3", name: "made up:x", args: {} },
  ];
  const server = await startWireServer([{ calls }, { text: "Done." }]);
  onTestFinished(async () => await server.close());
  const model = await openModel(id, { env: env(server), settings: settingsOf(FACES[face] as Face, server) });
  const records: RecordBody[] = [];
  const history = createHistory({
    transcript: { append: (record) => void records.push(record), sync: async () => {} },
  });
  const bench = turnBench({ replies: [], tools: { echo }, turn: { model, history, tools: async () => TOOLS } });
  const outcome = await bench.run();
  // A model that calls it by its id, as the prompt may have it, is understood, too.
  expect(outcome.calls.map(({ name, status }) => `${name} ${status}`)).toEqual([
    "echo success",
    "echo success",
    "made up:x error",
  ]);

  const [first, second] = server.requests;
  if (!first || !second) throw new Error("expected two requests");
  expect(sentTools(first.format, first.body).map(({ name }) => name)).toEqual([NAME, "plain"]);
  const again = JSON.stringify(second.body.messages ?? second.body.input ?? second.body.contents);
  expect(again.split(`"name":"${NAME}"`).length - 1).toBeGreaterThanOrEqual(2);
  expect(again).not.toContain('"name":"echo"');
  expect(again).toMatch(/"name":"made_up_x_[0-9a-f]{8}"/);

  // The way back is in the events and in the transcript.
  const published = { [NAME]: "echo" };
  const starts = bench.events.filter(({ type }) => type === "reply_start");
  expect(starts).toMatchObject([{ published }, { published }]);
  const replies = records.filter(({ type }) => type === "assistant");
  expect(replies).toMatchObject([{ calls: [{ name: "echo" }, { name: "echo" }, {}], published }, { content: "Done." }]);
  expect(replies[1]).not.toHaveProperty("published");
  expect(readRecord(JSON.stringify({ ...replies[0], v: 1, ts: "2026-01-01T00:00:00.000Z" }))).not.toHaveProperty(
    "fault",
  );
});

test("where all names fit nothing is said of it", async () => {
  const bench = turnBench({ replies: [[]], tools: { echo } });
  await bench.run();
  expect(bench.events.find(({ type }) => type === "reply_start")).not.toHaveProperty("published");
});
