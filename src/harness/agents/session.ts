import { isJsonObject, type JsonObject, numberText } from "../../json/json.ts";
import type { AgentSession, CommandAgent } from "./agent.ts";

/**
 * The session that a checkpoint holds for this agent (contract §11); undefined where there is none, or nothing that could be
 * one. A checkpoint is outside input: an earlier run wrote it.
 */
export function sessionIn(
  checkpoint: JsonObject,
  { name, sessions }: Pick<CommandAgent, "name" | "sessions">,
): AgentSession | undefined {
  const held = Object.hasOwn(checkpoint, "session") ? checkpoint["session"] : undefined;
  if (sessions === undefined || !isJsonObject(held)) return undefined;
  const { agent, id } = held;
  if (agent !== name || typeof id !== "string" || !sessions.id.test(id)) return undefined;
  const tokens = Number(numberText(held["tokens"]) ?? Number.NaN);
  return { agent, id, ...(Number.isSafeInteger(tokens) && tokens >= 0 && { tokens }) };
}

/** The checkpoint with the session in which the next run goes on, whatever the run itself wrote there. */
export function withSession(checkpoint: JsonObject, session: AgentSession | undefined): JsonObject {
  return session === undefined ? checkpoint : { ...checkpoint, session: { ...session } };
}
