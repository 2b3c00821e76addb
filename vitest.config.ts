import { defineConfig } from "vitest/config";

/** Tests that start processes: whole programs, git, the built command line. Every other test is a fast one. */
const WITH_PROCESSES = ["test/{bench,chaos,docs,e2e}/**/*.test.ts", "test/**/*.{process,live}.test.ts"];

export default defineConfig({
  test: {
    globalSetup: "test/support/temp-root.ts",
    // A limit for what hangs. On a busy machine a test takes twenty times as long as on an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tests that race processes against each other would race other files' processes too.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          // Those in test/agents install hundreds of megabytes: `npm run test:agents`.
          exclude: ["test/agents/**", ...WITH_PROCESSES],
          setupFiles: "test/support/no-processes.ts",
          // Starting a process for each file would take longer than most files do.
          isolate: false,
        },
      },
      { extends: true, test: { name: "processes", include: WITH_PROCESSES } },
    ],
  },
});
