import type { CommandContext, CommandVerdict } from "../sdk/command.ts";
import type { JsonObject } from "../sdk/result.ts";
import { characterFault } from "./characters.ts";
import { readCommandLists } from "./command-lists.ts";
import { type Directories, staying } from "./directories.ts";
import { judgeList } from "./judge-list.ts";
import { createJudging, type Judging } from "./judging.ts";
import { loadParser, type Parse } from "./parser.ts";
import { createPathChecks } from "./path-checks.ts";
import { planOf } from "./plan.ts";
import { readScript } from "./read.ts";
import { type Refusal, shown } from "./refusal.ts";
import { createRepositoryChecks } from "./repositories.ts";
import type { List, Word } from "./tree.ts";

/** The work of `judgeCommand`, which says what it means. */
export async function judge(command: string, context: CommandContext): Promise<CommandVerdict> {
  const fault = characterFault(command);
  if (fault) return refused(fault);
  const parse = await loadParser();
  const read = readScript(parse(command));
  if ("refusal" in read) return refused(read.refusal);
  if (read.list.items.length === 0) return refused({ rule: "syntax", message: "there is no command; write one" });
  const { workspace, policy, cwd } = context;
  const directory = cwd === undefined ? workspace.root : await workspace.resolve(cwd);
  const texts = new Map<Word, List | undefined>();
  const judging = createJudging({
    lists: readCommandLists(policy as JsonObject, workspace.root),
    checks: createPathChecks(workspace),
    repositories: createRepositoryChecks(workspace.root),
    judgeText(words, standing, inner) {
      const list = readInner(words, { parse, judging: inner });
      if (!list) return staying(standing.directories);
      for (const [index, word] of words.entries()) texts.set(word, index === 0 ? list : undefined);
      return judgeList(list, standing, inner);
    },
  });
  const directories: Directories = [directory];
  judgeList(read.list, { directories, behindHeredoc: false, depth: 0 }, judging);
  const refusal = judging.refusal ?? (await judging.checks.refusal());
  if (refusal) return refused(refusal);
  if (judging.level !== "high") {
    const obeyed = [...(await judging.checks.obeyed()), ...judging.repositories.obeyed()];
    for (const reason of obeyed) judging.raise("high", reason);
  }
  return { level: judging.level, reasons: judging.reasons, plan: planOf(read.list, texts) };
}

function readInner(
  words: readonly Word[],
  { parse, judging }: { readonly parse: Parse; readonly judging: Judging },
): List | undefined {
  const pattern = words.find(({ isPattern }) => isPattern);
  const text = words.map((word) => word.text).join(" ");
  const read = pattern
    ? { refusal: { rule: "expansion", message: `${shown(text)} is run by a shell; write it out` } as const }
    : readScript(parse(text));
  if ("list" in read) return read.list;
  judging.refuse(read.refusal);
  return undefined;
}

function refused(refusal: Refusal): CommandVerdict {
  return { level: "high", reasons: [refusal.message], deny: refusal };
}
