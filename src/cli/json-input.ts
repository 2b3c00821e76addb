import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { JobError } from "../errors/job-error.ts";
import { JOB_DEPTH_MAX } from "../job/limits.ts";
import { decodeText } from "../json/decode-text.ts";
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { parseLossless } from "../json/lossless-json.ts";
import { parseJson } from "../json/parse-json.ts";
import { describeRepeatedKey, findRepeatedKey } from "../json/repeated-key.ts";
import type { Environment } from "./environment.ts";

/** The text that an argument names: itself where it is JSON, standard input for `-`, else a file. Throws JobError USAGE. */
export function readInput(argument: string, environment: Environment): string {
  const isJson = /^\s*(?:[{["]|-?\d|(?:true|false|null)\s*$)/.test(argument);
  return isJson ? argument : readText(argument, environment);
}

/** The text of a file, or of standard input for `-`. Throws JobError USAGE. */
export function readText(argument: string, environment: Environment): string {
  let bytes: Buffer;
  try {
    bytes = argument === "-" ? environment.stdin() : readFileSync(resolve(environment.cwd, argument));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    if (argument === "-") throw new JobError("USAGE", `standard input cannot be read: ${why}; pipe the JSON in`, { cause });
    throw new JobError("USAGE", `${argument}: is neither JSON nor a file that can be read: ${why}`, { file: argument, cause });
  }
  const text = decodeText(bytes);
  if (text === undefined) throw new JobError("SCHEMA", `${nameOf(argument)}: is not UTF-8; save or pipe it as UTF-8`);
  return text;
}

/** A JSON object from an argument, a file or standard input. Throws JobError SCHEMA that says where it came from. */
export function readObject(argument: string, environment: Environment): JsonObject {
  return requireObject(readInput(argument, environment), nameOf(argument));
}

/** Throws JobError SCHEMA for a text that is no JSON object. */
export function requireObject(text: string, source: string): JsonObject {
  const value = requireJson(text, source);
  if (!isJsonObject(value)) throw new JobError("SCHEMA", `${source}: is not a JSON object`);
  return value;
}

/** Parses JSON, numbers kept as written. Throws JobError SCHEMA. */
export function requireJson(text: string, source: string): Json {
  const body = text.replace(/^\uFEFF/, "");
  let plain: Json;
  try {
    plain = parseJson(body);
  } catch (cause) {
    throw new JobError("SCHEMA", `${source}: is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (isDeeperThan(plain, JOB_DEPTH_MAX))
    throw new JobError("SCHEMA", `${source}: nests deeper than ${JOB_DEPTH_MAX} levels; flatten it`);
  const repeated = findRepeatedKey(body);
  if (repeated !== undefined) {
    const field = repeated.path.join(".");
    throw new JobError("SCHEMA", `${source}: ${describeRepeatedKey(repeated)}; keep one`, { field });
  }
  return parseLossless(body);
}

const SOURCE_CHARACTERS_MAX = 60;

function nameOf(argument: string): string {
  if (argument === "-") return "standard input";
  return argument.length <= SOURCE_CHARACTERS_MAX ? argument : `${argument.slice(0, SOURCE_CHARACTERS_MAX)}…`;
}
