import { eventHash, GENESIS_HASH, type StoredEvent } from '../event.js';
import { shown, type StoredRow } from './column.js';
import { eventFault, type ChainFault } from './fault.js';
import { replay } from './replay.js';
import type { ReplayedState } from './state.js';

/** The part of a run's chain of events that was walked and fits (contract S11). */
export class Chain {
  length = 0;
  #previous = GENESIS_HASH;
  #headSeen: boolean;

  /**
   * @param state what the rows must hold after the events that were walked
   * @param head a hash that was kept elsewhere: the chain must still hold it
   */
  constructor(
    private readonly state: ReplayedState,
    private readonly head: string | null,
  ) {
    this.#headSeen = head === null;
  }

  add(row: StoredRow): ChainFault | null {
    const index = this.length + 1;
    if (row.idx !== index) {
      return this.#fault('an event is missing', `event ${index}`, `event ${shown('idx', row.idx)}`);
    }
    const event = storedEvent(row);
    const hash = hashOf(this.#previous, event);
    if (row.run_id !== this.state.runId) {
      return this.#fault('this event is of another run', this.state.runId, shown('run_id', row.run_id));
    }
    if (row.hash !== hash) {
      return this.#fault('this event, or its place, was changed', hash, shown('hash', row.hash));
    }
    const misfit = replay(this.state, event);
    if (misfit) return this.#fault(misfit.message, misfit.expected, misfit.found);
    this.#previous = hash;
    this.length = index;
    this.#headSeen ||= hash === this.head;
    return null;
  }

  /** Compares what was walked with what the run's row says of its chain. */
  end({ event_count: count, head_hash: hash }: StoredRow): ChainFault | null {
    if (count !== this.length || this.length === 0) return this.#miscounted(count);
    if (hash !== this.#previous) {
      return this.#fault('the run names another last event', shown('head_hash', hash), this.#previous);
    }
    if (this.#headSeen) return null;
    return this.#fault('the chain does not hold the head that was kept', this.head ?? '', this.#previous);
  }

  #miscounted(count: unknown): ChainFault {
    const last = typeof count === 'number' ? Math.min(count, this.length) : this.length;
    return eventFault(this.state.runId, last + 1, {
      message: 'the run has another number of events',
      expected: `${shown('event_count', count)} events`,
      found: `${this.length} events`,
    });
  }

  #fault(message: string, expected: string, found: string): ChainFault {
    return eventFault(this.state.runId, this.length + 1, { message, expected, found });
  }
}

function storedEvent({ run_id: runId, idx: index, type, payload, created_at: at }: StoredRow): StoredEvent {
  return { runId, index, type, payload, at } as StoredEvent;
}

/** What a changed row holds need not even be text or a number; then it has no hash at all. */
function hashOf(previous: string, event: StoredEvent): string {
  try {
    return eventHash(previous, event);
  } catch {
    return 'the hash of text and numbers';
  }
}
