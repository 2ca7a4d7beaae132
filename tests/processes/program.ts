import type { Host } from "../../core/host.ts";
import type { ToolResult } from "../../core/index.ts";
import type { Tree } from "../helpers/tree.ts";
import { type House, type HouseOptions, openHouse } from "../host/house.ts";

/** A tool that asks `this.processes` for what its arguments say. */
export const PROGRAM = `import { Tool } from "toolroom";
export default class Program extends Tool {
  static risk = "low";
  static timeoutMs = 60_000;
  async execute({ what = "run", bash, argv, env = {}, id, text, ...options }) {
    const command = bash === undefined ? { kind: "argv", argv, env } : { kind: "bash", script: bash };
    const onProgress = (text) => void this.setProgress(text);
    const { processes } = this;
    const data = await {
      run: () => processes.run(command, { ...options, onProgress }),
      start: () => processes.start(command, { title: "a test", ...options, id }),
      list: () => ({ all: processes.list() }),
      read: () => processes.read(id, options),
      type: () => processes.type(id, text),
      send: () => processes.send(id, text),
      stop: () => processes.stop(id),
    }[what]();
    return this.success("done", data);
  }
}
`;

/** A house with the tool `program`. */
export async function openProgramHouse(files: Tree = {}, options: HouseOptions = {}): Promise<House> {
  return await openHouse({ "usr/tools/program.ts": PROGRAM, ...files }, options);
}

/** Settings with one risk profile. */
export function risk(values: object): Tree {
  return { "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: values } }) };
}

/** What a call of `program` gave; of an error its code and message. */
export async function program(host: Host, args: object, signal?: AbortSignal): Promise<Found> {
  const result = await host.call("program", { ...args }, signal ? { signal } : {});
  return foundIn(result);
}

export interface Found {
  readonly code: string | undefined;
  readonly message: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they asked for
  readonly data: any;
  readonly stdout: string;
  readonly stderr: string;
}

function foundIn({ error, message, data }: ToolResult): Found {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const { stdout, stderr } = data as any;
  return { code: error?.code, message, data, stdout: stdout?.text ?? "", stderr: stderr?.text ?? "" };
}
