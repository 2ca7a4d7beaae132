import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { testTool } from "toolroom/testing";

const FILES = { "a.ts": "", "src/b.ts": "", "src/.hidden.ts": "", "docs/c.md": "" };

testTool("../../../plugins/_files/tools/glob_search.ts", {
  cases: [
    {
      name: "lists what matches, sorted, and says how many",
      args: { pattern: "**/*.ts" },
      files: FILES,
      expect: {
        status: "success",
        message: "a.ts\nsrc/b.ts\n\n[2 in all.]",
        data: { paths: ["a.ts", "src/b.ts"], total: 2, cut: [], unreadable: 0 },
      },
    },
    {
      name: "looks in a directory, and tells paths relative to the workspace",
      args: { pattern: "*", path: "src", include_hidden: true },
      files: FILES,
      expect: { data: { paths: ["src/.hidden.ts", "src/b.ts"] } },
    },
    {
      name: "says that nothing matches, and which wildcards go into directories",
      args: { pattern: "*.ts" },
      files: { "src/a.ts": "" },
      expect: {
        message:
          "[Nothing matches. Only ** goes into directories. Hidden and ignored files are found only when asked for.]",
      },
    },
    {
      name: "says that nothing matches",
      args: { pattern: "**/*.py" },
      files: FILES,
      expect: {
        status: "success",
        message: "[Nothing matches. Hidden and ignored files are found only when asked for.]",
      },
    },
    {
      name: "tells the first thousand and how many more there are",
      args: { pattern: "*" },
      files: Object.fromEntries(Array.from({ length: 1_003 }, (_, index) => [`f${index}`, ""])),
      expect: {
        status: "partial",
        message: /\n\[The first 1000 of 1003: 3 more\. Narrow the pattern\.\]$/,
        data: { cut: ["results"] },
      },
    },
    {
      name: "puts a name with a line feed on one line",
      args: { pattern: "*" },
      files: { "a\nb": "" },
      expect: { message: '"a\\nb"\n\n[1 in all.]' },
    },
    {
      name: "leads nowhere through a link, and does not tell of it",
      args: { pattern: "**" },
      files: FILES,
      setup: async ({ workspace }) => await symlink("/etc", join(workspace, "etc")),
      expect: { data: { paths: ["a.ts", "docs/c.md", "src/b.ts"] } },
    },
    {
      name: "refuses an absolute pattern",
      args: { pattern: "/etc/*" },
      expect: { code: "ACCESS_DENIED", pointer: "/pattern" },
    },
    {
      name: "refuses a pattern that leads upwards",
      args: { pattern: "../*" },
      expect: { code: "ACCESS_DENIED", pointer: "/pattern" },
    },
    {
      name: "refuses a path outside",
      args: { pattern: "*", path: ".." },
      expect: { code: "ACCESS_DENIED" },
    },
    {
      name: "tells what to do about a file as path",
      args: { pattern: "*", path: "a.ts" },
      files: FILES,
      expect: { code: "INVALID_PARAM", pointer: "/path" },
    },
  ],
});
