import { describe, expect, test } from "vitest";
import { ChangedSources } from "../support/changed-sources.ts";

const FIELDS = "src/job/fields.ts";
const RECEIPTS = "src/job/receipt.ts";

describe("a field that is added to a job does not compile", () => {
  const DECIDED = {
    kind: "kind: count",
    absence: 'absence: "default"',
    default: "default: 0",
    writer: 'writer: "program"',
    shielded: "shielded: false",
  };

  function withField(decisions?: readonly string[]): ChangedSources {
    const sources = new ChangedSources().insert("src/job/job.ts", "readonly job_id: string;", "  readonly priority: number;");
    return decisions === undefined
      ? sources
      : sources.insert(FIELDS, "export const FIELDS = {", `priority: { ${decisions.join(", ")} },`);
  }

  test("until the table of fields has it", () => {
    expect(withField().faultsOf(FIELDS)).toContainEqual(expect.stringMatching(/^src\/job\/fields\.ts.*'priority' is missing/));
  });

  test.each(Object.keys(DECIDED))("until its %s is decided", (left) => {
    const decisions = Object.entries(DECIDED).flatMap(([name, decision]) => (name === left ? [] : [decision]));
    expect(withField(decisions).faultsOf(FIELDS)).toContainEqual(expect.stringMatching(/^src\/job\/fields\.ts/));
  });

  test("with a default of another type", () => {
    const decisions = Object.values({ ...DECIDED, default: 'default: "0"' });
    expect(withField(decisions).faultsOf(FIELDS)).toContainEqual(expect.stringMatching(/^src\/job\/fields\.ts.*number/));
  });

  test("and does once all is decided", () => {
    expect(withField(Object.values(DECIDED)).faultsOf("src/job/file/quick-check.ts")).toEqual([]);
  });
});

describe("an event that is added does not compile", () => {
  const DECIDED = { writer: 'writer: "owner"', claims: "claims: false", appendable: "appendable: false" };

  function withEvent(decisions?: readonly string[]): ChangedSources {
    const sources = new ChangedSources().insert(RECEIPTS, "interface ReceiptFields {", "  praise: { readonly by: string };");
    return decisions === undefined
      ? sources
      : sources.insert(RECEIPTS, "export const EVENTS = {", `praise: { ${decisions.join(", ")} },`);
  }

  test("until the table of events has it", () => {
    expect(withEvent().faultsOf(RECEIPTS)).toContainEqual(expect.stringMatching(/^src\/job\/receipt\.ts.*'praise' is missing/));
  });

  test.each(Object.keys(DECIDED))("until its %s is decided", (left) => {
    const decisions = Object.entries(DECIDED).flatMap(([name, decision]) => (name === left ? [] : [decision]));
    expect(withEvent(decisions).faultsOf(RECEIPTS)).toContainEqual(expect.stringMatching(/^src\/job\/receipt\.ts/));
  });

  test("and does once all is decided", () => {
    expect(withEvent(Object.values(DECIDED)).faultsOf(RECEIPTS)).toEqual([]);
  });
});
