import { shown } from '../model/replay/column.js';
import { eventFault, rowFault, type ChainFault } from '../model/replay/fault.js';
import { RecordCheck } from '../model/replay/record-check.js';
import { recordOf } from '../store/record.js';
import type { Store } from '../store/store.js';
import { firstStray } from '../store/strays.js';

/** What a verification found. */
export interface Verification {
  readonly ok: boolean;
  readonly runs: number;
  readonly events: number;
  readonly fault: ChainFault | null;
}

/** What was found of one run. */
interface Checked {
  readonly events: number;
  readonly fault: ChainFault | null;
}

/**
 * Recomputes the hash chain of one run, or of all, and checks that their rows hold what their events lead to, a page at
 * a time (contract S11). Of all, it also finds rows that belong to no run.
 *
 * @param head a hash that was kept elsewhere: the run's chain must still hold it, or it was cut short
 * @throws NotFoundError if there is no run of this id
 */
export async function verify(store: Store, runId: string | null, head: string | null): Promise<Verification> {
  let runs = 0;
  let events = 0;
  for await (const id of runId === null ? idsOf(store) : [runId]) {
    const checked = await verifyRun(store, id, head);
    runs += 1;
    events += checked.events;
    if (checked.fault) return { ok: false, runs, events, fault: checked.fault };
  }
  const fault = runId === null ? await strayFault(store) : null;
  return { ok: fault === null, runs, events, fault };
}

async function* idsOf(store: Store): AsyncGenerator<string> {
  const next = (after: unknown) => store.read((sql) => store.tables.runs.next(sql, 'id', after));
  for (let id = await next(null); id !== null; id = await next(id)) yield id as string;
}

async function verifyRun(store: Store, runId: string, head: string | null): Promise<Checked> {
  let check: RecordCheck | null = null;
  for await (const row of recordOf(store, runId)) {
    if (!check) {
      check = new RecordCheck(row.row, head);
      continue;
    }
    const fault = check.add(row);
    if (fault) return { events: check.events, fault };
  }
  return { events: check?.events ?? 0, fault: check?.end() ?? null };
}

async function strayFault(store: Store): Promise<ChainFault | null> {
  const stray = await firstStray(store);
  if (!stray) return null;
  const { table, key } = stray;
  const runId = shown('run_id', stray.runId);
  const said = { message: 'this row belongs to no run', expected: `run ${runId}`, found: 'no such run' };
  if (table === 'event' && typeof key === 'number') return eventFault(runId, key, said);
  return rowFault(runId, `${table} ${shown('key', key)}`, said);
}
