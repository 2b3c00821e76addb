import { ForkedProgram } from "./forked-program.ts";

/** Processes of one program that are armed one by one and released together. Killed when its `using` block ends. */
export class Crowd<Order extends object, Answer> implements AsyncDisposable {
  readonly #members: readonly ForkedProgram<Answer | "armed">[];

  constructor(members: readonly ForkedProgram<Answer | "armed">[]) {
    this.#members = members;
  }

  /** Members that differ in nothing. */
  static alike<Order extends object, Answer>(size: number, program: string, ...args: readonly string[]): Crowd<Order, Answer> {
    return new Crowd(Array.from({ length: size }, () => new ForkedProgram(program, ...args)));
  }

  /** Each member does its order: nobody goes before all are armed. Gives the answers in the order of the orders. */
  async race(orders: readonly Order[]): Promise<Answer[]> {
    const racing = this.#members.slice(0, orders.length);
    for (const [i, member] of racing.entries()) member.tell(orders[i] ?? {});
    const armed = await Promise.all(racing.map((member) => member.hear()));
    if (racing.length < orders.length || armed.some((word) => word !== "armed"))
      throw new Error(`armed: ${JSON.stringify(armed)}`);
    for (const member of racing) member.tell("go");
    return Promise.all(
      racing.map(async (member) => {
        const answer = await member.hear();
        if (answer === undefined || answer === "armed") throw new Error(`a member answered ${answer}`);
        return answer;
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => member.kill()));
  }
}
