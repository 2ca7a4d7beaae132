/** One option of a command. */
export interface Option {
  /** Without dashes; a long one may be cut short, as programs take it. */
  readonly name: string;
  readonly long: boolean;
  /** Undefined where it has none. */
  readonly value: string | undefined;
  /** Where it stands, and where its value. */
  readonly index: number;
  readonly valueIndex: number | undefined;
}

/** How a command reads its options. */
export interface OptionGrammar {
  /** Letters of options that take a value. */
  readonly valued?: string;
  /** Long options whose value may be the next argument. */
  readonly longValued?: readonly string[];
  /** Whether options end at the first argument that is none. Default: they may stand between others. */
  readonly first?: boolean;
}

/** Options and other arguments, by the rules that most programs share: `-abc`, `-ovalue`, `-o value`, `--long=value`, `--`. */
export function readOptions(
  args: readonly string[],
  { valued = "", longValued = [], first = false }: OptionGrammar,
): { readonly options: readonly Option[]; readonly operands: readonly number[] } {
  const options: Option[] = [];
  const operands: number[] = [];
  let index = 0;
  for (; index < args.length; index++) {
    const arg = args[index] as string;
    if (arg === "--") {
      index++;
      break;
    }
    if (arg === "-" || !arg.startsWith("-")) {
      if (first) break;
      operands.push(index);
    } else if (arg.startsWith("--")) {
      const option = longOption(args, index, longValued);
      options.push(option);
      index = option.valueIndex ?? index;
    } else {
      const found = shortOptions(args, index, valued);
      options.push(...found);
      index = found.at(-1)?.valueIndex ?? index;
    }
  }
  for (; index < args.length; index++) operands.push(index);
  return { options, operands };
}

/** Whether an option is the long one of this name, or could be. */
export function isLong({ long, name }: Option, full: string): boolean {
  return long && name !== "" && full.startsWith(name);
}

/** Whether one of the options is one of these letters, or long ones. */
export function hasOption(options: readonly Option[], letters: string, long: readonly string[] = []): boolean {
  return options.some((option) =>
    option.long ? long.some((name) => isLong(option, name)) : letters.includes(option.name),
  );
}

function longOption(args: readonly string[], index: number, valued: readonly string[]): Option {
  const text = (args[index] as string).slice(2);
  const equals = text.indexOf("=");
  if (equals !== -1) {
    return { name: text.slice(0, equals), long: true, value: text.slice(equals + 1), index, valueIndex: undefined };
  }
  const takes = text !== "" && valued.some((name) => name.startsWith(text)) && index + 1 < args.length;
  const valueIndex = takes ? index + 1 : undefined;
  return { name: text, long: true, value: takes ? args[index + 1] : undefined, index, valueIndex };
}

function shortOptions(args: readonly string[], index: number, valued: string): readonly Option[] {
  const letters = (args[index] as string).slice(1);
  const options: Option[] = [];
  for (let at = 0; at < letters.length; at++) {
    const name = letters[at] as string;
    if (!valued.includes(name)) {
      options.push({ name, long: false, value: undefined, index, valueIndex: undefined });
      continue;
    }
    const rest = letters.slice(at + 1);
    const valueIndex = rest === "" && index + 1 < args.length ? index + 1 : undefined;
    options.push({ name, long: false, value: rest === "" ? args[index + 1] : rest, index, valueIndex });
    break;
  }
  return options;
}
