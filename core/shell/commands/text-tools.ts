import { type CommandRule, high, type Meaning, sharedBy } from "./meaning.ts";
import { hasOption, isLong, type Option, type OptionGrammar, readOptions } from "./options.ts";

const READS: Meaning = { reads: true };

/**
 * Commands that take a pattern, a program or separators, which are no files. Each has the grammar of its own manual: an option
 * that is taken for one with a value, and is none, would have a file pass for a text.
 */
export const TEXT_TOOLS: Readonly<Record<string, CommandRule>> = {
  ...sharedBy("echo expr seq basename dirname sleep true false : yes factor tr", () => ({ texts: "all", reads: true })),
  ...sharedBy("grep egrep fgrep", (args) => search(args, GREP)),
  rg: (args) => {
    const { options } = readOptions(args, RG);
    const meaning = search(args, RG);
    return hasOption(options, "", ["pre", "hostname-bin"]) ? high("it runs another program", meaning) : meaning;
  },
  sort: (args) => {
    const { options } = readOptions(args, { valued: "ktTSo", longValued: ["key", "field-separator"] });
    const more = { texts: valuesOf(options, "tk", ["field-separator", "key"]), reads: true };
    if (hasOption(options, "o", ["output"])) return high("sort -o writes a file", { texts: more.texts });
    if (hasOption(options, "", ["compress-program"])) return high("sort runs another program", more);
    return hasOption(options, "", ["files0-from"]) ? high("the names of files come from a file", more) : more;
  },
  cut: separated({ valued: "bcdf", longValued: ["bytes", "characters", "delimiter", "fields", "output-delimiter"] }),
  paste: separated({ valued: "d", longValued: ["delimiters"] }),
  sed,
  ...sharedBy("awk gawk mawk nawk original-awk", awk),
  jq: (args) => {
    const { options, operands } = readOptions(args, { valued: "Lf", longValued: ["from-file"] });
    if (hasOption(options, "f", ["from-file"])) return high("jq obeys a file", READS);
    const texts = operands.slice(0, 1);
    // Which argument is the program depends on options that take two.
    const reaches = args.some((arg) => /\b(?:import|include)\b\s*["#]/u.test(arg));
    const meaning = { texts, reads: true };
    return reaches ? high("a program of jq reads files that it names", meaning) : meaning;
  },
  yq: (args) => {
    const { options } = readOptions(args, {});
    if (hasOption(options, "i", ["inplace", "in-place"])) return high("yq -i writes a file");
    return args.some((arg) => /\bload|env\b/u.test(arg)) ? high("yq reads what its program names") : READS;
  },
  date: (args) => {
    const { options, operands } = readOptions(args, {
      valued: "dfrs",
      longValued: ["date", "file", "reference", "set"],
    });
    const sets = hasOption(options, "s", ["set"]) || operands.some((index) => !(args[index] as string).startsWith("+"));
    if (sets) return high("it sets the clock");
    return { texts: [...operands, ...valuesOf(options, "d", ["date"])], reads: true };
  },
};

const GREP: OptionGrammar = {
  valued: "efmABCDd",
  longValued: ["regexp", "file", "max-count", "after-context", "before-context", "context"],
};
const RG: OptionGrammar = { valued: "ABCEMTdefgjmrt", longValued: ["regexp", "file", "glob", "type"] };

/** The first argument is a pattern where no option gives one. */
function search(args: readonly string[], grammar: OptionGrammar): Meaning {
  const { options, operands } = readOptions(args, grammar);
  const given = hasOption(options, "ef", ["regexp", "file", "files", "type-list"]);
  const values = valuesOf(options, "e", ["regexp", "include", "exclude", "exclude-dir", "glob"]);
  return { texts: given ? values : [...operands.slice(0, 1), ...values], reads: true };
}

function separated(grammar: OptionGrammar): CommandRule {
  return (args) => {
    const { options } = readOptions(args, grammar);
    return { texts: valuesOf(options, grammar.valued ?? "", grammar.longValued ?? []), reads: true };
  };
}

/** A program of sed that prints, deletes and replaces, and can neither name files nor run commands. */
const PLAIN_SED =
  /^(?:\d+|\$|\/[^/\\\n]*\/)?(?:,(?:\d+|\$|\/[^/\\\n]*\/))?[ \t]*(?:[pdq=]|s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*|y\/[^/\\\n]*\/[^/\\\n]*\/)$/u;

function sed(args: readonly string[]): Meaning {
  const { options, operands } = readOptions(args, { valued: "efl", longValued: ["expression", "file", "line-length"] });
  const scripts = options.filter((option) => (option.long ? isLong(option, "expression") : option.name === "e"));
  const given = scripts.length > 0 || hasOption(options, "f", ["file"]);
  const first = given ? [] : operands.slice(0, 1);
  const programs = [...scripts.map(({ value = "" }) => value), ...first.map((index) => args[index] as string)];
  const texts = [...first, ...valuesOf(options, "e", ["expression"])];
  if (hasOption(options, "i", ["in-place"])) return high("sed -i writes files", { texts });
  if (hasOption(options, "f", ["file"])) return high("sed obeys a file", { texts });
  const plain = programs.every((program) => program.split(";").every((part) => PLAIN_SED.test(part.trim())));
  return plain ? { texts, reads: true } : high("a program of sed can write files and run commands", { texts });
}

/** What lets a program of awk name files and commands itself. */
const REACHING = /system|getline|[|>@]|ARGV|ARGC|SYMTAB|FUNCTAB/u;

function awk(args: readonly string[], isPattern: (index: number) => boolean): Meaning {
  const { options, operands } = readOptions(args, { valued: "Fv", first: true });
  const values = valuesOf(options, "Fv", []);
  const [first] = operands;
  const known = options.every(({ name, long }) => !long && "Fv".includes(name));
  const reaches = high("a program of awk can write files and run commands", { texts: values });
  if (!known || first === undefined || args.some((_, index) => index <= first && isPattern(index))) return reaches;
  const texts = [...values, first];
  return REACHING.test(args[first] as string) ? { ...reaches, texts } : { texts, reads: true };
}

function valuesOf(options: readonly Option[], letters: string, long: readonly string[]): readonly number[] {
  return options
    .filter((option) => (option.long ? long.some((name) => isLong(option, name)) : letters.includes(option.name)))
    .filter(({ value }) => value !== undefined)
    .map(({ index, valueIndex }) => valueIndex ?? index);
}
