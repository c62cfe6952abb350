import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventRow } from './entities/index.js';
import type { Store } from './store.js';
import type { Table } from './table.js';

/** A row that says that it belongs to a run that is not there. */
export interface Stray {
  readonly table: 'event' | 'step' | 'approval';
  /** What names the row in its table. */
  readonly key: unknown;
  readonly runId: unknown;
}

type OfRun = Pick<EventRow, 'runId'>;

/** The first row that belongs to no run. Runs are never deleted, so this can be asked while others go on. */
export async function firstStray(store: Store): Promise<Stray | null> {
  const { events, steps, approvals } = store.tables;
  return (
    (await strayOf(store, 'event', events, 'index', 'index')) ??
    (await strayOf(store, 'step', steps, 'index', 'index')) ??
    (await strayOf(store, 'approval', approvals, 'seq', 'id'))
  );
}

async function strayOf<Row extends OfRun>(
  store: Store,
  name: Stray['table'],
  table: Table<Row>,
  by: keyof Row & string,
  key: keyof Row & string,
): Promise<Stray | null> {
  await nextTurn();
  const row = await store.read((sql) =>
    table.unmatched(sql, ['runId', key], { ref: 'runId', by }, store.tables.runs, 'id'),
  );
  return row && { table: name, key: row[key], runId: row.runId };
}
