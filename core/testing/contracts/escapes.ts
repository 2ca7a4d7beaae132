import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { withoutFrame } from "../../governance/untrusted-text.ts";
import type { JsonObject, ToolResult } from "../../sdk/result.ts";
import { contentsOf } from "../contents.ts";
import type { Contract } from "../contract.ts";
import { breach, shown } from "../failure.ts";
import { write } from "../ground.ts";
import { pathArguments } from "../paths.ts";
import { type Argument, asArgument } from "../schema-facts.ts";
import type { Subject } from "../subject.ts";

/** A file that is there, and one of as many letters that is not: nothing may tell them apart. */
const THERE = "canary.txt";
const ABSENT = "absent.txt";
const FILE_LINK = "toolroom-link.txt";
const DIRECTORY_LINK = "toolroom-link";
const INSIDE = "toolroom-inside";

const LONG = "x".repeat(5_000);
const USE = "Read and write through this.workspace, which keeps every path inside.";

/** A path comes from a model, and a model repeats what it has read somewhere. */
export const escapes: Contract = {
  name: "stays in the workspace",
  async check(subject) {
    const paths = pathArguments(subject.facts, subject.options.paths);
    if (paths.length === 0) return "none of its arguments is a path";
    for (const argument of paths) await requireContained(subject, argument);
    const others = paths.filter(({ name }) => !Object.hasOwn(subject.sample.args, name)).map(({ name }) => name);
    return others.length === 0 ? undefined : `the sample call has no ${others.join(", ")}, so it may be passed over`;
  },
};

async function requireContained(subject: Subject, argument: Argument): Promise<void> {
  const { outside } = subject.ground;
  const canary = `canary ${subject.secret.value.slice(2, 18)}`;
  const prepare = (): void => {
    subject.clear();
    rmSync(outside, { recursive: true, force: true });
    write(outside, { [THERE]: `${canary}\n` });
    mkdirSync(join(subject.ground.workspace, INSIDE));
    link(join(outside, THERE), join(subject.ground.workspace, FILE_LINK));
    link(outside, join(subject.ground.workspace, DIRECTORY_LINK));
  };
  prepare();
  const before = contentsOf(outside);
  const ask = async (path: string): Promise<ToolResult> => {
    const args: JsonObject = { ...subject.sample.args, [argument.name]: asArgument(argument, path) };
    const told = subject.events.length;
    const result = await subject.call(args);
    requireSecret({ args, texts: [result, subject.events.slice(told)], canary });
    requireUntouched({ args, before, after: contentsOf(outside) });
    // What a call does not look at, it need not refuse.
    if (Object.hasOwn(subject.sample.args, argument.name)) requireRefused(result, args);
    return result;
  };

  for (const way of ["../outside", outside, DIRECTORY_LINK, `${INSIDE}/../../outside`]) {
    const [there, absent] = [await ask(`${way}/${THERE}`), await ask(`${way}/${ABSENT}`)];
    requireAlike(there, absent);
  }
  for (const path of ["..", outside, FILE_LINK, DIRECTORY_LINK, "a\0b", LONG]) await ask(path);
}

function requireSecret({ args, texts, canary }: { args: JsonObject; texts: unknown; canary: string }): void {
  if (!JSON.stringify(texts).includes(canary)) return;
  throw breach({
    expected: `nothing of a file outside of the workspace for ${shown(args)}`,
    found: "what it holds",
    todo: USE,
  });
}

function requireUntouched({ args, before, after }: { args: JsonObject; before: string; after: string }): void {
  if (before === after) return;
  throw breach({
    expected: `the directory beside the workspace as it was after ${shown(args)}`,
    found: `${after}, before it was ${before}`,
    todo: USE,
  });
}

function requireRefused({ status, message, error }: ToolResult, args: JsonObject): void {
  if (error && error.class !== "tool" && error.code !== "INTERNAL_ERROR") return;
  throw breach({
    expected: `a refusal such as ACCESS_DENIED for ${shown(args)}`,
    found: error ? shown(message) : `${status}: ${shown(message)}`,
    todo: `${USE} Where an argument is no path of the workspace, leave it out of the option paths.`,
  });
}

/** Whoever may not read a file may not learn that it exists either. */
function requireAlike(there: ToolResult, absent: ToolResult): void {
  const words = ({ error, message }: ToolResult): string =>
    `${error?.code} ${withoutFrame(message).replaceAll(THERE, "…").replaceAll(ABSENT, "…")}`;
  if (words(there) === words(absent)) return;
  throw breach({
    expected: "the same words for a file outside whether it exists or not",
    found: `${shown(withoutFrame(there.message))} and ${shown(withoutFrame(absent.message))}`,
    todo: "Refuse the path before looking whether anything is there; this.workspace does.",
  });
}

/** Where links cannot be made, none leads anywhere. */
function link(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}
