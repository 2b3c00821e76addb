import fc from "fast-check";

/** The text of a JSON number, in every spelling that JSON allows: `-0`, `1.50`, `1E+007`, an integer of fifty digits. */
export const arbitraryNumberText: fc.Arbitrary<string> = fc
  .record({
    sign: fc.constantFrom("", "-"),
    whole: fc.oneof(
      fc.constant("0"),
      fc.stringMatching(/^[1-9][0-9]{0,3}$/),
      fc.stringMatching(/^[1-9][0-9]{14,18}$/),
      fc.stringMatching(/^[1-9][0-9]{20,50}$/),
    ),
    fraction: fc.oneof(fc.constant(""), fc.stringMatching(/^\.[0-9]{1,20}$/), fc.constantFrom(".0", ".50", ".00")),
    power: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, fc.stringMatching(/^[eE][+-]?[0-9]{1,4}$/)),
  })
  .map(({ sign, whole, fraction, power }) => sign + whole + fraction + power);
