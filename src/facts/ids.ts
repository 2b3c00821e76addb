import { randomBytes, randomUUID } from "node:crypto";

/** The one place that draws identities. Tests hand in a counter instead. */
export interface Ids {
  leaseId(): string;
  claimId(): string;
}

export const randomIds: Ids = {
  leaseId: () => `lease-${randomToken()}`,
  claimId: () => `claim-${randomToken()}`,
};

const TOKEN_BYTES = 12;

/** Chance is drawn for many tokens at once: asking the system for each was a twentieth of a tick that wakes ten thousand. */
const TOKENS_A_DRAW = 64;
let drawn = Buffer.alloc(0);
let used = 0;

/** 96 random bits in hex: two of them never meet, on any number of machines. */
export function randomToken(): string {
  if (used === drawn.length) {
    drawn = randomBytes(TOKEN_BYTES * TOKENS_A_DRAW);
    used = 0;
  }
  const from = used;
  used += TOKEN_BYTES;
  return drawn.toString("hex", from, used);
}

/** For programs that take no other form of id. */
export function randomUuid(): string {
  return randomUUID();
}
