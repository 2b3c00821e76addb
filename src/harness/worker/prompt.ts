import type { JsonObject } from "../../json/json.ts";

/** What an agent is to know of its attempt. */
export interface PromptFacts {
  readonly job_id: string;
  readonly attempt_id: string;
  readonly objective: string;
  readonly instructions: string;
  readonly checkpoint: JsonObject;
  /** RFC 3339. */
  readonly deadline: string;
  readonly tokens_left: number;
  /** `p/<id>.md`; undefined for a job without an address. */
  readonly page: string | undefined;
  /** When the job counts as done, in words. */
  readonly done: string;
  readonly outcomeFile: string;
  /** A file that holds the whole checkpoint. */
  readonly checkpointFile: string;
}

/** A checkpoint longer than this is named by its file: agents refuse prompts of a megabyte. */
const CHECKPOINT_CHARACTERS_MAX = 16_000;

/** The prompt of one attempt: the owner's instructions, where the work stands, and the rules in words (contract §11). */
export function promptFor(facts: PromptFacts): string {
  const { objective, instructions, page } = facts;
  return [
    `# ${objective}`,
    ...(instructions.trim() === "" ? [] : [instructions.trimEnd()]),
    "# Where the work stands",
    checkpointText(facts),
    "# The rules of this run",
    `You run unattended, as attempt ${facts.attempt_id} of the job ${facts.job_id}. Nobody answers questions. The job ends at ${facts.deadline} and has ${facts.tokens_left} tokens left.`,
    page === undefined
      ? `Done means: ${facts.done}.`
      : `Done means: ${facts.done}. The page is the file ${page} in this repository, committed and pushed to the branch that this checkout was made from. Only what is pushed counts.`,
    outcomeText(facts.outcomeFile),
    "If you cannot finish now, leave a checkpoint that lets the next run go on where you stopped, and end.",
  ].join("\n\n");
}

function checkpointText({ checkpoint, checkpointFile }: PromptFacts): string {
  const text = JSON.stringify(checkpoint, null, 2);
  if (text === "{}") return "There is no checkpoint yet: this is the beginning, or an attempt before left nothing.";
  if (text.length > CHECKPOINT_CHARACTERS_MAX) return `The checkpoint of the last attempt is in the file ${checkpointFile}.`;
  return `The checkpoint of the last attempt:\n\n${text}`;
}

function outcomeText(outcomeFile: string): string {
  return [
    `Before you end, write what came of this run as one JSON object into the file ${outcomeFile}. All of it is optional:`,
    "",
    "- `checkpoint`: an object, where the work stands now; the next attempt is given it",
    '- `result`: an object like {"kind": "report"}, only when the work is over and its page is pushed',
    '- `in`: when to be woken again, like "30m" or "2d"; or `next_wake_at`, a time',
    '- `blocker`: {"kind": "external_authority", "detail": "…"}, when only a person can let the work go on',
    "- `fail`: a line that says why this run came to nothing",
  ].join("\n");
}
