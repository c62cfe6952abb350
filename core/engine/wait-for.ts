import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '../model/run.js';
import { assertRun } from '../store/bounded-reads.js';
import type { Store } from '../store/store.js';
import type { Sql } from '../store/table.js';

const POLL_MS = 100;

/**
 * Waits until a run has ended or waits for a person.
 *
 * The process that executes it may be any, so the store is looked at, again and again.
 *
 * @throws NotFoundError, ClosedError, the signal's reason
 */
export async function waitFor(store: Store, runId: string, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await store.read((sql) => assertRun(store, sql, runId));
  while (!(await store.read((sql) => stands(store, sql, runId)))) {
    await sleep(POLL_MS, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error;
    });
  }
}

/** Whether nothing moves the run on but a person, if anything does. One that was decided goes on at its next resume. */
async function stands({ tables }: Store, sql: Sql, runId: string): Promise<boolean> {
  const [found] = await tables.runs.findCut(sql, { id: runId }, {}, 1_000);
  if (!found) return true;
  const status = found.row.status as Parameters<typeof isTerminal>[0];
  if (status !== 'WAITING') return isTerminal(status);
  const pending = await tables.approvals.findCut(sql, { runId, status: 'pending' }, { by: 'seq', limit: 1 }, 1);
  return pending.length > 0;
}
