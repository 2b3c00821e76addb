import { KillPoints, type Moment } from "./kill-points.ts";
import { OneLife } from "./one-life.ts";

/** Lives through a job and dies of SIGKILL, by its own hand, at the call that it is told. Says so if it outlives it. */
const [jobs = "", outside = "", point = "", moment = ""] = process.argv.slice(2);

const points = new KillPoints(Number(point), moment as Moment, () => {
  process.kill(process.pid, "SIGKILL");
  throw new Error("still alive after SIGKILL");
});
await new OneLife({ jobs, outside }, { points }).live();
process.send?.("survived");
