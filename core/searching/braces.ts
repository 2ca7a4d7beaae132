/** More alternatives than this are too many. */
const MAX_ALTERNATIVES = 1_000;

/**
 * A glob without its `{a,b}`: all the globs that it stands for. Braces without a comma are characters.
 * @returns undefined where there are too many
 */
export function expandBraces(glob: string): readonly string[] | undefined {
  const done: string[] = [];
  const open = [glob];
  while (open.length > 0) {
    if (done.length + open.length > MAX_ALTERNATIVES) return undefined;
    const next = open.pop() as string;
    const group = firstGroup(next);
    if (!group) done.push(next);
    else open.push(...group.branches.map((branch) => group.before + branch + group.after).reverse());
  }
  return done;
}

interface Group {
  readonly before: string;
  readonly branches: readonly string[];
  readonly after: string;
}

/** The first pair of braces with a comma between them; those in classes and behind a backslash are characters. */
function firstGroup(glob: string): Group | undefined {
  for (let start = 0; start < glob.length; start = afterUnit(glob, start)) {
    if (glob[start] !== "{") continue;
    const commas: number[] = [];
    let depth = 0;
    for (let at = start; at < glob.length; at = afterUnit(glob, at)) {
      if (glob[at] === "{") depth++;
      else if (glob[at] === "," && depth === 1) commas.push(at);
      else if (glob[at] === "}" && --depth === 0) {
        if (commas.length === 0) break;
        const edges = [start, ...commas, at];
        const branches = edges.slice(1).map((end, index) => glob.slice((edges[index] as number) + 1, end));
        return { before: glob.slice(0, start), branches, after: glob.slice(at + 1) };
      }
    }
  }
  return undefined;
}

/** Behind the character, the escape or the class at a place. */
function afterUnit(glob: string, at: number): number {
  if (glob[at] === "\\") return at + 2;
  if (glob[at] !== "[") return at + 1;
  let end = at + 1;
  if (glob[end] === "!" || glob[end] === "^") end++;
  if (glob[end] === "]") end++;
  while (end < glob.length && glob[end] !== "]" && glob[end] !== "/") end += glob[end] === "\\" ? 2 : 1;
  return glob[end] === "]" ? end + 1 : at + 1;
}
