import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "../../support/git.ts";
import { jobIds } from "../bench-jobs.ts";
import type { Line, Measurement } from "../line.ts";
import { milliseconds } from "../machine.ts";
import { median } from "../median.ts";
import { timed } from "../timed.ts";
import { gitFleetAt, wokenGitFleet } from "../woken-git-fleet.ts";

const CLAIMS = 40;
const CLONES = [1, 2, 4, 8] as const;
const CLAIMS_PER_CLONE = 10;

/** Claims through a local bare remote: one at a time, and of several clones at once. */
export const measurement: Measurement = {
  name: "git-claim",
  measure: async (_machine, { thoroughness }) => [
    await againstPlainPush(Math.ceil(CLAIMS * thoroughness)),
    ...(await perSecond(Math.ceil(CLAIMS_PER_CLONE * thoroughness))),
  ],
};

/** In one process, against plain add, commit and push of one file in another clone. */
async function againstPlainPush(claims: number): Promise<Line> {
  const [warmUp = "", ...ids] = jobIds(claims + 1);
  const { remote, claim } = await wokenGitFleet([warmUp, ...ids]);
  const [fleet, plain] = [await gitFleetAt(remote.clone()), remote.clone()];
  const push = (text: string): void => {
    writeFileSync(join(plain, "note.md"), text);
    git(plain, "add", "note.md");
    git(plain, "commit", "-q", "-m", text);
    git(plain, "push", "-q", "origin", "HEAD:plain");
  };
  await claim(fleet, warmUp);
  push(warmUp);
  const [claimTimes, pushTimes]: [number[], number[]] = [[], []];
  // In turn, so that a machine that slows down slows both.
  for (const jobId of ids) {
    claimTimes.push(await timed(() => claim(fleet, jobId)));
    pushTimes.push(await timed(() => push(jobId)));
  }
  const [claimMs, pushMs] = [median(claimTimes), median(pushTimes)];
  return {
    title: "claim through a local bare git remote / git add, commit, push of one file",
    measured: milliseconds(claimMs),
    floor: milliseconds(pushMs),
    ratio: claimMs / pushMs,
    limit: 1.5,
  };
}

/** Claims per second of so many clones at once, each with jobs of its own, against one clone alone. */
async function perSecond(claimsPerClone: number): Promise<readonly Line[]> {
  const rates: { readonly clones: number; readonly rate: number }[] = [];
  for (const clones of CLONES) {
    const ids = jobIds(clones * claimsPerClone);
    const { remote, claim } = await wokenGitFleet(ids);
    const fleets = await Promise.all(Array.from({ length: clones }, () => gitFleetAt(remote.clone())));
    const ms = await timed(() =>
      Promise.all(
        fleets.map(async (fleet, i) => {
          for (const jobId of ids.slice(i * claimsPerClone, (i + 1) * claimsPerClone)) await claim(fleet, jobId);
        }),
      ),
    );
    rates.push({ clones, rate: (ids.length * 1000) / ms });
  }
  const alone = rates[0]?.rate ?? Number.NaN;
  return rates.slice(1).map(({ clones, rate }) => ({
    title: `claims of ${clones} clones at once / of one`,
    measured: `${rate.toFixed(1)} per second`,
    floor: `${alone.toFixed(1)} per second`,
    ratio: rate / alone,
  }));
}
