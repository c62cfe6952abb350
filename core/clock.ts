/**
 * Where time comes from: a parameter everywhere, so that tests need not wait.
 *
 * The heartbeat lives in a thread of its own and must read the same clock, so a clock that is not the machine's keeps
 * its time in shared memory.
 */
export interface Clock {
  /** The wall clock, in epoch milliseconds. */
  now(): number;
  /** A clock that no one sets, in milliseconds from an arbitrary start; the same in every thread of the process. */
  monotonic(): number;
  /** What a thread needs to read the same clock; null for the machine's own. */
  readonly shared: SharedArrayBuffer | null;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  shared: null,
};

/** A clock that stands still until it is told. Its wall and its monotonic time can be moved apart. */
export class ManualClock implements Clock {
  readonly shared: SharedArrayBuffer;
  readonly #times: Float64Array;

  constructor(start: number | SharedArrayBuffer = Date.UTC(2026, 0, 1)) {
    this.shared = typeof start === 'number' ? new SharedArrayBuffer(16) : start;
    this.#times = new Float64Array(this.shared);
    if (typeof start === 'number') this.#times[0] = start;
  }

  now(): number {
    return this.#times[0] ?? 0;
  }

  monotonic(): number {
    return this.#times[1] ?? 0;
  }

  /** Both clocks go on. */
  advance(ms: number): void {
    this.#times[0] = this.now() + ms;
    this.#times[1] = this.monotonic() + ms;
  }

  /** Somebody sets the wall clock; the monotonic one does not notice. */
  setWall(now: number): void {
    this.#times[0] = now;
  }
}

/** The clock that another thread shared. */
export function sharedClock(shared: SharedArrayBuffer | null): Clock {
  return shared ? new ManualClock(shared) : systemClock;
}
