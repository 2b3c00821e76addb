/**
 * What went wrong between an agent and its model (contract §11).
 *
 * - auth: the API refused the key, or the account behind it has no money left; a person must act
 * - rate_limit: too many requests; later it may work
 * - refused: the API or its model will not do what was asked
 * - context: the request is larger than the model takes
 * - budget: the run's tokens are used up, or can no longer be counted
 * - network: no usable answer came, or it broke off
 * - server: the API failed or is overloaded
 */
export type ErrorKind = "auth" | "rate_limit" | "refused" | "context" | "budget" | "network" | "server";
