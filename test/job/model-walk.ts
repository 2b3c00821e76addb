import fc from "fast-check";
import { claims, directCheckpoints, failures, finishes, renewals } from "./model-claimant.ts";
import type { Command } from "./model-command.ts";
import { blocks, cancels, completions, handEdits, observations, releases, unblocks, updates } from "./model-owner.ts";
import { ticks } from "./model-tick.ts";
import { clockSteps, pages, promises } from "./model-world.ts";

/** How often each is drawn. What ends a walk, or makes it stand still, is rare, so that walks go deep. */
const WEIGHTED = [
  [22, ticks],
  [16, claims],
  [8, renewals],
  [12, finishes],
  [4, failures],
  [2, directCheckpoints],
  [18, clockSteps],
  [4, pages],
  [1, promises],
  [4, updates],
  [1, blocks],
  [3, unblocks],
  [2, releases],
  [1, cancels],
  [1, completions],
  [1, observations],
  [2, handEdits],
] as const;

export const sequences = fc.commands(
  WEIGHTED.flatMap(([weight, made]) => Array.from({ length: weight }, (): fc.Arbitrary<Command> => made)),
  { size: "max", maxCommands: 80 },
);
