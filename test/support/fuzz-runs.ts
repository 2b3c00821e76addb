const IS_QUICK = process.env["HARNESS_WAKE_FUZZ"] === "quick";

/** How often a property is tried: so many times in `npm test`, and a tenth of it in `npm run test:fast`. */
export function fuzzRuns(numRuns: number): { readonly numRuns: number } {
  return { numRuns: IS_QUICK ? Math.ceil(numRuns / 10) : numRuns };
}
