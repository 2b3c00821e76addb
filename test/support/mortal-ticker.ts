import { tickEveryDecision } from "./every-decision.ts";
import { KillPoints, type Moment } from "./kill-points.ts";

/** Ticks a directory and dies of SIGKILL, by its own hand, at the call that it is told. Says so if it outlives it. */
const [directory = "", point = "", moment = ""] = process.argv.slice(2);

const points = new KillPoints(Number(point), moment as Moment, () => {
  process.kill(process.pid, "SIGKILL");
  throw new Error("still alive after SIGKILL");
});
await tickEveryDecision(directory, { points });
process.send?.("survived");
