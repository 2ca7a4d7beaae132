import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    // Content and tests see one `Tool`: the package's name means the source here, as the host under test does.
    alias: { toolroom: fileURLToPath(new URL("./core/index.ts", import.meta.url)) },
  },
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: ["tests/cases/**", "tests/fixtures/**"],
    globalSetup: "./tests/helpers/build.ts",
    // The usual number leaves one core for watching; here many tests wait for processes, and others can run meanwhile.
    maxWorkers: "150%",
    testTimeout: 20_000,
  },
});
