import { lineOf, type Measurement } from "../line.ts";
import { mailPastHangingHost, mailTwoHundred } from "../mail.ts";

export const measurement: Measurement = {
  name: "mail",
  measure: async () => [lineOf(await mailTwoHundred()), lineOf(await mailPastHangingHost())],
};
