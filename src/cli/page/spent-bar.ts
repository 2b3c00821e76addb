import { type Html, html } from "./html.ts";
import { rounded } from "./time-scale.ts";

/** How much of a budget is spent, as a bar. The words beside it say the same. */
export function spentBar(used: number, budget: number): Html {
  const percent = rounded(Math.min(100, (100 * used) / Math.max(1, budget)));
  return html`<svg width="100%" height="8" aria-hidden="true"><rect class="bar-ground" width="100%" height="8"/><rect class="bar" width="${percent}%" height="8"/></svg>`;
}

export function spentWords(used: number, budget: number): string {
  return `${numberWords(used)} of ${numberWords(budget)}`;
}

/** `1,234,567`. */
export function numberWords(value: number): string {
  return value.toLocaleString("en-US");
}
