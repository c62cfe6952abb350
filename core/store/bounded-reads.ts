import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotFoundError } from '../errors.js';
import { bounded, headOf, type Bounded } from '../model/bounded.js';
import { subjectText, type Approval, type ApprovalStatus } from '../model/approval.js';
import type { RunEvent } from '../model/event.js';
import { sha256 } from '../model/hash.js';
import type { Run, RunStatus } from '../model/run.js';
import type { Step } from '../model/step.js';
import type { ApprovalRow } from './entities/index.js';
import { decodeApproval, decodeEvent, decodeRun, decodeStep } from './decode.js';
import { FIRST } from './reads.js';
import type { Store } from './store.js';
import type { CutRow, FindOptions, Sql, Table } from './table.js';

/**
 * Reads for those who look at a store: neither many rows nor a huge one exhausts the memory.
 *
 * Whoever acts on a row reads it whole, in `reads`.
 */

/** The longest text of one member, in characters. */
export const MAX_TEXT = 65_536;
/** The same in a long page. */
const MAX_TEXT_OF_MANY = 8_192;
const MANY = 128;
const PAGE = 500;
/** A row that holds more than this, in bytes, is not read here: whether it decodes is not known. */
const MAX_ROW = 16 * 1024 * 1024;
/** What a mark adds to a text at most. */
const MARK = 64;

/** Which page of a list: entries after the cursor `after`, at most `limit`, oldest first unless told otherwise. */
export interface BoundedPage {
  readonly after?: number;
  readonly limit: number;
  readonly newestFirst?: boolean;
}

/**
 * Every entry of a list, a page at a time, oldest first.
 *
 * A read of a file is over before anything else of the process runs: who reads page after page gives up the turn itself.
 */
export async function* everyEntry<T extends { readonly seq: number }>(
  read: (page: BoundedPage) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  let page: BoundedPage = { limit: PAGE };
  for (;;) {
    await nextTurn();
    const entries = await read(page);
    const last = entries.at(-1);
    // A cursor that was put beyond what a number holds does not move: the page has the same entries again.
    if (!last || last.seq === page.after) return;
    yield* entries;
    if (entries.length < PAGE) return;
    page = { limit: PAGE, after: last.seq };
  }
}

/** How one kind of row is read. */
interface Kind<Row extends object, T extends object> {
  readonly table: Table<Row>;
  readonly key: keyof Row & string;
  readonly decode: (row: Row) => T & { readonly decodeError: string | null };
}

export async function readRun(store: Store, sql: Sql, id: string, maxText = MAX_TEXT): Promise<Bounded<Run>> {
  const [run] = await rows(sql, runs(store), { id }, FIRST, maxText);
  if (!run) throw new NotFoundError('run', id);
  return run;
}

/** @throws NotFoundError */
export async function assertRun(store: Store, sql: Sql, id: string): Promise<void> {
  const [found] = await store.tables.runs.findCut(sql, { id }, {}, 1);
  if (!found) throw new NotFoundError('run', id);
}

export async function readApproval(store: Store, sql: Sql, id: string, maxText = MAX_TEXT): Promise<Bounded<Approval>> {
  const [approval] = await rows(sql, approvals(store), { id }, FIRST, maxText);
  if (!approval) throw new NotFoundError('approval', id);
  return approval;
}

/** In the order of insertion (contract S10); the cursor is an entry's `seq`. */
export function readRuns(
  store: Store,
  sql: Sql,
  filter: { readonly status?: RunStatus; readonly agent?: string },
  page: BoundedPage,
): Promise<Bounded<Run>[]> {
  return rows(sql, runs(store), filter, optionsOf('seq', page), maxTextOf(page));
}

/** In the order of insertion; the cursor is an entry's `seq`. */
export function readApprovals(
  store: Store,
  sql: Sql,
  filter: { readonly runId?: string; readonly status?: ApprovalStatus },
  page: BoundedPage,
): Promise<Bounded<Approval>[]> {
  return rows(sql, approvals(store), filter, optionsOf('seq', page), maxTextOf(page));
}

/** The cursor is a step's `index`. */
export function readSteps(store: Store, sql: Sql, runId: string, page: BoundedPage): Promise<Bounded<Step>[]> {
  const steps: Kind<RowOf<'steps'>, Step> = { table: store.tables.steps, key: 'id', decode: decodeStep };
  return rows(sql, steps, { runId }, optionsOf('index', page), maxTextOf(page));
}

/** The cursor is an event's `index`. */
export function readEvents(store: Store, sql: Sql, runId: string, page: BoundedPage): Promise<Bounded<RunEvent>[]> {
  const events: Kind<RowOf<'events'>, RunEvent> = { table: store.tables.events, key: 'seq', decode: decodeEvent };
  return rows(sql, events, { runId }, optionsOf('index', page), maxTextOf(page));
}

type RowOf<Name extends keyof Store['tables']> = Store['tables'][Name] extends Table<infer Row> ? Row : never;

function runs({ tables }: Store): Kind<RowOf<'runs'>, Run> {
  return { table: tables.runs, key: 'seq', decode: decodeRun };
}

function approvals({ tables }: Store): Kind<RowOf<'approvals'>, Approval> {
  return { table: tables.approvals, key: 'seq', decode: decodeShown };
}

/**
 * Who is shown a request decides by its hash, so one that was edited is not shown as if it were the one of that hash:
 * edited back before the decision, it would be decided unseen (contract A2).
 */
function decodeShown(row: ApprovalRow): Approval {
  const approval = decodeApproval(row);
  const text = subjectText(row as Pick<ApprovalRow, keyof ApprovalRow>);
  if (approval.decodeError !== null || (text !== null && sha256(text) === row.hash)) return approval;
  return { ...approval, decodeError: 'the request is not the one of its hash' };
}

function maxTextOf({ limit }: BoundedPage): number {
  return limit > MANY ? MAX_TEXT_OF_MANY : MAX_TEXT;
}

function optionsOf<Key extends string>(by: Key, { after, limit, newestFirst = false }: BoundedPage) {
  return { by, limit, descending: newestFirst, ...(after === undefined ? {} : { after }) };
}

async function rows<Row extends object, T extends object>(
  sql: Sql,
  kind: Kind<Row, T>,
  where: Partial<Row>,
  options: FindOptions<Row>,
  maxText: number,
): Promise<Bounded<T>[]> {
  const found: Bounded<T>[] = [];
  const cutAt = Math.min(maxText, MAX_TEXT);
  for (const cut of await kind.table.findCut(sql, where, options, cutAt)) {
    const bytes = [...cut.bytes.values()].reduce((sum, one) => sum + one, 0);
    if (bytes > MAX_ROW) found.push(beginningOf(kind, cut, bytes, cutAt));
    else found.push(bounded(kind.decode(bytes <= cutAt ? cut.row : await whole(sql, kind, cut.row)), maxText));
  }
  return found;
}

/** A row whose texts may have been cut is read again, alone and whole: what was cut of JSON is none. */
async function whole<Row extends object, T extends object>(
  sql: Sql,
  { table, key }: Kind<Row, T>,
  row: Row,
): Promise<Row> {
  const [found] = await table.find(sql, { [key]: row[key] } as unknown as Partial<Row>);
  return found ?? row;
}

/**
 * What there is to show of a row that is not read whole: of a long text its head, with a mark.
 *
 * JSON with a mark is none. So a long value is shown as nothing, rather than as what its head happens to be.
 */
function beginningOf<Row extends object, T extends object>(
  { decode }: Kind<Row, T>,
  { row, bytes }: CutRow<Row>,
  all: number,
  max: number,
): Bounded<T> {
  const long = [...bytes].filter(([name, length]) => length > max && bytesIn(row[name]) < length);
  const marked = long.map(([name, length]) => [name, `${shownOf(row[name], max)}… [cut: ${length} bytes]`]);
  const record = bounded(decode({ ...row, ...(Object.fromEntries(marked) as Partial<Row>) }), max + MARK);
  const names = long.map(([name]) => String(name)).filter((name) => name in record);
  return {
    ...record,
    decodeError: null,
    cut: [...new Set([...(record.cut ?? []), ...names])],
    tooLong: all,
  };
}

function bytesIn(value: unknown): number {
  return Buffer.byteLength(value as string | Uint8Array);
}

/** Bytes that somebody wrote into a column of texts are not shown. */
function shownOf(value: unknown, max: number): string {
  return typeof value === 'string' ? headOf(value, max) : '';
}
