import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The one line in which everybody in this process waits who writes to a database.
 *
 * A second connection of the same process is no way around it: SQLite's wait for the first one's lock blocks the event
 * loop, so the first could never commit. So a runtime and a client on one file stand in one line.
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
  const turn = (tails.get(key) ?? Promise.resolve()).then(() => inside.run(key, work));
  const tail = turn.then(forget, forget);
  tails.set(key, tail);
  return turn;

  function forget(): void {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
