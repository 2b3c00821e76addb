import { isJsonObject, type Json, numberText } from "../../json/json.ts";

const WEAK_RESULTS: readonly string[] = ["claimed", "sent", "propen", "accepted", "2xx", "carrier2xx"];

/**
 * Whether a result only says that something was handed over. In any spelling: "PR-open", "carrier_2xx", "HTTP 201"
 * (contract §6).
 */
export function isWeakResult(result: Json | undefined): boolean {
  if (!isJsonObject(result)) return false;
  return [result["kind"], result["status"]].some((value) => {
    const word = numberText(value) ?? value;
    // An object is no spelling of a word, and one with a `toString` of its own cannot even be asked for one.
    if (typeof word !== "string") return false;
    const folded = word
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "");
    return WEAK_RESULTS.includes(folded) || /^(?:carrier|http)?2\d\d$/.test(folded);
  });
}
