import { expect, test } from "vitest";
import { table } from "../../src/cli/table.ts";

test("a table takes more rows than a call takes arguments", () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => [`job-${i}`, "OPEN"]);
  const lines = table(["JOB", "STATUS"], rows).split("\n");
  expect(lines).toHaveLength(200_002);
  expect(lines[0]).toBe("JOB         STATUS");
  expect(lines[200_000]).toBe("job-199999  OPEN");
});
