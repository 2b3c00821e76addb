import { DEFAULT_PREDICATE_PATH } from "../../job/predicate.ts";
import type { OwnClaim, RunFiles } from "./run-files.ts";

/** A checkpoint longer than this is named by its file: agents refuse prompts of a megabyte. */
const CHECKPOINT_CHARACTERS_MAX = 16_000;

export interface PromptFacts {
  readonly files: RunFiles;
  /** Where pages are in the repository. */
  readonly pagesDirectory: string;
  /** How the run hands in what came of it. */
  readonly leaves: "file" | "submission";
  readonly timeLimitMs: number;
}

/** The prompt of one attempt: the owner's instructions, where the work stands, and the rules in words (contract §11). */
export function promptOf(claim: OwnClaim, { files, pagesDirectory, leaves, timeLimitMs }: PromptFacts): string {
  const { job_id, attempt_id, objective, instructions, deadline, tokens_left } = claim;
  return [
    `# ${objective}`,
    ...(instructions.trim() === "" ? [] : [instructions.trimEnd()]),
    "# Where the work stands",
    checkpointText(claim, leaves === "file" ? files : undefined),
    "# The rules of this run",
    `You run unattended, as attempt ${attempt_id} of the job ${job_id}. Nobody answers questions. The job ends at ${deadline} and has ${tokens_left} tokens left.`,
    `This run is stopped after ${inWords(timeLimitMs)}; what it has not left behind by then is lost.`,
    ...doneText(claim, pagesDirectory),
    outcomeText(leaves === "file" ? `write what came of this run as one JSON object into the file ${files.outcome}` : SUBMIT),
    "If you cannot finish now, leave a checkpoint that lets the next run go on where you stopped, and end.",
  ].join("\n\n");
}

function inWords(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`;
}

/** Without `files` the run can read none outside its workspace. */
function checkpointText({ checkpoint }: OwnClaim, files: RunFiles | undefined): string {
  const text = JSON.stringify(checkpoint, null, 2);
  if (text === "{}") return "There is no checkpoint yet: this is the beginning, or the attempts before left nothing.";
  if (files !== undefined && text.length > CHECKPOINT_CHARACTERS_MAX)
    return `The checkpoint of the last attempt is in the file ${files.checkpoint}.`;
  return `The checkpoint of the last attempt:\n\n${text}`;
}

function doneText({ completion_predicate: predicate, result_address }: OwnClaim, pagesDirectory: string): readonly string[] {
  const page = `${pagesDirectory}/${result_address}.md`;
  const pushed = `The page is the file ${page} of this repository, not empty, committed and pushed to the branch that this checkout was made from. Only what is pushed counts.`;
  const reached =
    predicate.type === "checkpoint_equals"
      ? [`the checkpoint's ${predicate.path ?? DEFAULT_PREDICATE_PATH} is ${JSON.stringify(predicate.value)}`]
      : [];
  if (result_address === "") return reached.length === 0 ? [] : [`The work is over when ${reached.join()}.`];
  return [`The work is over when ${[...reached, "its page stands"].join(" and ")}. ${pushed}`];
}

const SUBMIT = "call the tool `submit` once, with what came of this run as one object";

function outcomeText(how: string): string {
  return [
    `Before you end, ${how}. All of it is optional:`,
    "",
    "- `checkpoint`: an object, where the work stands now; the next attempt is given it",
    '- `result`: an object like {"kind": "report"}, only when the work is over and its page is pushed',
    '- `in`: when to be woken again, like "30m" or "2d"; or `next_wake_at`, a time',
    '- `blocker`: {"kind": "external_authority", "detail": "…"}, when only a person can let the work go on',
    "- `fail`: a line that says why this run came to nothing",
  ].join("\n");
}
