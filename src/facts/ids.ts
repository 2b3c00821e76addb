import { randomBytes } from "node:crypto";

/** The one place that draws identities. Tests hand in a counter instead. */
export interface Ids {
  leaseId(): string;
  claimId(): string;
}

export const randomIds: Ids = {
  leaseId: () => `lease-${randomToken()}`,
  claimId: () => `claim-${randomToken()}`,
};

/** 96 random bits in hex: two of them never meet, on any number of machines. */
export function randomToken(): string {
  return randomBytes(12).toString("hex");
}
