/**
 * What a look came to. `absent` was shown: by a tree or a list of refs that was read whole. Where git could not look there
 * is no answer, and whoever takes `failed` for absence does not compile.
 */
export type Looked<T> =
  | { readonly state: "found"; readonly value: T }
  | { readonly state: "absent" }
  | { readonly state: "failed"; readonly why: string };

/** What came of something that is there for sure, or was to be made: it, or why not. */
export type Made<T> = Exclude<Looked<T>, { readonly state: "absent" }>;

export const ABSENT = { state: "absent" } as const;

export function found<T>(value: T): { readonly state: "found"; readonly value: T } {
  return { state: "found", value };
}

export function failed(why: string): { readonly state: "failed"; readonly why: string } {
  return { state: "failed", why };
}
