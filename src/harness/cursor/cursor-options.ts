import { JobError } from "../../errors/job-error.ts";
import { z } from "../../json/zod.ts";

export interface CursorOptions {
  /** Of Cursor's own models, like `composer-2.5`. */
  readonly model: { readonly id: string };
  /** Puts the agent's prompt in the place of Cursor's own instead of below it. Cursor allows that to some accounts alone. */
  readonly replaceSystemPrompt?: boolean;
}

/** What a model is called that is none; the SDK itself takes any name, and fails late. */
const STUB = /^(?:stub|fake|mock|dummy|test|scripted)(?:$|[-_./:])/i;
const MODEL_ID = /^[a-z0-9][\w.:/-]{0,99}$/i;

const buildSchema = () =>
  z.strictObject({
    model: z.strictObject({ id: z.string() }),
    replaceSystemPrompt: z.exactOptional(z.boolean()),
  });

/** The options, checked. Throws JobError CONFIG for what cannot be run: a cloud request, no model, a stub of one. */
export function requireCursorOptions(given: CursorOptions): CursorOptions {
  const { success, data, error } = buildSchema().safeParse(given);
  if (!success) {
    const issue = error.issues[0];
    const names = issue?.code === "unrecognized_keys" ? issue.keys : (issue?.path ?? []).map(String);
    const why = issue?.code === "unrecognized_keys" ? notTaken(names) : `${names.join(".")} is missing or cannot be that`;
    throw new JobError("CONFIG", `cursor: ${why}`, { field: names.join(".") });
  }
  const { id } = data.model;
  if (STUB.test(id)) throw wrongModel(id, "is a stub's name; a run takes one of Cursor's models, like composer-2.5");
  if (!MODEL_ID.test(id)) throw wrongModel(id, "cannot be a model's name; give one like composer-2.5");
  return data;
}

function notTaken(names: readonly string[]): string {
  const list = names.join(", ");
  return names.some((name) => /cloud|runtime/i.test(name))
    ? `${list} is not taken: runs are local, Cursor's cloud is never asked`
    : `${list} is not known; model and replaceSystemPrompt are`;
}

function wrongModel(id: string, why: string): JobError {
  return new JobError("CONFIG", `cursor: model.id "${id}" ${why}`, { field: "model.id" });
}
