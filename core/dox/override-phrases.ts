/** A way to tell a model to drop what it was told elsewhere. */
interface OverridePhrase {
  /** Words in which it is said. */
  readonly example: string;
  readonly pattern: RegExp;
}

/** Between two words of a phrase: some other words of the same sentence. */
const SOME = "[^.!?。！？;；]{0,40}?";
const DROP = "\\b(?:ignore|disregard|forget|override|bypass|overlook|do not follow|don't follow|stop following)\\b";
const EARLIER =
  "\\b(?:previous|prior|earlier|preceding|above|foregoing|existing|original|all|any|other|every|system|developer)\\b";
const ORDERS = "\\b(?:instructions?|prompts?|rules?|directions?|directives?|guidelines?|guardrails?|orders?)\\b";

/** The table of phrases. A new language is a new row. */
const PHRASES: readonly OverridePhrase[] = [
  {
    example: "ignore all previous instructions",
    pattern: new RegExp(`${DROP}${SOME}${EARLIER}${SOME}${ORDERS}`, "giu"),
  },
  {
    example: "disregard the above",
    pattern: /\b(?:ignore|disregard|forget)\s+(?:all\s+|everything\s+)?(?:of\s+)?(?:the\s+)?(?:above|foregoing)\b/giu,
  },
  {
    example: "forget everything you were told",
    pattern:
      /\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|whatever)\s+(?:that\s+)?(?:you|came|was|has been)\b/giu,
  },
  {
    example: "your new instructions are",
    pattern:
      /\b(?:your|these are(?: your| the)?|here are(?: your| the)?)\s+new\s+(?:system\s+)?(?:instructions|rules|orders|prompt)\b/giu,
  },
  {
    example: "忽略之前的指示",
    pattern:
      /(?:忽略|无视|忘记|忘掉|不要理会|不要遵守|不必遵守|抛开|丢弃)[^。！？；\n]{0,12}?(?:之前|以前|以上|上面|上述|先前|前面|此前|所有|全部|其他|其它|系统)[^。！？；\n]{0,12}?(?:指示|指令|提示|规则|要求|内容|说明|设定|对话)/gu,
  },
  {
    example: "前の指示を無視",
    pattern: /(?:以前|前|上記|これまで)の?(?:すべての)?(?:指示|命令|ルール|プロンプト)を?(?:無視|忘れ)/gu,
  },
];

/** A word of each row, so that most texts are looked at once. */
const HINT =
  /ignore|disregard|forget|override|bypass|overlook|follow|new (?:system )?(?:instructions|rules|orders|prompt)|忽略|无视|忘记|忘掉|不要理会|不要遵守|不必遵守|抛开|丢弃|無視|忘れ/iu;

/** A rule that forbids it says the words as well. */
const FORBIDDEN =
  /\b(?:never|not|don't|doesn't|cannot|can't|without|nor|refuse to)[\s"'“‘:,]+(?:\w+\s+){0,2}$|(?:不要|不得|切勿|请勿|禁止|绝不|不能|不可)[^。！？\n]{0,4}$/iu;

/** A rule for texts that say it. What such a text is, or what is not to be done, follows. */
const REPORTED =
  /\b(?:says?|asks?|tells?|orders?|attempts?|tries|trying)\b[^.!?。！？]*$|(?:要求|让你|说|写着)[^。！？]*$/iu;
const JUDGED =
  /^[^.!?。！？\n]*(?:\b(?:information|material|data|attack|injection|never|not|refuse)\b|信息|数据|攻击|不)/iu;

/** The places of a text that tell whoever reads it to ignore others, with the row of the table. */
export function overridePhrases(text: string): readonly { readonly example: string; readonly index: number }[] {
  if (!HINT.test(text)) return [];
  const found = PHRASES.flatMap(({ example, pattern }) =>
    [...text.matchAll(pattern)]
      .filter(({ 0: phrase, index }) => {
        const before = text.slice(Math.max(0, index - 40), index);
        return !FORBIDDEN.test(before) && !(REPORTED.test(before) && JUDGED.test(text.slice(index + phrase.length)));
      })
      .map(({ index }) => ({ example, index })),
  );
  // One place may be said by two rows.
  return found.filter(({ index }, at) => found.findIndex((other) => other.index === index) === at);
}
