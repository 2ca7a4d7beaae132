import { readFileSync } from "node:fs";
import { DIAGNOSTIC_CODES, type Diagnostic } from "../diagnostics.ts";
import { look } from "../discovery/look.ts";
import type { Stamp } from "./file-stamps.ts";
import type { ToolContract } from "./tool-contract.ts";

/** What is kept of a tool; fields that have their default are left out. Schemas are text: most are never asked for. */
export interface Lean {
  readonly failure?: Diagnostic;
  readonly parameters?: string;
  readonly output?: string;
  readonly description?: string;
  readonly risk?: ToolContract["risk"];
  readonly sends?: readonly string[];
  readonly parallel?: ToolContract["parallel"];
  readonly untrusted?: boolean;
  readonly timeoutMs?: number;
  readonly role?: ToolContract["role"];
}

/** One tool of the file. */
export interface KeptTool {
  /** Of the tool's module first, then of what it imported. */
  stamps(): readonly Stamp[];
  lean(): Lean;
}

/**
 * The file is a line of JSON and then, one after the other, the schemas as they are: a listing parses the line
 * and no schema.
 */
interface Head {
  readonly version: number;
  /** path, content hash, change time, size of each stamp */
  readonly stamps: readonly (string | number)[];
  /** indexes of the stamps, and the rest of {@link Lean} with the lengths of its schemas, of each tool */
  readonly tools: readonly (readonly number[] | LeanRow)[];
}

type LeanRow = Omit<Lean, "parameters" | "output"> & { readonly parameters?: number; readonly output?: number };

/** Changes with the shape above and with what a contract is made from. */
const VERSION = 2;
const FIELDS_OF_A_STAMP = 4;

/** The tools by their files, absolute. What is missing, damaged or of another version reads as empty. */
export function readContractFile(file: string): Map<string, KeptTool> {
  const tools = new Map<string, KeptTool>();
  const text = readText(file);
  const end = Math.max(0, text.indexOf("\n"));
  const head = readHead(text.slice(0, end));
  if (!head) return tools;
  const made: Stamp[] = [];
  const stampAt = (index: number): Stamp => {
    const at = index * FIELDS_OF_A_STAMP;
    made[index] ??= {
      path: head.stamps[at] as string,
      hash: head.stamps[at + 1] as string,
      ctimeMs: head.stamps[at + 2] as number,
      size: head.stamps[at + 3] as number,
    };
    return made[index];
  };
  let start = end + 1;
  for (let at = 0; at < head.tools.length; at += 2) {
    const places = head.tools[at] as readonly number[];
    const row = head.tools[at + 1] as LeanRow;
    const from = start;
    let stamps: readonly Stamp[] | undefined;
    start += (row.parameters ?? 0) + (row.output ?? 0);
    tools.set(head.stamps[(places[0] as number) * FIELDS_OF_A_STAMP] as string, {
      stamps: () => {
        stamps ??= places.map(stampAt);
        return stamps;
      },
      lean: () => withTexts(row, text, from),
    });
  }
  // Lengths that do not add up: the file was cut, or is another one's.
  return start === text.length ? tools : new Map();
}

/** Each stamp once; tools whose file is gone are left out. */
export function contractFileText(tools: Iterable<KeptTool>): string {
  const stamps: (string | number)[] = [];
  const places = new Map<string, number>();
  const placeOf = (stamp: Stamp): number => {
    const key = `${stamp.path}\0${stamp.hash}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    const at = stamps.push(stamp.path, stamp.hash, stamp.ctimeMs, stamp.size) / FIELDS_OF_A_STAMP - 1;
    places.set(key, at);
    return at;
  };
  const rows: (readonly number[] | LeanRow)[] = [];
  const texts: string[] = [];
  for (const tool of tools) {
    const own = tool.stamps();
    if (!own[0] || !look(own[0].path)) continue;
    const { parameters, output, ...rest } = tool.lean();
    texts.push(parameters ?? "", output ?? "");
    rows.push(own.map(placeOf), {
      ...rest,
      ...(parameters === undefined ? {} : { parameters: parameters.length }),
      ...(output === undefined ? {} : { output: output.length }),
    });
  }
  const head: Head = { version: VERSION, stamps, tools: rows };
  return `${JSON.stringify(head)}\n${texts.join("")}`;
}

function withTexts(row: LeanRow, text: string, start: number): Lean {
  const { parameters, output } = row;
  if (parameters === undefined && output === undefined) return row as Omit<LeanRow, "parameters" | "output">;
  const middle = start + (parameters ?? 0);
  const lean: { -readonly [Key in keyof Lean]: Lean[Key] } = { ...(row as object) };
  if (parameters !== undefined) lean.parameters = text.slice(start, middle);
  if (output !== undefined) lean.output = text.slice(middle, middle + output);
  return lean;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A cache that cannot be read is an empty one.
    return "";
  }
}

function readHead(line: string): Head | undefined {
  try {
    const head = JSON.parse(line) as Partial<Head> | null;
    return head?.version === VERSION && isSound(head) ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}

function isSound({ stamps, tools }: Partial<Head>): boolean {
  if (!Array.isArray(stamps) || !Array.isArray(tools)) return false;
  if (stamps.length % FIELDS_OF_A_STAMP !== 0 || tools.length % 2 !== 0) return false;
  for (let at = 0; at < stamps.length; at += 1) {
    if (typeof stamps[at] !== (at % FIELDS_OF_A_STAMP < 2 ? "string" : "number")) return false;
  }
  const count = stamps.length / FIELDS_OF_A_STAMP;
  const isPlace = (place: unknown): boolean =>
    Number.isInteger(place) && (place as number) >= 0 && (place as number) < count;
  for (let at = 0; at < tools.length; at += 2) {
    const places: unknown = tools[at];
    if (!Array.isArray(places) || places.length === 0 || !places.every(isPlace)) return false;
    if (!isLeanRow(tools[at + 1])) return false;
  }
  return true;
}

function isLeanRow(row: unknown): boolean {
  if (typeof row !== "object" || row === null) return false;
  const { failure, parameters = 0, output = 0 } = row as LeanRow;
  const isLength = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
  return isLength(parameters) && isLength(output) && (failure === undefined || failure.code in DIAGNOSTIC_CODES);
}
