import fc from "fast-check";
import { noGit } from "../support/fake-pages.ts";
import { NOON } from "../support/noon.ts";
import { ADDRESSES, type Command, command, type Model } from "./model-command.ts";

/** Clocks jump: by some seconds, either way, or to a moment at which an answer changes. */
export const clockSteps = fc.oneof(
  fc
    .constantFrom(1, 1, 30, 59, 60, 61, 120, 600, 899, 900, 3600, 86_400, -1, -60, -3600, -86_400)
    .map((seconds) => clockStep(`clock ${seconds > 0 ? "+" : ""}${seconds}`, ({ world }) => world.now + seconds)),
  fc
    .record({
      moment: fc.constantFrom("next wake", "next wake", "lease end", "lease end", "grace end", "deadline"),
      plus: fc.constantFrom(-1, 0, 0, 1),
    })
    .map(({ moment, plus }) =>
      clockStep(`clock to ${moment} ${plus}`, ({ job, world }) => {
        const to = {
          "next wake": job.nextWakeAt,
          "lease end": job.lease?.until,
          "grace end": graceEnd(job),
          deadline: job.deadline,
        }[moment];
        return (to ?? world.now) + plus;
      }),
    ),
);

/** Of mail that failed never, or where the clock went back since it failed. */
const graceEnd = ({ offers }: Model["job"]): number => (offers.at(-1)?.at ?? NOON) + 60;

function clockStep(name: string, to: (model: Model) => number): Command {
  return command(
    name,
    (model) => {
      model.world.now = to(model);
    },
    async ({ fleet }, model) => fleet.clock.set(to(model)),
  );
}

export const pages = fc.oneof(
  fc.record({ address: fc.constantFrom(...ADDRESSES), stands: fc.boolean() }).map(({ address, stands }) =>
    command(
      `page ${address} ${stands ? "appears" : "vanishes"}`,
      ({ world }) => {
        world.pages[stands ? "add" : "delete"](address);
      },
      async ({ fleet }) => {
        fleet.pages.durable[stands ? "add" : "delete"](address);
      },
    ),
  ),
  fc.boolean().map((canTell) =>
    command(
      `git ${canTell ? "can" : "cannot"} tell`,
      ({ world }) => {
        world.canTell = canTell;
      },
      async ({ fleet }) => {
        fleet.pages.failure = canTell ? undefined : noGit();
      },
    ),
  ),
);

export const promises = fc.boolean().map((mails) =>
  command(
    `the config ${mails ? "has an" : "loses its"} ntfy section`,
    ({ world }) => {
      world.mails = mails;
    },
    async () => undefined,
  ),
);
