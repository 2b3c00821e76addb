import { type Json, numberText } from "./json.ts";

interface Decimal {
  readonly negative: boolean;
  /** Significant digits, without leading or trailing zeros; empty for zero. */
  readonly digits: string;
  readonly exponent: bigint;
}

/**
 * Whether two JSON values are numbers of the same value, like `1`, `1.0` and `10e-1`. Exact: integers above 2^53 are the same
 * only if every digit agrees, while as doubles different ids could be equal (contract §2).
 */
export function isSameNumber(a: Json, b: Json): boolean {
  if (typeof a === "number" && typeof b === "number") return a === b;
  const left = decimal(numberText(a));
  const right = decimal(numberText(b));
  if (left === undefined || right === undefined) return false;
  if (left.digits === "" && right.digits === "") return true;
  return left.negative === right.negative && left.digits === right.digits && left.exponent === right.exponent;
}

/** The value of a number in a file. An integer beyond 2^53 becomes a bigint, so that no digit is lost. */
export function plainNumber(text: string): number | bigint {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : Number(text);
}

function decimal(text: string | undefined): Decimal | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text ?? "");
  if (parts === null) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = parts;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = withoutTrailingZeros(digits);
  return {
    negative: sign === "-",
    digits: significant,
    exponent: BigInt(power) - BigInt(fraction.length) + BigInt(digits.length - significant.length),
  };
}

/** Not with `/0+$/`, which tries again at every zero: a number of a few hundred thousand digits would take minutes. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}
