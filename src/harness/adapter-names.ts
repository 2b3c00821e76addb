/** The adapters that `work --adapter` knows; apart from the adapters themselves, so that a command line names them without loading one. */
export const ADAPTER_NAMES = ["cursor"] as const;
