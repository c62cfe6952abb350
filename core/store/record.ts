import { setImmediate as nextTurn } from 'node:timers/promises';
import { getMetadataArgsStorage, type ObjectLiteral } from 'typeorm';
import { NotFoundError } from '../errors.js';
import type { RecordPart, RecordRow } from '../model/replay/record-check.js';
import { ApprovalRow, EventRow, RunRow, StepRow, ToolSpecRow } from './entities/index.js';
import { FIRST } from './reads.js';
import type { Store } from './store.js';
import type { Table } from './table.js';

/**
 * A run's whole record, as it was at one moment, though the run may go on while it is read and nothing is locked.
 *
 * - Of the rows of a run only three can change once they are written: the run's own, that of its last step, and the
 *   last approval of that step. These are read first, again and again until the run's count of events stands still.
 * - Events are only ever added, and each commit of a step or an approval adds one: all that is older than the count can
 *   be read later, a page at a time, and is still what it was.
 *
 * A read of a file is over before anything else of the process runs. So the turn is given up before each moment and each
 * page: a tool in flight hears its timers meanwhile, however many records are read.
 */

/** The most rows of a page, and the most bytes of text unless one row alone has more. */
export const PAGE = { rows: 500, bytes: 4 * 2 ** 20 };

/** What of the record can change, and where the rest ended, at one moment. */
interface Moment {
  readonly run: RunRow;
  readonly event: EventRow | undefined;
  /** The last step, and the one that the run counts as its last; they differ only if somebody added one by hand. */
  readonly step: StepRow | undefined;
  readonly current: StepRow | undefined;
  readonly approval: ApprovalRow | undefined;
  /** The last approval of the current step. */
  readonly asked: ApprovalRow | undefined;
}

/** The name of each column of a table, by the property of its entity that holds it. */
const COLUMNS = {
  run: namesOf(RunRow),
  event: namesOf(EventRow),
  step: namesOf(StepRow),
  approval: namesOf(ApprovalRow),
  spec: namesOf(ToolSpecRow),
} as const satisfies Record<RecordPart, unknown>;

/** The columns of a part's table. */
export function columnsOf(part: RecordPart): string[] {
  return COLUMNS[part].map(([, column]) => column);
}

/**
 * The rows of one run's record, in the order of their parts, by the names of the tables' columns.
 *
 * A store in which somebody took the index away may hold several rows of one run: all of them are in its record.
 *
 * @throws NotFoundError if there is no such run
 */
export async function* recordOf(store: Store, runId: string): AsyncGenerator<RecordRow> {
  const moment = await momentOf(store, runId);
  const { events, steps, approvals } = store.tables;
  yield rowOf('run', moment.run);
  for await (const row of others(store, runId)) yield rowOf('run', row);
  for await (const row of rowsUpTo(store, events, { runId }, 'index', moment.event)) yield rowOf('event', row);
  const specs = new Set<string>();
  for await (const row of rowsUpTo(store, steps, { runId }, 'index', moment.step)) {
    const step = row.id === moment.current?.id ? moment.current : row;
    if (step.specHash !== null) specs.add(step.specHash);
    yield rowOf('step', step);
  }
  for await (const row of rowsUpTo(store, approvals, { runId }, 'seq', moment.approval)) {
    yield rowOf('approval', row.id === moment.asked?.id ? moment.asked : row);
  }
  for (const hash of specs) {
    for (const row of await store.read((sql) => store.tables.specs.find(sql, { hash }))) yield rowOf('spec', row);
  }
}

async function momentOf(store: Store, runId: string): Promise<Moment> {
  for (;;) {
    await nextTurn();
    const moment = await look(store, runId);
    const again = await runOf(store, runId);
    const { eventCount } = moment.run;
    // Whoever wrote something else than a number there is no runtime that goes on.
    if (typeof eventCount !== 'number' || again?.eventCount === eventCount) return moment;
  }
}

async function runOf(store: Store, id: string): Promise<RunRow | undefined> {
  return (await store.read((sql) => store.tables.runs.find(sql, { id }, FIRST)))[0];
}

/** The rows of that id besides the first. */
async function* others(store: Store, id: string): AsyncGenerator<RunRow> {
  let first = true;
  for await (const row of rowsOf(store, store.tables.runs, { id }, 'seq')) {
    if (!first) yield row;
    first = false;
  }
}

async function look(store: Store, runId: string): Promise<Moment> {
  const { events, steps, approvals } = store.tables;
  const last = <Row extends object>(table: Table<Row>, where: Partial<Row>, by: keyof Row & string) =>
    store.read(async (sql) => (await table.find(sql, where, { by, descending: true, limit: 1 }))[0]);
  const run = await runOf(store, runId);
  if (!run) throw new NotFoundError('run', runId);
  const step = await last(steps, { runId }, 'index');
  const current = step?.index === run.stepCount ? step : await last(steps, { runId, index: run.stepCount }, 'index');
  return {
    run,
    event: await last(events, { runId }, 'index'),
    step,
    current,
    approval: await last(approvals, { runId }, 'seq'),
    asked: current && (await last(approvals, { stepId: current.id }, 'seq')),
  };
}

/** The rows that match `where`, in the order of `by`, up to this one. */
async function* rowsUpTo<Row extends object>(
  store: Store,
  table: Table<Row>,
  where: Partial<Row>,
  by: keyof Row & string,
  last: Row | undefined,
): AsyncGenerator<Row> {
  if (!last) return;
  for await (const row of rowsOf(store, table, where, by)) {
    if ((row[by] as number) > (last[by] as number)) return;
    yield row;
  }
}

/** The rows that match `where`, in the order of `by`, a page at a time. */
async function* rowsOf<Row extends object>(
  store: Store,
  table: Table<Row>,
  where: Partial<Row>,
  by: keyof Row & string,
): AsyncGenerator<Row> {
  let after: unknown;
  for (;;) {
    await nextTurn();
    // The first page has no lower bound: a row that was put before the first one is shown like any other.
    const cursor = after === undefined ? {} : { after };
    const page = await store.read((sql) => table.page(sql, where, { by, ...cursor, ...PAGE }));
    const reached: unknown = page.at(-1)?.[by];
    // A cursor that was put beyond what a number holds does not move: the page has the same rows again.
    if (page.length === 0 || reached === after) return;
    yield* page;
    after = reached;
  }
}

function rowOf(part: RecordPart, row: ObjectLiteral): RecordRow {
  return {
    part,
    row: Object.fromEntries(COLUMNS[part].map(([property, column]) => [column, row[property] as unknown])),
  };
}

function namesOf(entity: abstract new () => object): (readonly [property: string, column: string])[] {
  const columns = getMetadataArgsStorage().filterColumns(entity);
  return columns.map(({ propertyName, options }) => [propertyName, options.name ?? propertyName]);
}
