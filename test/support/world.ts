import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  Client,
  Runtime,
  type Class,
  type ClientOptions,
  type Run,
  type RunEvent,
  type RuntimeOptions,
} from 'holdpoint';
import { ManualClock } from '../../core/clock.js';
import type { Engine } from '../../core/engine/engine.js';
import type { Store } from '../../core/store/store.js';
import { TEMP_PREFIX } from './temp-prefix.js';

/** The lease length of runtimes that a world opens: no heartbeat is due within a test. */
export const TTL_MS = 60_000;

/** Thrown by the store of a runtime that was told to die: nothing after it is committed. */
export class Died extends Error {
  constructor() {
    super('the process died here');
  }
}

/** A runtime as a test holds it: it can be killed at a commit, which leaves the rows that a dead process leaves. */
export interface Mortal {
  readonly runtime: Runtime;
  readonly store: Store;
  /** Its events, as its observer was told. */
  readonly events: RunEvent[];
  /** Dies after this many further commits. */
  dieAfter(commits: number): void;
  /** Commits since it was opened. */
  commits(): number;
}

/** One store in a folder of its own, a clock that stands still, and the runtimes and clients on it. */
export class World {
  readonly dir = mkdtempSync(join(tmpdir(), TEMP_PREFIX));
  readonly file = join(this.dir, 'runs.db');
  readonly clock = new ManualClock();
  readonly #open: { close(): Promise<void> }[] = [];

  /**
   * A runtime on the store, as another process would open it. Its policy allows everything unless given.
   *
   * It has a heartbeat if a store, a clock or a lease is given. Otherwise there is none, and none would be due: but its
   * thread, if it is up only after the test has moved the clock, would tell that the lease has lapsed.
   */
  async open(agents: readonly Class[], options: Partial<RuntimeOptions> = {}): Promise<Mortal> {
    const events: RunEvent[] = [];
    const runtime = await Runtime.open({
      store: this.file,
      agents,
      policy: () => ({ kind: 'allow' }),
      lease: { ttlMs: TTL_MS, owner: 'test' },
      clock: this.clock,
      observer: (event) => events.push(event),
      ...options,
    });
    this.#open.push(runtime);
    const opened = mortal(runtime, events);
    const { store, clock, lease } = options;
    if (!store && !clock && !lease) withoutHeartbeat(opened);
    return opened;
  }

  async client(options: Partial<ClientOptions> = {}): Promise<Client> {
    const client = await Client.open({ store: this.file, clock: this.clock, ...options });
    this.#open.push(client);
    return client;
  }

  /** A connection past the SDK, e.g. to damage a row. Closed with the world. */
  sql(): Database.Database {
    const db = new Database(this.file);
    this.atClose(() => {
      db.close();
    });
    return db;
  }

  /** Done before the world closes, last asked first. */
  atClose(action: () => unknown): void {
    this.#open.push({
      close: async () => {
        await action();
      },
    });
  }

  /** The lease of whoever died runs out. */
  expireLeases(): void {
    this.clock.advance(TTL_MS + 1);
  }

  /** Closes what is open, newest first; the folder stays. */
  async release(): Promise<void> {
    for (const open of this.#open.splice(0).reverse()) await open.close();
  }

  /** Closes what is open, and removes the folder. */
  async close(): Promise<void> {
    await this.release();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Nothing renews its leases. To be said before it takes one. */
export function withoutHeartbeat({ runtime }: Mortal): void {
  const { heartbeat } = engineOf(runtime).options;
  if (Reflect.get(heartbeat, 'beats') !== true) throw new Error('a heartbeat has no member beats any more');
  Reflect.set(heartbeat, 'beats', false);
}

function engineOf(runtime: Runtime): Engine {
  return (runtime as unknown as { engine: Engine }).engine;
}

function mortal(runtime: Runtime, events: RunEvent[]): Mortal {
  const { store } = engineOf(runtime);
  const transaction = store.transaction.bind(store);
  let left = Infinity;
  let done = 0;
  store.transaction = async (work) => {
    if (left <= 0) throw new Died();
    const result = await transaction(work);
    left -= 1;
    done += 1;
    return result;
  };
  return {
    runtime,
    store,
    events,
    dieAfter: (commits) => {
      left = commits;
    },
    commits: () => done,
  };
}

/** What a promise rejects with; fails the test if it does not. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was expected to reject');
}

/** The types of a run's events, in order. */
export async function trail(client: Client, run: Run | string): Promise<string[]> {
  const id = typeof run === 'string' ? run : run.id;
  return (await client.runs.events(id, { limit: 1000 })).map((event) => event.type);
}
