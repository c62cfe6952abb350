import { RunExistsError } from '../errors.js';
import { GENESIS_HASH } from '../model/event.js';
import { createRun, type RunRequest } from '../model/moves/start.js';
import { newRunRow } from '../store/encode.js';
import { loadState } from '../store/reads.js';
import type { Store } from '../store/store.js';
import type { Sql } from '../store/table.js';
import { write, type Committed } from '../store/transition.js';

/**
 * Creates a run that nobody executes yet.
 *
 * @throws RunExistsError if its id is taken
 */
export function create(store: Store, request: RunRequest): Promise<Committed> {
  return store.transaction((sql) => insertRun(store, sql, request, store.clock.now()));
}

/** The rows of a new run, in an open transaction. @throws RunExistsError */
export async function insertRun(store: Store, sql: Sql, request: RunRequest, at: number): Promise<Committed> {
  const { runs } = store.tables;
  if ((await runs.find(sql, { id: request.id })).length > 0) throw new RunExistsError(request.id);
  const { run, events } = createRun(request, at);
  await runs.insert(sql, [{ ...newRunRow(run), eventCount: 0, headHash: GENESIS_HASH }]);
  const state = await loadState(store, sql, request.id);
  return write(store, sql, state, { run: {}, events }, at);
}
