import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { JobError } from "../../errors/job-error.ts";
import { CHECKPOINT_BYTES_MAX } from "../../job/limits.ts";
import { isJsonObject, type JsonObject } from "../../json/json.ts";
import { fromPlain } from "../../json/plain-json.ts";
import { failure, type Tool, type ToolResult, text } from "./tool.ts";

/** A submission's greatest size in bytes of JSON: it has to fit where a checkpoint does. */
export const SUBMISSION_BYTES_MAX = CHECKPOINT_BYTES_MAX;

/** Faults of one submission that are told; a model that is told hundreds mends none. */
const FAULTS_MAX = 10;

export interface SubmissionOptions {
  /** The JSON Schema of what is to be submitted, an object. Draft 2020-12, or draft 7 where `$schema` names that. */
  readonly schema: JsonObject;
  /** What no schema says: why an output of the right type is not taken. */
  readonly check?: ((output: JsonObject) => string | undefined) | undefined;
  /** The rejection that is the last. */
  readonly rejectionsMax: number;
  /** Called before the call is answered, never once an earlier submission was accepted. */
  readonly onVerdict: (verdict: "accepted" | "rejected") => void;
}

/** What a run submits: at most one output, of the type that was asked for (contract §12). */
export class Submission {
  readonly tool: Tool;
  readonly #options: SubmissionOptions;
  readonly #isValid: ValidateFunction;
  #output: JsonObject | undefined;
  #rejections = 0;

  /** Throws JobError SCHEMA for a schema that is none, or not one of an object. */
  constructor(options: SubmissionOptions) {
    this.#options = options;
    this.#isValid = compile(options.schema);
    this.tool = {
      name: "submit",
      description: "Submits your result. Call it once, when the work is over; after that only end your turn.",
      inputSchema: options.schema,
      call: async (input) => this.#judge(input),
    };
  }

  /** What was accepted; undefined as long as nothing was. */
  get output(): JsonObject | undefined {
    return this.#output;
  }

  #judge(input: unknown): ToolResult {
    if (this.#output !== undefined) return failure("Your first submission was accepted and stands. Submit nothing more.");
    if (this.#rejections >= this.#options.rejectionsMax) return failure("No submission is left.");
    const checked = this.#check(input);
    if (typeof checked !== "string") {
      this.#output = checked;
      this.#options.onVerdict("accepted");
      return text("Accepted. The work is over: end your turn.");
    }
    this.#rejections++;
    this.#options.onVerdict("rejected");
    const left = this.#options.rejectionsMax - this.#rejections;
    const next = left === 0 ? "No submission is left." : `Mend it and submit again; tries left: ${left}.`;
    return failure(`Rejected: ${checked}. ${next}`);
  }

  /** The output; or what is wrong with it. */
  #check(input: unknown): JsonObject | string {
    try {
      const output = fromPlain(input, undefined, "the submission");
      if (!isJsonObject(output)) return "the submission must be an object";
      const bytes = Buffer.byteLength(JSON.stringify(output));
      if (bytes > SUBMISSION_BYTES_MAX) return `it is ${bytes} bytes; at most ${SUBMISSION_BYTES_MAX} are taken`;
      if (!this.#isValid(input)) return faultsOf(this.#isValid);
      return this.#options.check?.(output) ?? output;
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      return error.message;
    }
  }
}

function compile(schema: JsonObject): ValidateFunction {
  if (schema["type"] !== "object") {
    throw new JobError("SCHEMA", 'the schema of a submission must be that of an object; say "type": "object" in it');
  }
  const options = { allErrors: true, strict: false, validateFormats: false, logger: false } as const;
  const isDraft7 = String(schema["$schema"]).includes("draft-07");
  try {
    return (isDraft7 ? new Ajv(options) : new Ajv2020(options)).compile(schema);
  } catch (cause) {
    throw new JobError("SCHEMA", `the schema of a submission is no JSON Schema that can be used: ${String(cause)}`, { cause });
  }
}

function faultsOf({ errors }: ValidateFunction): string {
  const faults = (errors ?? []).map(({ instancePath, message, params }) => {
    const what = "additionalProperty" in params ? `${message}: ${params["additionalProperty"]}` : message;
    return `${instancePath === "" ? "the submission" : instancePath} ${what}`;
  });
  const told = [...new Set(faults)].slice(0, FAULTS_MAX);
  return faults.length > FAULTS_MAX ? `${told.join("; ")}; and more` : told.join("; ");
}
