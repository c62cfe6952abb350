import type { Clock } from '../clock.js';
import { BEATS_PER_TTL } from './renew.js';
import { Slots } from './slots.js';

/**
 * Renews those of the given runs that are still the owner's and unexpired, and says until when.
 *
 * It reads the wall clock once it holds the database's lock: one that read it before might wait, and then revive a lease
 * that has lapsed meanwhile, or shorten one that was taken anew.
 */
export type Renew = (runIds: readonly string[]) => Renewal | Promise<Renewal>;

export interface Renewal {
  readonly runIds: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface BeatOptions {
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly renew: Renew;
  /** A lease is gone, or lapsed. It is not renewed again. */
  readonly onLost: (key: number) => void;
}

/** One lease that is kept. Its key is never used again, so a late report of an older hold on the run cannot hit it. */
interface Kept {
  readonly runId: string;
  readonly slots: Slots;
}

/** The leases that one runtime holds, and one beat of all of them. The same code beats in the thread and in memory. */
export class Beat {
  readonly #kept = new Map<number, Kept>();

  constructor(private readonly options: BeatOptions) {}

  hold(key: number, runId: string, buffer: SharedArrayBuffer): void {
    this.#kept.set(key, { runId, slots: new Slots(buffer) });
  }

  drop(key: number): void {
    this.#kept.delete(key);
  }

  /**
   * Renews every lease that is still to be renewed, and reports those that are lost.
   *
   * One that fails as a whole is no loss: the deadlines stand, and the next beat tries again.
   */
  async beat(): Promise<void> {
    const { clock, ttlMs, renew } = this.options;
    const sent = clock.monotonic();
    const asked = this.#asked(sent);
    if (asked.length > 0) {
      const { runIds, expiresAt } = await renew(asked.map(([, { runId }]) => runId));
      const renewed = new Set(runIds);
      for (const [key, { runId, slots }] of asked) {
        if (renewed.has(runId)) slots.renewed(sent, ttlMs, expiresAt);
        else this.#lose(key);
      }
    }
    this.expire();
  }

  /**
   * What is to be renewed: not a call past its bound (contract L12). Where every call of the process is past its bound,
   * the process hangs in one of them, and none of its runs goes on: a loop that lives ends a call at its timeout.
   */
  #asked(now: number): [number, Kept][] {
    const kept = [...this.#kept];
    const inTime = kept.filter(([, { slots }]) => slots.renewUntil === 0 || now < slots.renewUntil);
    const hangs = inTime.length < kept.length && inTime.every(([, { slots }]) => slots.renewUntil === 0);
    return hangs ? [] : inTime;
  }

  /** Milliseconds until the first beat is due, however long it took to come here: as if it had begun with the lease. */
  dueIn(): number {
    const { clock, ttlMs } = this.options;
    const deadlines = [...this.#kept.values()].map(({ slots }) => slots.deadline);
    const late = ttlMs - ttlMs / BEATS_PER_TTL;
    return Math.max(0, Math.min(ttlMs / BEATS_PER_TTL, Math.min(...deadlines) - late - clock.monotonic()));
  }

  /** Reports the leases that lapsed unrenewed. */
  expire(): void {
    for (const [key, { slots }] of this.#kept) if (!slots.isLive(this.options.clock)) this.#lose(key);
  }

  /** Unless it was dropped meanwhile: what the loop has released is not lost (F10). */
  #lose(key: number): void {
    if (this.#kept.delete(key)) this.options.onLost(key);
  }
}

/** What the thread is started with. */
export interface ThreadData {
  readonly database: string;
  /** Where the driver's native part is, if not where it looks itself. */
  readonly nativeBinding: string | null;
  readonly owner: string;
  readonly ttlMs: number;
  readonly clock: SharedArrayBuffer | null;
}

export type ToThread =
  | { readonly kind: 'hold'; readonly key: number; readonly runId: string; readonly buffer: SharedArrayBuffer }
  | { readonly kind: 'drop'; readonly key: number }
  | { readonly kind: 'stop' };

export interface FromThread {
  readonly lost: number;
}
