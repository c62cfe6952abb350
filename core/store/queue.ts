import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The one line in which everybody in this process waits who writes to a database.
 *
 * A second connection of the same process is no way around it: SQLite's wait for the first one's lock blocks the event
 * loop, so the first could never commit. So a runtime and a client on one file stand in one line.
 *
 * Each begins in a turn of the event loop of its own, when every promise that is settled has been heard. Between the
 * statements of a transaction nothing but promises is awaited; what hears one there could be a tool of another run, which
 * would hold the database's lock for as long as it blocks (contract L3).
 */
const tails = new Map<unknown, Promise<unknown>>();
const inside = new AsyncLocalStorage<unknown>();

/**
 * Runs `work` once all that was queued under this key before has ended, however it ended.
 *
 * @throws Error if called from within such work: it would wait for itself for ever
 */
export function enqueue<T>(key: unknown, work: () => Promise<T>): Promise<T> {
  if (inside.getStore() === key) {
    return Promise.reject(new Error('a transaction inside a transaction would wait for itself'));
  }
  const turn = (tails.get(key) ?? Promise.resolve()).then(() => nextTurn()).then(() => inside.run(key, work));
  const tail = turn.then(forget, forget);
  tails.set(key, tail);
  return turn;

  function forget(): void {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
