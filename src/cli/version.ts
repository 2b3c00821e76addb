declare const HARNESS_WAKE_VERSION: string | undefined;

/** Put in by the build; the sources on their own have none. */
export const VERSION = typeof HARNESS_WAKE_VERSION === "string" ? HARNESS_WAKE_VERSION : "0.0.0";
