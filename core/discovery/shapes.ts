/** The kinds of directories that a scan knows; each says which of its children are read too. */
export type Shape =
  | "root"
  | "home"
  | "usr"
  | "plugins"
  | "plugin"
  | "profiles"
  | "profile"
  | "projects"
  | "project"
  | "overrides"
  | "groups"
  | "leaf";

/** What lies below a directory of one shape. Everything else in it is listed, never entered. */
interface Row {
  /** Children that are known by their name. */
  readonly named: ReadonlyMap<string, Shape>;
  /** The shape of every other child whose name does not begin with a dot. */
  readonly each?: Shape;
  /** Links in place of these children are followed, where the containment rule admits them. */
  readonly linked?: "named" | "each";
}

const CONTENT: readonly (readonly [string, Shape])[] = [
  ["extensions", "groups"],
  ["locales", "groups"],
  ["prompts", "leaf"],
  ["skills", "groups"],
  ["tools", "leaf"],
];
const NONE: ReadonlyMap<string, Shape> = new Map([]);

/** The shape of the content tree: the whole of it, since nothing else is ever read. */
const ROWS: Readonly<Record<Shape, Row>> = {
  root: {
    named: new Map<string, Shape>([["agents", "profiles"], ["plugins", "plugins"], ["usr", "usr"], ...CONTENT]),
    linked: "named",
  },
  home: {
    named: new Map<string, Shape>([
      ["agents", "profiles"],
      ["plugins", "plugins"],
      ["prompts", "leaf"],
      ["tools", "leaf"],
    ]),
    linked: "named",
  },
  usr: {
    named: new Map<string, Shape>([
      ["agents", "profiles"],
      ["plugins", "plugins"],
      ["projects", "projects"],
      ...CONTENT,
    ]),
    linked: "named",
  },
  plugins: { named: NONE, each: "plugin", linked: "each" },
  plugin: { named: new Map<string, Shape>([["agents", "profiles"], ...CONTENT]) },
  profiles: { named: NONE, each: "profile" },
  profile: { named: new Map<string, Shape>([["plugins", "overrides"], ...CONTENT]) },
  projects: { named: NONE, each: "project" },
  project: { named: new Map<string, Shape>([["agents", "profiles"], ["plugins", "overrides"], ...CONTENT]) },
  overrides: { named: NONE, each: "leaf" },
  groups: { named: NONE, each: "leaf" },
  leaf: { named: NONE },
};

/** The shape of a child, or undefined when it is not entered. */
export function childShape(shape: Shape, name: string): Shape | undefined {
  const row = ROWS[shape];
  const named = row.named.size === 0 ? undefined : row.named.get(name);
  return named ?? (name.startsWith(".") ? undefined : row.each);
}

/** Whether a link in place of this child is followed where the containment rule admits it. */
export function mayBeLinked(shape: Shape, name: string): boolean {
  const row = ROWS[shape];
  if (row.linked === "named") return row.named.has(name);
  return row.linked === "each" && !name.startsWith(".");
}

/** Whether a child of this name is known by it. */
export function isNamedChild(shape: Shape, name: string): boolean {
  return ROWS[shape].named.has(name);
}

/** The names of the children that are known by name. */
export function namedChildren(shape: Shape): readonly string[] {
  return NAMES.get(shape) ?? [];
}

const NAMES: ReadonlyMap<Shape, readonly string[]> = new Map(
  (Object.keys(ROWS) as Shape[]).map((shape) => [shape, [...ROWS[shape].named.keys()]]),
);
