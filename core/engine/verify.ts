import { eventHash, GENESIS_HASH, type StoredEvent } from '../model/event.js';
import type { Run } from '../model/run.js';
import { loadRun, loadRuns, type Page } from '../store/reads.js';
import type { Store } from '../store/store.js';

/** The first thing that does not fit. */
export interface ChainFault {
  readonly runId: string;
  /** Place in the run of the first event that does not fit, or that is missing. */
  readonly index: number;
  readonly message: string;
  readonly expected: string;
  readonly found: string;
}

/** What a verification found. */
export interface Verification {
  readonly ok: boolean;
  readonly runs: number;
  readonly events: number;
  readonly fault: ChainFault | null;
}

type StoredRow = StoredEvent & { readonly hash: string };

const PAGE = 500;

/**
 * Recomputes the hash chain of one run, or of all, a page at a time (contract S11).
 *
 * @param head a hash that was kept elsewhere: the run's chain must still hold it, or it was cut short
 */
export async function verify(store: Store, runId: string | null, head: string | null): Promise<Verification> {
  let runs = 0;
  let events = 0;
  for await (const run of runsOf(store, runId)) {
    const checked = await verifyRun(store, run, head);
    runs += 1;
    events += checked.events;
    if (checked.fault) return { ok: false, runs, events, fault: checked.fault };
  }
  return { ok: true, runs, events, fault: null };
}

async function* runsOf(store: Store, runId: string | null): AsyncGenerator<Run> {
  if (runId !== null) {
    yield store.read((sql) => loadRun(store, sql, runId));
    return;
  }
  let cursor: Page = { limit: PAGE };
  for (;;) {
    const page = await store.read((sql) => loadRuns(store, sql, {}, cursor));
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    cursor = { after: last.seq, limit: PAGE };
  }
}

/** Walks one run's chain until its row says that there is no more of it; a living run may grow meanwhile. */
async function verifyRun(
  store: Store,
  { id }: Run,
  head: string | null,
): Promise<{ events: number; fault: ChainFault | null }> {
  const chain = new Chain(id, head);
  for (;;) {
    const run = await store.read((sql) => loadRun(store, sql, id));
    // The first page has no lower bound: an event put before the first one is shown like any other, and is found here.
    const after = chain.length === 0 ? {} : { after: chain.length };
    const page = await store.read((sql) =>
      store.tables.events.find(sql, { runId: id }, { by: 'index', ...after, limit: PAGE }),
    );
    const fault = chain.add(page) ?? (page.length === 0 ? chain.end(run) : null);
    if (fault || page.length === 0) return { events: chain.length, fault };
  }
}

/** The part of a chain that was walked and fits. */
class Chain {
  length = 0;
  #previous = GENESIS_HASH;
  #headSeen: boolean;

  constructor(
    private readonly runId: string,
    private readonly head: string | null,
  ) {
    this.#headSeen = head === null;
  }

  add(rows: readonly StoredRow[]): ChainFault | null {
    for (const row of rows) {
      const index = this.length + 1;
      if (row.index !== index) return this.#fault('an event is missing', `event ${index}`, `event ${row.index}`);
      const hash = hashOf(this.#previous, row);
      if (row.hash !== hash) return this.#fault('this event, or its place, was changed', hash, row.hash);
      this.#previous = hash;
      this.length = index;
      this.#headSeen ||= hash === this.head;
    }
    return null;
  }

  end(run: Run): ChainFault | null {
    if (run.eventCount !== this.length) {
      const fault = this.#fault(
        'the run has another number of events',
        `${run.eventCount} events`,
        `${this.length} events`,
      );
      return { ...fault, index: Math.min(run.eventCount, this.length) + 1 };
    }
    if (run.headHash !== this.#previous) {
      return this.#fault('the run names another last event', run.headHash, this.#previous);
    }
    if (this.#headSeen) return null;
    return this.#fault('the chain does not hold the head that was kept', this.head ?? '', this.#previous);
  }

  #fault(message: string, expected: string, found: string): ChainFault {
    return { runId: this.runId, index: this.length + 1, message, expected, found };
  }
}

/** What a changed row holds need not even be text or a number; then it has no hash at all. */
function hashOf(previous: string, row: StoredRow): string {
  try {
    return eventHash(previous, row);
  } catch {
    return 'the hash of text and numbers';
  }
}
