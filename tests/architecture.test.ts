import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const HOME = fileURLToPath(new URL("..", import.meta.url));

/** The floors of core/AGENTS.md, lowest first: the first row that a path begins with decides. */
const FLOORS: readonly (readonly [prefix: string, floor: number])[] = [
  ["core/cli/", 5],
  ["core/testing/", 5],
  ["core/index.ts", 4],
  ["core/host.ts", 4],
  ["core/host/", 4],
  ["core/locations.ts", 4],
  ["core/agent/", 3],
  ["core/dispatch/", 3],
  ["core/prompt/", 3],
  ["core/dox/", 3],
  ["core/loading/", 2],
  ["core/watching/", 2],
  ["core/probing/", 2],
  ["core/governance/", 2],
  ["core/shell/", 2],
  ["core/processes/", 2],
  ["core/searching/", 2],
  ["core/hooks.ts", 2],
  ["core/model/", 2],
  ["core/discovery/", 1],
  ["core/sdk/", 0],
  ["core/diagnostics.ts", 0],
];

/** What a process has once, however many hosts live in it: its streams and errors, and its end. */
const PROCESS_STATE: readonly string[] = ["core/governance/process-guard.ts", "core/governance/process-exit.ts"];

/** Rooms of one floor that still may not know each other: what `discovery` finds is never run there. */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']\s*\)|(?:^|\n)\s*import\s*["']([^"']+)["']|\brequire(?:From\w*)?\s*\(\s*["']([^"']+)["']\s*\)/gu;

function filesBelow(directory: string, suffix: string): string[] {
  return readdirSync(join(HOME, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => relative(HOME, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(HOME, file), "utf8")
    .replace(/\/\*[\s\S]*?\*\//gu, "")
    .replace(/^\s*\/\/.*$/gmu, "");
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? "");
}

function inHouse(file: string, specifier: string): string {
  return relative(HOME, resolve(HOME, dirname(file), specifier)).replaceAll("\\", "/");
}

const floorOf = (file: string): number | undefined => FLOORS.find(([prefix]) => file.startsWith(prefix))?.[1];
const sources = filesBelow("core", ".ts");

describe("the house", () => {
  it("has a floor for every file of core/", () => {
    expect(sources.filter((file) => floorOf(file) === undefined)).toEqual([]);
    expect(sources.length).toBeGreaterThan(20);
  });

  it("imports down or on the same floor only", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => inHouse(file, specifier))
        .filter((target) => (floorOf(target) ?? 99) > (floorOf(file) ?? -1))
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import circle, types included", () => {
    const graph = new Map(
      sources.map((file) => [
        file,
        importsOf(file)
          .filter((s) => s.startsWith("."))
          .map((s) => inHouse(file, s)),
      ]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
        return;
      }
      if (done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of sources) visit(file, []);
    expect(circles).toEqual([]);
  });

  it("imports each third-party package in one place", () => {
    const importers = new Map<string, Set<string>>();
    for (const file of sources) {
      for (const specifier of importsOf(file)) {
        if (specifier.startsWith(".") || isBuiltin(specifier)) continue;
        const name = specifier
          .split("/")
          .slice(0, specifier.startsWith("@") ? 2 : 1)
          .join("/");
        importers.set(name, (importers.get(name) ?? new Set()).add(file));
      }
    }
    const shared = [...importers]
      .filter(([, files]) => files.size > 1)
      .map(([name, files]) => `${name}: ${[...files].join(", ")}`);
    expect(shared).toEqual([]);
    expect(importers.size).toBeGreaterThan(8);
  });

  it("imports nothing but the SDK and Node in content", () => {
    const content = ["tools", "plugins", "agents"].flatMap((directory) => filesBelow(directory, ".ts"));
    const wrong = content.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier !== "toolroom" && !isBuiltin(specifier) && !specifier.startsWith("."))
        .map((specifier) => `${file} -> ${specifier}`),
    );
    expect(wrong).toEqual([]);
    expect(content.length).toBeGreaterThan(5);
  });

  it("knows no tool, plugin or profile by name in core/", () => {
    const tools = ["tools", "plugins", "agents"]
      .flatMap((directory) => filesBelow(directory, ".ts"))
      .filter((file) => /(?:^|\/)tools\/[a-z0-9_]+\.ts$/u.test(file))
      .map((file) => file.replace(/^.*\/|\.ts$/gu, ""));
    const plugins = readdirSync(join(HOME, "plugins"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    const names = [...tools.filter((name) => name.includes("_")), ...plugins, "WordCount"];
    const named = sources.flatMap((file) => {
      const code = readFileSync(join(HOME, file), "utf8")
        .replace(/\/\*[\s\S]*?\*\//gu, "")
        .replace(/^\s*\/\/.*$/gmu, "");
      return names
        .filter((name) => new RegExp(`["'\`/]${name}["'\`/.]`, "u").test(code))
        .map((name) => `${file}: ${name}`);
    });
    expect(named).toEqual([]);
  });

  it("holds no state in modules but the process's own: no top-level let, no top-level Map or Set that is filled later", () => {
    const stateful = sources
      .filter((file) => !PROCESS_STATE.includes(file))
      .flatMap((file) =>
        readFileSync(join(HOME, file), "utf8")
          .split("\n")
          .filter(
            (line) =>
              /^(?:export )?let /u.test(line) ||
              /^(?:export )?const \w+(?::[^=]+)? = new (?:Map|Set|WeakMap)\b.*\(\);?$/u.test(line),
          )
          .map((line) => `${file}: ${line}`),
      );
    expect(stateful).toEqual([]);
  });
});

describe("the tests", () => {
  // Files share a process, and a module of theirs runs once in it: its hooks would be those of the first file alone.
  it("have hooks in files of tests only, and in the setup that runs for each of them", () => {
    const hooked = filesBelow("tests", ".ts")
      .filter((file) => !file.endsWith(".test.ts") && file !== "tests/helpers/setup.ts")
      .filter((file) => /^(?:before|after)(?:All|Each)\(/mu.test(readFileSync(join(HOME, file), "utf8")));
    expect(hooked).toEqual([]);
  });
});
