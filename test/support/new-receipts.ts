import { isDeepStrictEqual } from "node:util";

/** What a pass added to a history or counted again: the receipts after those of before that stayed as they were. */
export function newReceipts<Receipt extends object>(before: readonly Receipt[], after: readonly Receipt[]): readonly Receipt[] {
  return after.filter((receipt) => !before.some((other) => isDeepStrictEqual(other, receipt)));
}
