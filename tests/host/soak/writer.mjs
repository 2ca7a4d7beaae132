// Edits a tree at random, by a seed, from a process of its own: node writer.mjs ROOT SEED EDITS.
// After each step it prints what was done, when, and what the files hold then; the times are of the system's clock.
import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { allFiles, filesOf, PLUGINS, textOf } from "./content.mjs";

const [root, seed, edits] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const files = allFiles();
const paths = Object.keys(files);
let stamp = 0;
let known = {};

// mulberry32
let state = seed >>> 0;
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};
const below = (limit) => Math.floor(random() * limit);
const pick = (list) => list[below(list.length)];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => Number(process.hrtime.bigint()) / 1e6;
const absolute = (path) => join(root, path);
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=soak", "-c", "user.email=soak@localhost", ...args], {
    cwd: root,
    stdio: "pipe",
  });

/** What the files hold that the host reads. */
function contents() {
  const found = {};
  const visit = (directory) => {
    for (const entry of readdirSync(absolute(directory), { withFileTypes: true })) {
      const path = `${directory}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else found[path] = readFileSync(absolute(path), "utf8");
    }
  };
  for (const directory of ["usr/plugins", "usr/tools"]) if (existsSync(absolute(directory))) visit(directory);
  if (existsSync(absolute("usr/settings.yaml")))
    found["usr/settings.yaml"] = readFileSync(absolute("usr/settings.yaml"), "utf8");
  return found;
}

/** Does a step, and tells of it. */
function step(what, work) {
  const begin = now();
  work();
  const end = now();
  const after = contents();
  const changed = {};
  for (const path of new Set([...Object.keys(known), ...Object.keys(after)])) {
    if (known[path] !== after[path]) changed[path] = after[path] ?? null;
  }
  known = after;
  process.stdout.write(`${JSON.stringify({ what, begin, end, changed })}\n`);
}

const write = (path, text) => {
  mkdirSync(dirname(absolute(path)), { recursive: true });
  writeFileSync(absolute(path), text);
};
const remove = (path) => rmSync(absolute(path), { recursive: true, force: true });
const fresh = (path, how = "good") => textOf(files[path] ?? "shadow", ++stamp, how, below(8));
const shadowOf = (index) => `usr/tools/t${index}.ts`;

/** The ways to edit, each as often as it says. */
const EDITS = [
  [8, (path) => step(`write ${path}`, () => write(path, fresh(path)))],
  [
    4,
    async (path) => {
      const first = random() < 0.3 ? "bad" : "good";
      step(`write ${path}, ${first}`, () => write(path, fresh(path, first)));
      await sleep(below(80));
      step(`write ${path} again`, () => write(path, fresh(path)));
    },
  ],
  [
    3,
    async (path) => {
      const text = fresh(path);
      mkdirSync(dirname(absolute(path)), { recursive: true });
      let handle = 0;
      step(`truncate ${path}`, () => {
        handle = openSync(absolute(path), "w");
      });
      await sleep(below(30));
      const half = Math.floor(text.length / 2);
      step(`half of ${path}`, () => writeSync(handle, text.slice(0, half)));
      await sleep(below(30));
      step(`the rest of ${path}`, () => {
        writeSync(handle, text.slice(half));
        closeSync(handle);
      });
    },
  ],
  [
    3,
    (path) =>
      step(`rename over ${path}`, () => {
        const aside = join(dirname(path), `.${stamp}.new`);
        write(aside, fresh(path));
        renameSync(absolute(aside), absolute(path));
      }),
  ],
  [5, (path) => step(`break ${path}`, () => write(path, fresh(path, "bad")))],
  [2, (path) => step(`delete ${path}`, () => remove(path))],
  [
    2,
    (path) => {
      if (!/tools\/t\d\.ts$/u.test(path)) return step(`write ${path}`, () => write(path, fresh(path)));
      return step(`let ${path} throw in its calls`, () => write(path, fresh(path, "throws")));
    },
  ],
  [
    2,
    (path) =>
      step(`touch ${path}`, () => {
        if (!existsSync(absolute(path))) return;
        utimesSync(absolute(path), new Date(), new Date());
        write(path, readFileSync(absolute(path), "utf8"));
      }),
  ],
  [
    3,
    () => {
      const path = shadowOf(below(PLUGINS));
      if (existsSync(absolute(path)) && random() < 0.7) return step(`uncover ${path}`, () => remove(path));
      return step(`shadow ${path}`, () => write(path, fresh(path, random() < 0.2 ? "bad" : "good")));
    },
  ],
  [
    2,
    () => {
      const path = `usr/plugins/p${below(PLUGINS)}/.toggle-0`;
      if (existsSync(absolute(path))) return step(`switch on ${path}`, () => remove(path));
      return existsSync(dirname(absolute(path))) && step(`switch off ${path}`, () => write(path, ""));
    },
  ],
  [
    2,
    async () => {
      const [path, aside] = [`usr/plugins/p${below(PLUGINS)}`, "aside"];
      if (!existsSync(absolute(path))) return;
      step(`move ${path} away`, () => renameSync(absolute(path), absolute(aside)));
      await sleep(below(2) * below(300));
      step(`move ${path} back`, () => renameSync(absolute(aside), absolute(path)));
    },
  ],
  [
    1,
    async () => {
      const index = below(PLUGINS);
      step(`delete the plugin p${index}`, () => remove(`usr/plugins/p${index}`));
      await sleep(below(2) * below(300));
      step(`make the plugin p${index} again`, () => {
        for (const path of Object.keys(filesOf(index))) write(path, fresh(path));
      });
    },
  ],
  [
    1,
    () => {
      const path = "usr/plugins/crowd";
      if (existsSync(absolute(path))) return step("remove the crowd", () => remove(path));
      return step("unpack the crowd", () => {
        write(`${path}/plugin.yaml`, textOf("manifest", ++stamp));
        for (let n = 0; n < 40; n++) write(`${path}/tools/crowd_${n}.ts`, textOf("shadow", ++stamp));
      });
    },
  ],
  [
    2,
    () => {
      step("switch the branch", () => git("checkout", "--force", "--quiet", pick(["one", "two", "three"])));
      if (random() < 0.5) step("remove what is in no branch", () => git("clean", "-fdq", "usr/plugins", "usr/tools"));
    },
  ],
];

const waysToEdit = EDITS.flatMap(([often, edit]) => Array.from({ length: often }, () => edit));
const pauses = [() => below(40), () => below(40), () => 40 + below(110), () => 230 + below(250)];

process.stdin.resume();
process.stdin.on("end", () => process.exit());

// The branches.
git("init", "--quiet", "--initial-branch=one");
for (const branch of ["one", "two", "three"]) {
  if (branch !== "one") git("checkout", "--quiet", "-b", branch);
  for (const path of paths) write(path, fresh(path));
  if (branch === "two") write(shadowOf(1), fresh(shadowOf(1)));
  if (branch === "three") {
    remove(shadowOf(1));
    write("usr/plugins/p0/lib/helper.ts", fresh("usr/plugins/p0/lib/helper.ts", "bad"));
    remove("usr/plugins/p2");
  }
  git("add", "--all");
  git("commit", "--quiet", "--message", branch);
}
step("begin", () => git("checkout", "--quiet", "one"));
await new Promise((resolve) => process.stdin.once("data", resolve));

for (let edit = 0; edit < edits; edit++) {
  await pick(waysToEdit)(pick(paths));
  await sleep(pick(pauses)());
}

// What is broken at the end is mended: then the last good version and the file are one.
step("mend", () => {
  for (const path of paths) if (/stamp \d+ good/u.test(known[path] ?? "") === false) write(path, fresh(path));
  for (const path of Object.keys(known)) {
    if (/^usr\/tools\//u.test(path) && !/stamp \d+ good/u.test(known[path])) write(path, fresh(path));
  }
});
process.exit();
