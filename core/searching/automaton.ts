import { type Alphabet, createAlphabet, decodeAt, KIND, STRAY } from "./alphabet.ts";
import { holds } from "./assertions.ts";
import { OP, type Program } from "./program.ts";

/** A state of the machine: all places of the program that it is at. It stays valid as long as somebody holds it. */
export interface State {
  /** Nothing can match from here on. */
  readonly dead: boolean;
  /** @internal */
  readonly places: readonly number[];
  /** @internal The kind of the character before. */
  readonly before: number;
  /** @internal */
  readonly next: (State | undefined)[];
  /** @internal What matches if the text ends here; undefined: not yet known. */
  ends: readonly number[] | undefined;
}

/** What {@link Automaton.run} left off with. */
export interface Run {
  /** Where the next character lies; where a match was found, its end. */
  at: number;
  state: State;
  matched: boolean;
  /** The last place at which no match could have begun before. */
  fresh: number;
}

/** A machine that reads each character once, whatever the pattern: its states are made as they are needed. */
export interface Automaton {
  /** What it reads with. */
  readonly alphabet: Alphabet;
  /** @param before of `KIND`: the character before; default: the text begins here */
  start(before?: number): State;
  /**
   * Goes on over bytes until something has matched, `end`, or so much work that others should have their turn.
   * Where bytes come to their end, {@link matchesAtEnd} tells what matches there.
   */
  run(bytes: Uint8Array, run: Run, end: number): void;
  /** Goes on over a text in which each unit is a byte, as paths are. */
  advance(state: State, text: string): State;
  /** The numbers of the patterns that match when the text ends here, ascending. */
  endings(state: State): readonly number[];
  /** Whether something has matched, if the text ends here. */
  matchesAtEnd(state: State): boolean;
}

/** So many states are kept; then they are made anew. */
const MAX_STATES = 5_000;

/** So much work is done in one go. */
const MAX_WORK = 200_000;

/** How an {@link Automaton} reads. */
export interface AutomatonOptions {
  /** Whether a match may begin at any place, and `run` ends at the first. Default: at the start alone. */
  readonly anywhere?: boolean;
  /** Whether each byte of a path is a character of its own, as git and ripgrep have it in ignore files. Default: UTF-8. */
  readonly bytes?: boolean;
}

export function createAutomaton(
  program: Program,
  { anywhere = false, bytes: byBytes = false }: AutomatonOptions = {},
): Automaton {
  const { op, a, b, starts, asserts } = program;
  const alphabet = createAlphabet(program.sets, asserts);
  const { ascii } = alphabet;
  const states = new Map<string, State>();
  /** Stands for: it has matched before the character. */
  const matched: State = { dead: true, places: [], before: 0, next: [], ends: undefined };
  const seen = new Int32Array(op.length);
  let round = 0;
  let work = 0;
  const firsts = new Map<number, State>();

  const intern = (places: readonly number[], before: number): State => {
    const key = `${before}:${places.join(",")}`;
    const known = states.get(key);
    if (known) return known;
    if (states.size >= MAX_STATES) {
      states.clear();
      firsts.clear();
    }
    const made: State = { dead: places.length === 0, places, before, next: [], ends: undefined };
    states.set(key, made);
    return made;
  };

  /** All places that are reached without taking a character. */
  const closure = (state: State, after: number): { readonly takes: number[]; readonly matches: number[] } => {
    round++;
    const takes: number[] = [];
    const matches: number[] = [];
    const stack = state.places.toReversed();
    while (stack.length > 0) {
      const place = stack.pop() as number;
      if (seen[place] === round) continue;
      seen[place] = round;
      work++;
      switch (op[place]) {
        case OP.chars:
          takes.push(place);
          break;
        case OP.split:
          stack.push(b[place] as number, a[place] as number);
          break;
        case OP.assert:
          if (holds(a[place] as number, state.before, after)) stack.push(b[place] as number);
          break;
        default:
          matches.push(a[place] as number);
      }
    }
    return { takes, matches };
  };

  const compute = (state: State, symbol: number): State => {
    const { takes, matches } = closure(state, asserts ? alphabet.kindOf(symbol) : KIND.other);
    const before = states.size;
    let target: State;
    if (anywhere && matches.length > 0) {
      target = matched;
    } else {
      const places = anywhere ? [...starts] : [];
      for (const place of takes) {
        work++;
        if (alphabet.isIn(symbol, a[place] as number)) places.push(b[place] as number);
      }
      const sorted = [...new Set(places)].sort((x, y) => x - y);
      target = intern(sorted, asserts ? alphabet.kindOf(symbol) : KIND.edge);
    }
    // After the states were made anew the old ones must not lead to the new.
    if (states.size >= before) state.next[symbol] = target;
    return target;
  };

  const start = (before: number = KIND.edge): State => {
    const kind = asserts ? before : KIND.edge;
    const known = firsts.get(kind);
    if (known) return known;
    const made = intern(
      [...new Set(starts)].sort((x, y) => x - y),
      kind,
    );
    firsts.set(kind, made);
    return made;
  };

  const endings = (state: State): readonly number[] => {
    state.ends ??= closure(state, KIND.edge).matches.sort((x, y) => x - y);
    return state.ends;
  };

  return {
    alphabet,
    start,
    endings,
    matchesAtEnd: (state) => endings(state).length > 0,
    run(bytes, run, end) {
      let { at, state, fresh } = run;
      const alone = starts.length;
      work = 0;
      while (at < end) {
        const byte = bytes[at] as number;
        let length = 1;
        let symbol: number;
        if (byte < 128) symbol = ascii[byte] as number;
        else {
          const decoded = decodeAt(bytes, at);
          symbol = decoded < 0 ? STRAY : alphabet.symbolOf(decoded >> 3);
          if (decoded >= 0) length = decoded & 7;
        }
        const known = state.next[symbol];
        const next = known ?? compute(state, symbol);
        if (next === matched) {
          Object.assign(run, { at, state, matched: true, fresh });
          return;
        }
        state = next;
        at += length;
        if (state.places.length === alone) fresh = at;
        if (known === undefined && work > MAX_WORK) break;
      }
      Object.assign(run, { at, state, matched: false, fresh });
    },
    advance(from, text) {
      let state = from;
      for (let at = 0; at < text.length && !state.dead; ) {
        const byte = text.charCodeAt(at);
        let length = 1;
        let symbol: number;
        if (byte < 128) symbol = ascii[byte] as number;
        else if (byBytes) symbol = alphabet.symbolOf(byte);
        else {
          const decoded = decodeAt(Buffer.from(text.slice(at, at + 4), "latin1"), 0);
          symbol = decoded < 0 ? STRAY : alphabet.symbolOf(decoded >> 3);
          if (decoded >= 0) length = decoded & 7;
        }
        state = state.next[symbol] ?? compute(state, symbol);
        at += length;
      }
      return state;
    },
  };
}
