/** Whether a death comes instead of the call, or when the call has done its work and nobody has heard of it yet. */
export type Moment = "before" | "after";

/**
 * Makes every call of every wrapped port a point at which the caller may die. Calls are counted over all ports together,
 * from 1, in the order in which they are made.
 */
export class KillPoints {
  readonly #point: number;
  readonly #moment: Moment;
  readonly #die: () => never;
  /** The calls that were made, by name. */
  readonly called = new Set<string>();
  #calls = 0;
  #isDead = false;

  /** `die` ends the process, or throws; then every later call throws too, as a dead process makes none. */
  constructor(point: number, moment: Moment, die: () => never) {
    this.#point = point;
    this.#moment = moment;
    this.#die = die;
  }

  get calls(): number {
    return this.#calls;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** The same port, and what its calls hand out is wrapped as well. */
  wrap<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => this.#call(String(name), () => Reflect.apply(member, target, args));
      },
    });
  }

  #call(name: string, call: () => unknown): unknown {
    if (this.#isDead) this.#kill();
    this.called.add(name);
    this.#calls += 1;
    const isHere = this.#calls === this.#point;
    if (isHere && this.#moment === "before") this.#kill();
    const after = (result: unknown): unknown => {
      if (isHere || this.#isDead) this.#kill();
      return hasCalls(result) ? this.wrap(result) : result;
    };
    let result: unknown;
    try {
      result = call();
    } catch (refusal) {
      after(undefined);
      throw refusal;
    }
    return result instanceof Promise ? result.then(after) : after(result);
  }

  #kill(): never {
    this.#isDead = true;
    return this.#die();
  }
}

/** A record of functions is a port of its own: pages at a commit. */
function hasCalls(result: unknown): result is object {
  return Object.prototype.toString.call(result) === "[object Object]" && Object.values(result ?? {}).some(isFunction);
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Thrown where a death is played inside the process. Nothing in the sources knows it. */
export class Crash extends Error {}
