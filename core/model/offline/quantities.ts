import { pattern, type Reader } from "./entity.ts";
import { CJK } from "./script.ts";
import { NUMBER_WORDS } from "./words.ts";

/** ISO 8601, with or without a time. */
export const readDate = pattern(
  "date",
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:\s?(?:Z|[+-]\d\d:?\d\d))?(?![\w-])/y,
);

/** `18:30`, `6pm`, `6:30 pm`. */
export const readClock = pattern(
  "clock",
  /(\d{1,2})(?::(\d\d)(?::\d\d)?)?\s?([ap])\.?m\b\.?|\d{1,2}:\d\d(?::\d\d)?(?![\w:])/iy,
  (match) => {
    if (match[3] === undefined) return match[0];
    const hour = Number(match[1]);
    const afternoon = match[3].toLowerCase() === "p" ? 12 : 0;
    return hour < 1 || hour > 12 ? undefined : clock((hour % 12) + afternoon, Number(match[2] ?? 0));
  },
);

const CHINESE_CLOCK =
  /(凌晨|早上|早晨|上午|中午|下午|晚上|傍晚)?\s?(\d{1,2}|[一二两三四五六七八九十]{1,3})\s?点(?:(半)|(\d{1,2}|[一二三四五六七八九十]{1,3})分?|[钟整])?/y;

/** 下午6点半. Without a part of the day and with nothing behind it, 一点 is "a bit". */
export const readChineseClock: Reader = (text, at) => {
  CHINESE_CLOCK.lastIndex = at;
  const match = CHINESE_CLOCK.exec(text);
  const [whole = "", part = "", hour = "", half, minute] = match ?? [];
  const said = chineseNumber(hour);
  if (said === undefined || (CJK.test(hour) && part === "" && whole.endsWith("点"))) return undefined;
  // Noon and midnight are twelve in both halves of the day.
  const afternoon = said < 12 && (/[下晚傍]/.test(part) || (part === "中午" && said < 11)) ? 12 : 0;
  const value = clock(said + afternoon, half ? 30 : (chineseNumber(minute ?? "0") ?? 0));
  return value === undefined ? undefined : { kind: "clock", value, length: whole.length };
};

function clock(hour: number, minute: number): string | undefined {
  if (hour > 23 || minute > 59) return undefined;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** `30`, `1.5`, `-3`, `30s`, `5min`. A number inside a word or a version is none. */
export const readNumber: Reader = (text, at, lexicon) => {
  if (at > 0 && /[\w.@/\\]/.test(text.charAt(at - 1))) return undefined;
  const match = /^-?\d+(?:,\d{3})*(?:\.\d+)?([a-zA-Z]+)?(?![\w/\\]|\.\w|-[A-Za-z_])/.exec(text.slice(at, at + 40));
  if (!match) return undefined;
  const value = Number(match[0].slice(0, match[0].length - (match[1]?.length ?? 0)).replaceAll(",", ""));
  if (match[1] === undefined) return { kind: "number", value, length: match[0].length };
  const unit = lexicon.known(match[1].toLowerCase());
  return unit?.role === "content" ? { kind: "number", value, unit: unit.term, length: match[0].length } : undefined;
};

const CHINESE_NUMBER = /([零〇一二两三四五六七八九十百千]+|半)(个半|个)?(?=秒|分钟|分|小时|钟头|天|行|字|词)/y;

/** 三十秒, 半小时, 一个半小时: only before a unit, because these signs are parts of many words. */
export const readChineseNumber: Reader = (text, at) => {
  CHINESE_NUMBER.lastIndex = at;
  const match = CHINESE_NUMBER.exec(text);
  const whole = match?.[1] === "半" ? 0.5 : chineseNumber(match?.[1] ?? "");
  if (!match || whole === undefined) return undefined;
  return { kind: "number", value: match[2] === "个半" ? whole + 0.5 : whole, length: match[0].length };
};

const ENGLISH_NUMBER = new RegExp(
  `(half an?|an?|(?:${Object.keys(NUMBER_WORDS).join("|")})(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?)(?: and a half)?\\s+(?:of\\s+)?(?=([a-z]+))`,
  "iy",
);

/** `two minutes`, `twenty-five lines`, `half an hour`; `a` and `an` count before a unit of time only. */
export const readEnglishNumber: Reader = (text, at, lexicon) => {
  if (at > 0 && /[\w-]/.test(text.charAt(at - 1))) return undefined;
  ENGLISH_NUMBER.lastIndex = at;
  const match = ENGLISH_NUMBER.exec(text);
  if (!match) return undefined;
  const words = (match[1] ?? "").toLowerCase();
  const unit = lexicon.known((match[2] ?? "").toLowerCase());
  const article = /^(half )?an?$/.test(words);
  if (unit?.role === "stop" || (article && !/^~(second|minute|hour|day)$/.test(unit?.term ?? ""))) return undefined;
  const base = words.startsWith("half")
    ? 0.5
    : article
      ? 1
      : words.split(/[- ]/).reduce((sum, word) => sum + (NUMBER_WORDS[word] ?? 0), 0);
  const value = / and a half\s*$/i.test(match[0]) ? base + 0.5 : base;
  return { kind: "number", value, length: match[0].trimEnd().length };
};

const DIGITS = "零一二三四五六七八九";
const POWERS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1000 };

/** `30` or 三十; undefined for anything else. */
function chineseNumber(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  if (text === "" || !CJK.test(text)) return undefined;
  let total = 0;
  let digit: number | undefined;
  for (const sign of text.replaceAll("两", "二").replaceAll("〇", "零")) {
    const power = POWERS[sign];
    if (power === undefined) digit = DIGITS.indexOf(sign);
    else {
      total += (digit ?? 1) * power;
      digit = undefined;
    }
    if (digit === -1) return undefined;
  }
  return total + (digit ?? 0);
}
