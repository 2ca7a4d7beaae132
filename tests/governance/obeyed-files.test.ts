import { expect, it } from "vitest";
import { obeyedBy } from "../../core/governance/obeyed-files.ts";

it.each([
  [".bashrc", /shell/u],
  ["home/.zprofile", /shell/u],
  [".config/fish/config.fish", /shell/u],
  [".config/git/config", /program/u],
  [".tmux.conf", /program/u],
  ["web/package.json", /package manager/u],
  [".yarnrc.yml", /package manager/u],
  ["GNUmakefile", /make/u],
  ["azure-pipelines.yml", /build/u],
  [".pre-commit-config.yaml", /build/u],
  ["docs/AGENTS.md", /agents/u],
  [".git/hooks/pre-commit", /git/u],
  ["a/../.git/config", /git/u],
  ["node_modules/x/index.js", /programs/u],
  ["x.service", /system/u],
  ["/etc/hosts", /system/u],
  [".ssh/config", /people/u],
])("says what obeys %s", (path, by) => {
  expect(obeyedBy(path)).toMatch(by);
});

it.each([
  "a.txt",
  "src/git/a.ts",
  ".gitignore",
  "makefile.md",
  "etc/hosts",
  "config/fish",
  "profile",
  ".git",
  "usr/a.txt",
])("knows nothing that obeys %s", (path) => {
  expect(obeyedBy(path)).toBeUndefined();
});
