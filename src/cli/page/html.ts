/**
 * Markup that may stand in a page. Only `html` makes it: what its author wrote stays as it is, and every value between is
 * escaped unless it is markup itself. So a text from a job file cannot become markup.
 */
export class Html {
  readonly #markup: string;

  private constructor(markup: string) {
    this.#markup = markup;
  }

  static fill(this: void, parts: TemplateStringsArray, ...values: readonly Content[]): Html {
    let markup = parts[0] ?? "";
    for (const [i, value] of values.entries()) markup += markupOf(value) + (parts[i + 1] ?? "");
    return new Html(markup);
  }

  toString(): string {
    return this.#markup;
  }
}

export type Content = string | number | Html | readonly Html[];

export const html = Html.fill;

/** Nothing: for what is left out. */
export const NOTHING = html``;

function markupOf(value: Content): string {
  if (typeof value === "string") return escaped(value);
  if (typeof value === "number" || value instanceof Html) return String(value);
  return value.join("");
}

/** What has a meaning in markup, what no page may hold, and what would turn the direction of the text after it. */
const ACTIVE = /[&<>"']|(?![\t\n])\p{Cc}|\p{Bidi_Control}|\p{Cs}|\p{Noncharacter_Code_Point}/gu;

/** Fit for text and for an attribute in quotes. */
function escaped(text: string): string {
  return text.replace(ACTIVE, (character) => ENTITIES[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
