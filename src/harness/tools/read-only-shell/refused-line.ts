/** Why a line is not run, in words for the model. Thrown inside this folder, and caught at its door. */
export class RefusedLine extends Error {}
