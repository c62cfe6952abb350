import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../clock.js';
import { LeaseLostError } from '../errors.js';
import type { Lease } from '../model/run.js';
import type { Store } from '../store/store.js';
import { MEMORY } from '../store/location.js';
import { Beat, type FromThread, type Renewal, type ThreadData, type ToThread } from './beat.js';
import { BEATS_PER_TTL, RENEW_SQL } from './renew.js';
import { Slots } from './slots.js';

/** One lease that this process holds and keeps renewing. */
export class Hold {
  readonly slots = new Slots();
  readonly #lost = new AbortController();

  constructor(
    readonly key: number,
    readonly runId: string,
    readonly owner: string,
    private readonly clock: Clock,
    private readonly onDrop: () => void,
  ) {}

  /** Aborted with a `LeaseLostError` once the heartbeat finds the lease gone or lapsed. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Throws unless the lease is unexpired by the wall and the monotonic clock, as known in this very tick (contract L4).
   *
   * @throws LeaseLostError
   */
  assertLive(): void {
    if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
    if (!this.slots.isLive(this.clock)) throw this.#error('it expired before it could be renewed');
  }

  /**
   * Throws if the call that ends now is past its bound and its lease with it: whoever hung so long was a dead process
   * meanwhile, and what it brings is late (contract L12, L8).
   *
   * @throws LeaseLostError
   */
  assertInTime(): void {
    if (this.clock.monotonic() < this.slots.renewUntil || this.slots.isLive(this.clock)) return;
    throw this.#error('its call took longer than its timeout and a lease length');
  }

  /** A call begins: it is kept alive up to its timeout plus one lease length (contract L12). */
  boundCall(timeoutMs: number, ttlMs: number): void {
    this.slots.renewUntil = this.clock.monotonic() + timeoutMs + ttlMs;
  }

  /** The call is over. */
  unboundCall(): void {
    this.slots.renewUntil = 0;
  }

  /** The heartbeat found the lease gone, or renews it no more. */
  lose(why: string): void {
    this.#lost.abort(this.#error(why));
  }

  /** Stops renewing; what the heartbeat finds after that is no loss. */
  drop(): void {
    this.onDrop();
  }

  #error(why: string): LeaseLostError {
    return new LeaseLostError(this.runId, this.owner, why);
  }
}

/** What renews the leases: a thread, or for a `:memory:` store the shared connection. */
interface Beating {
  send(message: ToThread): void;
  close(): Promise<void>;
}

/** Renews the leases of one runtime. Its thread starts with the first of them. */
export class Heartbeat {
  readonly #holds = new Map<number, Hold>();
  #lastKey = 0;
  #beating: Beating | null = null;

  /** @param beats false for a store whose clock stands still: nothing would ever be renewed */
  constructor(
    private readonly store: Store,
    readonly owner: string,
    readonly ttlMs: number,
    private readonly beats = true,
  ) {}

  /** A lease of this runtime that begins now. */
  lease(at: number): Lease {
    return { owner: this.owner, expiresAt: at + this.ttlMs };
  }

  /**
   * Keeps a lease that was just taken.
   *
   * @param sent the monotonic time when the statement that took it was sent
   */
  hold(runId: string, lease: Lease, sent: number): Hold {
    const key = (this.#lastKey += 1);
    const hold = new Hold(key, runId, this.owner, this.store.clock, () => {
      this.#drop(key);
    });
    hold.slots.renewed(sent, this.ttlMs, lease.expiresAt);
    this.#holds.set(key, hold);
    if (!this.beats) return hold;
    this.#beating ??= this.store.database === MEMORY ? this.#inMemory() : this.#inThread();
    this.#beating.send({ kind: 'hold', key, runId, buffer: hold.slots.buffer });
    return hold;
  }

  /** Ends the thread, by message; every hold must have been dropped. */
  async close(): Promise<void> {
    await this.#beating?.close();
    this.#beating = null;
  }

  #drop(key: number): void {
    if (this.#holds.delete(key)) this.#beating?.send({ kind: 'drop', key });
  }

  #lost(key: number, why = 'it was taken over or expired'): void {
    const hold = this.#holds.get(key);
    this.#holds.delete(key);
    hold?.lose(why);
  }

  #inThread(): Beating {
    const { database, nativeBinding, clock } = this.store;
    const { owner, ttlMs } = this;
    const workerData: ThreadData = { database, nativeBinding, owner, ttlMs, clock: clock.shared };
    const worker = new Worker(new URL('./heartbeat-thread.js', import.meta.url), { workerData });
    const exited = once(worker, 'exit').catch(() => undefined);
    worker.on('message', ({ lost }: FromThread) => {
      this.#lost(lost);
    });
    // A thread that failed renews nothing more: nobody may go on as if it did.
    worker.on('error', ({ message }) => {
      this.#beating = null;
      for (const key of [...this.#holds.keys()]) this.#lost(key, `the heartbeat failed: ${message}`);
    });
    worker.unref();
    return {
      send: (message) => {
        worker.postMessage(message);
      },
      close: async () => {
        worker.ref();
        worker.postMessage({ kind: 'stop' } satisfies ToThread);
        await exited;
      },
    };
  }

  #inMemory(): Beating {
    const beat = new Beat({
      ttlMs: this.ttlMs,
      clock: this.store.clock,
      renew: (runIds) => this.#renewInMemory(runIds),
      onLost: (key) => {
        this.#lost(key);
      },
    });
    const timer = setInterval(() => void beat.beat().catch(() => undefined), this.ttlMs / BEATS_PER_TTL);
    timer.unref();
    return {
      send: (message) => {
        if (message.kind === 'hold') beat.hold(message.key, message.runId, message.buffer);
        else if (message.kind === 'drop') beat.drop(message.key);
      },
      close: () => {
        clearInterval(timer);
        return Promise.resolve();
      },
    };
  }

  #renewInMemory(runIds: readonly string[]): Promise<Renewal> {
    return this.store.transaction(async (sql) => {
      const now = this.store.clock.now();
      const expiresAt = now + this.ttlMs;
      const { records } = await sql.query(RENEW_SQL, [expiresAt, this.owner, now, JSON.stringify(runIds)]);
      return { runIds: records.map((record) => String(record.id)), expiresAt };
    });
  }
}
