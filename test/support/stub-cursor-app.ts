import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CURSOR_SDK_VERSION } from "../../src/harness/cursor/sdk-version.ts";

/** A call of the stub's model, or what it does beside. */
export type StubAct =
  | { readonly call: string; readonly args: object }
  /** Writes the key, and a line that looks like the runner's, to standard output. */
  | { readonly babble: true }
  | { readonly hang: true };

/**
 * Puts a stub where the SDK would be installed. It plays the acts in its first run, and writes what it saw into the file
 * `seen.json` of the run's scratch directory.
 */
export function installStub(app: string, acts: readonly StubAct[], version = CURSOR_SDK_VERSION): void {
  const directory = join(app, "node_modules/@cursor/sdk");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(app, "package.json"), "{}");
  writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "@cursor/sdk", version, main: "index.cjs" }));
  writeFileSync(join(directory, "acts.json"), JSON.stringify(acts));
  writeFileSync(join(directory, "index.cjs"), STUB);
}

const STUB = `
const { writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const acts = require("./acts.json");
console.log("the SDK says hello on standard output");
exports.JsonlLocalAgentStore = class {};
exports.Agent = class {
  static async create({ apiKey, local: { customTools } }) {
    const answers = [];
    const variables = Object.keys(process.env).sort();
    const keep = () => writeFileSync(join(dirname(process.env.HOME), "seen.json"), JSON.stringify({ variables, answers }));
    const play = async () => {
      for (const act of acts) {
        if (act.hang) await new Promise(() => undefined);
        if (act.babble) {
          console.log("key " + apiKey);
          console.error("key " + apiKey);
          console.log(JSON.stringify({ line: "result", mark: "guessed", outcome: "submitted", output: {}, usage: {}, turns: 0, detail: "" }));
        }
        if (act.call) answers.push(await customTools[act.call].execute(act.args, {}));
        keep();
      }
      return { status: "finished" };
    };
    return {
      send: async () => {
        const done = play();
        return { wait: () => done, stream: async function* () { await done; }, cancel: async () => undefined };
      },
      getUsage: async () => ({}),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
};
`;
