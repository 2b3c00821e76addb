import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // They install hundreds of megabytes: `npm run test:agents`.
    exclude: ["test/agents/**"],
    globalSetup: "test/support/temp-root.ts",
    // Races and crashes start real processes; two cores take a while.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests that race processes against each other would race other files' processes too.
    maxWorkers: 2,
  },
});
