import { shown } from '../model/replay/column.js';
import { eventFault, rowFault, type ChainFault } from '../model/replay/fault.js';
import { RecordCheck } from '../model/replay/record-check.js';
import { FIRST } from '../store/reads.js';
import { recordOf } from '../store/record.js';
import type { RunRow } from '../store/entities/index.js';
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

type Named = Pick<RunRow, 'seq' | 'id'>;

/**
 * Recomputes the hash chain of one run, or of all, and checks that their rows hold what their events lead to, a page at
 * a time (contract S11). Of all, it also finds rows that belong to no run.
 *
 * @param head a hash that was kept elsewhere: the run's chain must still hold it, or it was cut short
 * @throws NotFoundError if there is no run of this id
 */
export async function verify(store: Store, runId: string | null, head: string | null): Promise<Verification> {
  if (runId === null) return verifyAll(store, head);
  const { events, fault } = await verifyRun(store, runId, head);
  return { ok: fault === null, runs: 1, events, fault };
}

async function verifyAll(store: Store, head: string | null): Promise<Verification> {
  let runs = 0;
  let events = 0;
  for (let run = await runAfter(store); run; run = await runAfter(store, run.seq)) {
    const fault = await nameFault(store, run);
    const checked = fault ? { events: 0, fault } : await verifyRun(store, run.id, head);
    runs += 1;
    events += checked.events;
    if (checked.fault) return { ok: false, runs, events, fault: checked.fault };
  }
  const fault = await strayFault(store);
  return { ok: fault === null, runs, events, fault };
}

/** In the order of insertion: an id may be no text that can be asked for again. */
async function runAfter(store: Store, after?: number): Promise<Named | undefined> {
  const options = { ...FIRST, ...(after === undefined ? {} : { after }) };
  return (await store.read((sql) => store.tables.runs.pick(sql, ['seq', 'id'], {}, options)))[0];
}

/** What nobody can read a run by, and what this walk could not go on from. */
async function nameFault(store: Store, { seq, id }: Named): Promise<ChainFault | null> {
  const fault = (field: 'seq' | 'id', message: string, expected: string): ChainFault =>
    rowFault(shown('id', id), 'run', { message, expected, found: shown(field, field === 'id' ? id : seq), field });
  if (!Number.isSafeInteger(seq)) return fault('seq', 'this row has no place that can be counted to', 'a whole number');
  const [found] = await store.read((sql) => store.tables.runs.pick(sql, ['seq'], { id }, FIRST));
  if (typeof id === 'string' && found?.seq === seq) return null;
  return fault('id', 'this run cannot be read by its id', 'the text of an id');
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
