/** The variable of the worker that holds the key. */
export const API_KEY = "CURSOR_API_KEY";
