import { createHash, randomBytes } from "node:crypto";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { compareText } from "../diagnostics.ts";
import { holderOf } from "../governance/process-lock.ts";
import { readRecord, type SessionRecord, type TranscriptRecord } from "./transcript-records.ts";
import { scanTranscript } from "./transcript-scan.ts";

/** What is known of a session without reading all of it. */
export interface SessionInfo {
  readonly id: string;
  /** Null where the first line of the transcript is damaged. */
  readonly profile: string | null;
  readonly model: string | null;
  /** The session whose agent asked for this one. */
  readonly parent: string | null;
  /** How that agent names this one. */
  readonly agent: string | null;
  /** ISO 8601, UTC. */
  readonly created: string;
  /** ISO 8601, UTC: when it was last written to. */
  readonly updated: string;
  /** The beginning of the first message, on one line. */
  readonly title: string;
  /** Turns that ended. */
  readonly turns: number;
  /** Of the transcript. */
  readonly bytes: number;
  /** `running`: a process has it. `interrupted`: its last turn did not end. */
  readonly state: "idle" | "running" | "interrupted";
}

/** Where the parts of one session are, absolute. */
export interface SessionPlace {
  readonly transcript: string;
  /** Of everything else: locks, spilled texts. */
  readonly directory: string;
  readonly spill: string;
}

const ID = /^\d{8}T\d{9}-[0-9a-f]{8}$/u;
const SUFFIX = ".jsonl";
/** So much of the beginning and of the end of a transcript is read for a list. */
const PROBE_BYTES = 64 * 1024;
const MAX_TITLE = 80;

/** An id that sorts by its time (UTC, to the millisecond): `20261130T142530123-4f3a9c21`. */
export function newSessionId(now: Date): string {
  return `${now.toISOString().replace(/[-:.Z]/gu, "")}-${randomBytes(4).toString("hex")}`;
}

/** The id of a subordinate's session: always the same for the same superior's session and the same name. */
export function subordinateSessionId(parent: string, agent: string): string {
  const time = isSessionId(parent) ? parent.slice(0, parent.indexOf("-")) : "00000000T000000000";
  return `${time}-${createHash("sha256")
    .update(JSON.stringify([parent, agent]))
    .digest("hex")
    .slice(0, 8)}`;
}

export function isSessionId(text: string): boolean {
  return ID.test(text);
}

/** @param sessions the directory of all sessions */
export function placeOf(sessions: string, id: string): SessionPlace {
  const directory = join(sessions, id);
  return { transcript: join(sessions, id + SUFFIX), directory, spill: join(directory, "spill") };
}

/** The ids of all sessions, oldest first. @throws the error of the file system, but for a directory that is not there */
export async function sessionIds(sessions: string): Promise<readonly string[]> {
  const names = await readdir(sessions).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names
    .filter((name) => name.endsWith(SUFFIX) && isSessionId(name.slice(0, -SUFFIX.length)))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort(compareText);
}

/** Reads the beginning and the end of a session, and all of it only where these do not tell enough. */
export async function readSessionInfo(sessions: string, id: string): Promise<SessionInfo> {
  const place = placeOf(sessions, id);
  const { size, mtimeMs } = await stat(place.transcript);
  const { head, tail } = await readEnds(place.transcript, size);
  const facts = emptyFacts();
  for (const record of [...head, ...tail]) note(facts, record);
  const toldByEnd = size <= PROBE_BYTES || tail.some(({ type }) => type === "turn");
  if (!toldByEnd || facts.title === undefined) {
    Object.assign(facts, emptyFacts());
    await scanTranscript(place.transcript, (record) => note(facts, record));
  }
  const { header, created, title = "", turns, inTurn } = facts;
  const updated = new Date(mtimeMs).toISOString();
  const state = holderOf(place.directory) ? "running" : inTurn ? "interrupted" : "idle";
  const { profile = null, model = null, parent = null, agent = null } = header ?? {};
  return { id, profile, model, parent, agent, created: created ?? updated, updated, title, turns, bytes: size, state };
}

interface Facts {
  header: SessionRecord | undefined;
  created: string | undefined;
  title: string | undefined;
  turns: number;
  inTurn: boolean;
}

function emptyFacts(): Facts {
  return { header: undefined, created: undefined, title: undefined, turns: 0, inTurn: false };
}

function note(facts: Facts, record: TranscriptRecord): void {
  facts.created ??= record.ts;
  if (record.type === "session") facts.header ??= record;
  if (record.type === "turn") facts.turns = record.turns;
  if (record.type === "turn" || record.type === "resumed") facts.inTurn = false;
  if (record.type === "user" && record.kind === "message") {
    facts.title ??= titleOf(record.content);
    facts.inTurn = true;
  }
}

function titleOf(message: string): string {
  const line = message.replace(/\s+/gu, " ").trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}

/** The records that lie whole in the first and in the last part of a file; a small file has no last part. */
async function readEnds(
  file: string,
  size: number,
): Promise<{ head: readonly TranscriptRecord[]; tail: readonly TranscriptRecord[] }> {
  const handle = await open(file, "r");
  try {
    const read = async (from: number): Promise<string[]> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, from);
      return buffer.toString("utf8", 0, bytesRead).split("\n");
    };
    const first = await read(0);
    if (size <= PROBE_BYTES) return { head: recordsIn(first), tail: [] };
    const last = await read(Math.max(PROBE_BYTES, size - PROBE_BYTES));
    return { head: recordsIn(first.slice(0, -1)), tail: recordsIn(last.slice(1)) };
  } finally {
    await handle.close();
  }
}

function recordsIn(lines: readonly string[]): readonly TranscriptRecord[] {
  return lines.flatMap((line) => {
    const record = line === "" ? { fault: "" } : readRecord(line);
    return "fault" in record ? [] : [record];
  });
}
