import type { Clock } from '../clock.js';

/**
 * What the loop and the heartbeat's thread share about one lease.
 *
 * The loop reads the deadline in the very tick in which it calls a tool, when no message of the thread can have reached
 * it yet; so it lives in shared memory. Times are whole milliseconds; the deadline is measured from the moment a
 * renewal was sent, never from when it was confirmed.
 */
export class Slots {
  readonly buffer: SharedArrayBuffer;
  readonly #slots: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#slots = new BigInt64Array(buffer);
  }

  /** A lease was taken or renewed: `sent` is the monotonic time when the statement was sent. */
  renewed(sent: number, ttlMs: number, expiresAt: number): void {
    this.#store(0, sent + ttlMs);
    this.#store(1, expiresAt);
  }

  /** Whether the lease is unexpired by both clocks. */
  isLive(clock: Clock): boolean {
    return clock.monotonic() < this.deadline && clock.now() < this.#load(1);
  }

  /** The monotonic time at which the lease lapses, unless it is renewed. */
  get deadline(): number {
    return this.#load(0);
  }

  /** The monotonic time after which a call is given up on (contract L12); 0 for no bound. */
  set renewUntil(monotonic: number) {
    this.#store(2, monotonic);
  }

  get renewUntil(): number {
    return this.#load(2);
  }

  #store(slot: number, value: number): void {
    Atomics.store(this.#slots, slot, BigInt(Math.floor(value)));
  }

  #load(slot: number): number {
    return Number(Atomics.load(this.#slots, slot));
  }
}
