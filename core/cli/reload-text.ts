import { formatDiagnostic } from "../diagnostics.ts";
import type { ReloadReceipt } from "../sdk/events.ts";

/** So many files of a change are named. */
const MAX_NAMED = 12;

/** A reload as `watch` prints it: what became of it, the files, what each stage took, what is wrong. */
export function reloadBlock(receipt: ReloadReceipt): string {
  const { files, durations, diagnostics, prompt } = receipt;
  const { lookMs, loadMs, swapMs } = durations;
  const lines = files.slice(0, MAX_NAMED).map((file) => `${file}${hashes(receipt, file)}`);
  if (files.length > MAX_NAMED) lines.push(`and ${files.length - MAX_NAMED} more files`);
  lines.push(`look ${ms(lookMs)}, load ${ms(loadMs)}, swap ${ms(swapMs)}`);
  if (prompt && !isSame(prompt)) lines.push(promptLine(prompt));
  lines.push(...diagnostics.map((item) => formatDiagnostic({ severity: "error", ...item })));
  return [`${step(receipt)}, ${receipt.cause}: ${receipt.status}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** A reload in one line, as `chat` shows it. */
export function reloadLine(receipt: ReloadReceipt): string {
  const { files, diagnostics, status } = receipt;
  const [first] = files;
  const named = first === undefined ? "" : files.length === 1 ? ` ${first}` : ` ${first} and ${files.length - 1} more`;
  const [fault] = diagnostics;
  const why = fault ? `; ${formatDiagnostic({ severity: "error", ...fault })}` : "";
  return `${step(receipt)}, ${receipt.cause}: ${status}${named}${why}`;
}

type PromptChange = NonNullable<ReloadReceipt["prompt"]>;

function isSame({ bytes, samePrefixBytes }: PromptChange): boolean {
  return bytes.before === bytes.after && samePrefixBytes === bytes.after;
}

function promptLine({ tokens, bytes, samePrefixBytes }: PromptChange): string {
  return `prompt ${tokens.before} → ${tokens.after} tokens; the first ${samePrefixBytes} of ${bytes.after} bytes are as before`;
}

function step({ from, to }: ReloadReceipt): string {
  return from === to ? `generation ${from} stays` : `generation ${from} → ${to}`;
}

/** Of a file whose text was or is in use. */
function hashes({ hashes: known }: ReloadReceipt, file: string): string {
  const pair = known[file];
  return pair ? `  ${short(pair.before) ?? "new"} → ${short(pair.after) ?? "gone"}` : "";
}

function short(hash: string | undefined): string | undefined {
  return hash?.slice(0, 8);
}

function ms(duration: number): string {
  return `${Math.round(duration)} ms`;
}
