import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    // Content and tests see one `Tool`: the package's name means the source here, as the host under test does. The suite
    // for tools is the build, as an author gets it: it loads the tools itself, and is there at once.
    alias: [
      { find: /^toolroom$/, replacement: fileURLToPath(new URL("./core/index.ts", import.meta.url)) },
      {
        find: /^toolroom\/testing$/,
        replacement: fileURLToPath(new URL("./dist/bundle/testing.js", import.meta.url)),
      },
    ],
  },
  test: {
    server: { deps: { external: [/\/dist\/bundle\//] } },
    include: ["tests/**/*.test.ts"],
    exclude: ["tests/cases/**", "tests/fixtures/**"],
    globalSetup: "./tests/helpers/build.ts",
    setupFiles: "./tests/helpers/setup.ts",
    // The usual number leaves one core for watching; here many tests wait for processes, and others can run meanwhile.
    maxWorkers: "150%",
    // No module keeps state, so files share their process and what it has loaded.
    isolate: false,
    testTimeout: 20_000,
  },
});
