import { expect, test } from "vitest";
import { submittable } from "../../../src/harness/cursor/submittable.ts";
import { Submission } from "../../../src/harness/tools/submission.ts";

async function submit(input: object): Promise<string> {
  const submission = new Submission({ ...submittable("outcome"), rejectionsMax: 9, onVerdict: () => undefined });
  const answer = await submission.tool.call(input, new AbortController().signal);
  return answer.kind === "text" ? "accepted" : answer.message;
}

test.each([{}, { checkpoint: { step: 2 }, in: "30m" }, { fail: "nothing came of it" }, { result: { kind: "report" } }])(
  "an outcome may be submitted: %j",
  async (outcome) => expect(await submit(outcome)).toBe("accepted"),
);

test.each<[object, string]>([
  [{ in: "soon" }, "must be like 30m or 2d"],
  [{ next_wake_at: "2026-02-31T00:00:00Z" }, "must be a time that exists"],
  [{ fail: "no", result: 1 }, "has fail, which gives the attempt up"],
  [{ in: "1h", next_wake_at: "2026-12-01T00:00:00Z" }, "has both next_wake_at and in"],
  [{ tokens_used: 1 }, "must NOT have additional properties: tokens_used"],
])("what could not be an outcome is rejected with the reason, so that the model can mend it: %j", async (input, why) => {
  expect(await submit(input)).toContain(why);
});
