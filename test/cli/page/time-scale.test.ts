import fc from "fast-check";
import { expect, test } from "vitest";
import { scaleMarks, timeScale } from "../../../src/cli/page/time-scale.ts";
import { NOON } from "../../support/noon.ts";

const moments = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 });

test("a later moment stands further right, at its share of the span, and none beyond the edges", () => {
  fc.assert(
    fc.property(moments, moments, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, share) => {
      const scale = timeScale(Math.min(a, b), Math.max(a, b));
      const at = scale.at(scale.from + share * (scale.to - scale.from));
      const [left, right] = [scale.at(scale.from), scale.at(scale.to)];
      expect(at).toBeGreaterThanOrEqual(left);
      expect(at).toBeLessThanOrEqual(right);
      expect(Math.abs((at - left) / (right - left) - share)).toBeLessThan(0.001);
    }),
  );
});

test("whatever the span, a few round moments within it are marked", () => {
  fc.assert(
    fc.property(moments, moments, (a, b) => {
      const scale = timeScale(Math.min(a, b), Math.max(a, b));
      const marks = scaleMarks(scale);
      expect(marks.length).toBeLessThanOrEqual(5);
      for (const { at } of marks) expect(at >= scale.from && at <= scale.to).toBe(true);
    }),
  );
});

test.each([
  [1500, ["12:00", "12:15"]],
  [3 * 86_400, ["12-01", "12-02", "12-03"]],
  [20, ["12:00:00", "12:00:05", "12:00:10", "12:00:15", "12:00:20"]],
])("a span of %i seconds from noon is labelled %j", (seconds, labels) => {
  expect(scaleMarks(timeScale(NOON, NOON + seconds)).map(({ label }) => label)).toEqual(labels);
});
