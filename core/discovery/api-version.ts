/** The version of the plugin contract that this host offers; `apiVersion` of a manifest is a range over it. */
export const HOST_API_VERSION = "1.0.0";

/** A version as its three numbers. */
type Version = readonly [major: number, minor: number, patch: number];

/** Versions from `from` on, below `to`. */
interface Span {
  readonly from: Version;
  readonly to: Version;
}

const MAX: Version = [Number.POSITIVE_INFINITY, 0, 0];
const ALL: Span = { from: [0, 0, 0], to: MAX };
const COMPARATOR = /^(\^|~|>=|<=|>|<|=)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?$/u;

/**
 * Whether `version` (three numbers with dots) lies in a range, or undefined when the range is not one.
 *
 * Known: `1.2.3`, `^1`, `~1.2`, `1.x`, `*`, `>=1 <2`, `1 - 2`, and alternatives with `||`. Pre-release tags are
 * not known: the host's contract has none.
 */
export function satisfies(version: string, range: string): boolean | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const wanted: Version = [major, minor, patch];
  let inside = false;
  for (const alternative of range.split("||")) {
    const spans = spansOf(alternative.trim());
    if (!spans) return undefined;
    inside ||= spans.every(({ from, to }) => compare(wanted, from) >= 0 && compare(wanted, to) < 0);
  }
  return inside;
}

function spansOf(text: string): readonly Span[] | undefined {
  const hyphen = /^(\S+)\s+-\s+(\S+)$/u.exec(text);
  const glued = hyphen ? `>=${hyphen[1]} <=${hyphen[2]}` : text.replace(/([\^~<>=])\s+/gu, "$1");
  const spans: Span[] = [];
  for (const part of glued.split(/\s+/u)) {
    const span = part === "" ? ALL : spanOf(part);
    if (!span) return undefined;
    spans.push(span);
  }
  return spans;
}

function spanOf(text: string): Span | undefined {
  const match = COMPARATOR.exec(text);
  if (!match) return undefined;
  const [, operator = "", ...given] = match;
  const numbers: number[] = [];
  for (const part of given) {
    if (part === undefined || !/^\d+$/u.test(part)) break;
    numbers.push(Number(part));
  }
  const [major = 0, minor = 0, patch = 0] = numbers;
  const from: Version = [major, minor, patch];
  /** The first version after all that begin like the given numbers. */
  const after = numbers.length === 0 ? MAX : next(from, numbers.length - 1);
  if (operator === ">=") return { from, to: MAX };
  if (operator === ">") return { from: after, to: MAX };
  if (operator === "<") return { from: ALL.from, to: numbers.length === 0 ? ALL.from : from };
  if (operator === "<=") return { from: ALL.from, to: after };
  if (operator === "^") return { from, to: numbers.length === 0 ? MAX : next(from, caretPlace(from, numbers.length)) };
  if (operator === "~") return { from, to: numbers.length === 0 ? MAX : next(from, Math.min(1, numbers.length - 1)) };
  return { from, to: after };
}

/** `^` keeps the first number that is not zero, among those given. */
function caretPlace(version: Version, given: number): number {
  const place = version.findIndex((number) => number !== 0);
  return place === -1 || place >= given ? given - 1 : place;
}

function next(version: Version, place: number): Version {
  const raised = version.map((number, index) => (index < place ? number : index === place ? number + 1 : 0));
  return [raised[0] ?? 0, raised[1] ?? 0, raised[2] ?? 0];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
