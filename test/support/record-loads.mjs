// Loaded with --import: notes the address of every module that the process loads from then on, by import or require.
import { registerHooks } from "node:module";

globalThis.loadedModules = [];
registerHooks({
  load(url, context, nextLoad) {
    globalThis.loadedModules.push(url);
    return nextLoad(url, context);
  },
});
