import { defineConfig } from "vitest/config";

/** Tests against the real command lines of agents: `npm run test:agents`. The only tests that ask a registry for packages. */
export default defineConfig({
  test: {
    include: ["test/agents/**/*.test.ts"],
    globalSetup: ["test/support/temp-root.ts", "test/agents/install-agents.ts"],
    // An agent takes seconds to start, and more on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
  },
});
