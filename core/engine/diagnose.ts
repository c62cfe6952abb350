import { NotFoundError, StoreError } from '../errors.js';
import { isExpired, type Approval } from '../model/approval.js';
import type { Bounded } from '../model/bounded.js';
import type { Run, RunStatus } from '../model/run.js';
import { everyEntry, readApprovals, readRuns, readSteps, type BoundedPage } from '../store/bounded-reads.js';
import type { Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import { verify } from './verify.js';

/** One thing that was looked at. */
export interface Finding {
  /** `ok`, `note` for what only waits for somebody, `problem` for what is wrong. */
  readonly level: 'ok' | 'note' | 'problem';
  readonly about: string;
  readonly message: string;
  /** What to do about it; null if nothing is. */
  readonly advice: string | null;
  /** The runs or approvals it is about, at most ten of them. */
  readonly ids: readonly string[];
}

const NAMED = 10;
const OPEN = ['PENDING', 'RUNNING', 'WAITING'] as const;

const RESUME = 'start the program of their agent again; it resumes them: runtime.resume(id)';
const RESTORE = 'stop every program that uses it, keep a copy, and restore the last backup that `verify` finds whole';
const DECIDE = 'decide them: holdpoint approve, reject or settle';

/** Runs or approvals that have something in common. */
class Group {
  count = 0;
  readonly ids: string[] = [];

  add(id: string): void {
    this.count += 1;
    if (this.ids.length < NAMED) this.ids.push(id);
  }
}

/**
 * Looks at what a store needs: how its connections are set, whether its pages are sound, which runs nobody executes any
 * more, and what waits for a person. It writes nothing.
 */
export async function diagnose(store: Store): Promise<Finding[]> {
  const missing = await missingTables(store);
  if (missing) return [missing];
  return [
    ...(await settings(store)),
    await soundness(store),
    ...(await openRuns(store)),
    ...(await openApprovals(store)),
    await openRecords(store),
  ];
}

/** Without one of them nothing else can be looked at. */
async function missingTables(store: Store): Promise<Finding | null> {
  const broken: string[] = [];
  for (const [name, table] of Object.entries(store.tables)) {
    const reading = store.read((sql) => (table as Table<object>).findCut(sql, {}, { limit: 1 }, 1));
    if (await reading.then(() => false, isStoreError)) broken.push(name);
  }
  if (broken.length === 0) return null;
  const message = `missing or damaged: ${broken.join(', ')}`;
  return { level: 'problem', about: 'tables', message, advice: RESTORE, ids: [] };
}

function isStoreError(error: unknown): boolean {
  if (error instanceof StoreError) return true;
  throw error;
}

/** What every connection of ours is set to; another program's may be set otherwise. */
const SETTINGS: Readonly<Record<string, string>> = { journal_mode: 'wal', synchronous: '2', trusted_schema: '0' };

async function settings(store: Store): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, expected] of Object.entries(SETTINGS)) {
    const found = await pragma(store, name);
    const ok = found === expected;
    findings.push({
      level: ok ? 'ok' : 'problem',
      about: name,
      message: ok ? found : `${found}, and must be ${expected}`,
      advice: ok ? null : 'open the store once with Runtime.open, which sets it, while no other program has it open',
      ids: [],
    });
  }
  return findings;
}

async function pragma(store: Store, name: string): Promise<string> {
  const { records } = await store.read((sql) => sql.query(`PRAGMA ${name}`, []));
  return String(Object.values(records[0] ?? {})[0]);
}

async function soundness(store: Store): Promise<Finding> {
  const result = await pragma(store, 'quick_check(1)');
  if (result === 'ok') return { level: 'ok', about: 'pages', message: 'sound', advice: null, ids: [] };
  return { level: 'problem', about: 'pages', message: `damaged: ${result}`, advice: RESTORE, ids: [] };
}

/** The runs that have not ended, by what they wait for. */
async function openRuns(store: Store): Promise<Finding[]> {
  const now = store.clock.now();
  const groups = {
    live: new Group(),
    dead: new Group(),
    stopped: new Group(),
    pending: new Group(),
    damaged: new Group(),
  };
  for (const status of OPEN) {
    for await (const run of runsIn(store, status)) {
      if (await isDamaged(store, run)) groups.damaged.add(run.id);
      else if (status === 'PENDING') groups.pending.add(run.id);
      else if (status === 'RUNNING') groups[heldBy(run, now)].add(run.id);
    }
  }
  return [
    found(groups.live, 'ok', 'live leases', 'run', 'being executed', null),
    found(groups.dead, 'problem', 'stale leases', 'run', 'left behind by a process that died', RESUME),
    found(groups.stopped, 'note', 'stopped runs', 'run', 'stopped cleanly', RESUME),
    found(groups.pending, 'note', 'pending runs', 'run', 'never started', RESUME),
    found(
      groups.damaged,
      'problem',
      'damaged runs',
      'run',
      'with a row that does not decode',
      'show, then cancel them',
    ),
  ];
}

/** Whether a resume would refuse it: it reads every row of the run (contract S9). */
async function isDamaged(store: Store, { id: runId, decodeError }: Bounded<Run>): Promise<boolean> {
  if (decodeError !== null) return true;
  const steps = everyEntry(async (page) => {
    const found = await store.read((sql) => readSteps(store, sql, runId, page));
    return found.map((step) => ({ ...step, seq: step.index }));
  });
  const approvals = everyEntry((page) => store.read((sql) => readApprovals(store, sql, { runId }, page)));
  for (const rows of [steps, approvals]) {
    for await (const row of rows) if (row.decodeError !== null) return true;
  }
  return false;
}

function heldBy({ lease }: Run, now: number): 'live' | 'dead' | 'stopped' {
  if (!lease) return 'stopped';
  return lease.expiresAt > now ? 'live' : 'dead';
}

async function* runsIn(store: Store, status: RunStatus): AsyncGenerator<Bounded<Run>> {
  yield* everyEntry((page) => store.read((sql) => readRuns(store, sql, { status }, page)));
}

/** The approvals that are open: asked and not decided, or decided so that the run goes on, and no resume has taken it on. */
async function openApprovals(store: Store): Promise<Finding[]> {
  const now = store.clock.now();
  const groups = { waiting: new Group(), expired: new Group(), granted: new Group() };
  for (const status of ['pending', 'approved'] as const) {
    const read = (page: BoundedPage): Promise<Bounded<Approval>[]> =>
      store.read((sql) => readApprovals(store, sql, { status }, page));
    for await (const approval of everyEntry(read)) {
      if (status === 'pending' && !isExpired(approval, now)) groups.waiting.add(approval.id);
      else (isExpired(approval, now) ? groups.expired : groups.granted).add(nameOf(approval));
    }
  }
  for await (const run of runsIn(store, 'WAITING')) {
    const last = { newestFirst: true, limit: 1 };
    const [approval] = await store.read((sql) => readApprovals(store, sql, { runId: run.id }, last));
    if (approval?.status === 'settled') groups.granted.add(nameOf(approval));
  }
  return [
    found(groups.waiting, 'note', 'questions', 'approval', 'waiting for a person', DECIDE),
    found(groups.granted, 'note', 'grants', 'approval', 'granted or settled, and not used yet', RESUME),
    found(groups.expired, 'note', 'expired', 'approval', 'out of time: the run ends at its next touch', RESUME),
  ];
}

/** Who is to resume something needs the run. */
function nameOf({ id, runId }: Approval): string {
  return `${runId} (approval ${id})`;
}

/** Nobody is told to resume a run whose record was changed by hand. */
async function openRecords(store: Store): Promise<Finding> {
  const changed = new Group();
  let checked = 0;
  for (const status of OPEN) {
    for await (const { id } of runsIn(store, status)) {
      checked += 1;
      const fault = await faultOf(store, id);
      if (fault !== null) changed.add(`${id} (${fault})`);
    }
  }
  const about = 'records';
  const open = `${checked} open run${checked === 1 ? '' : 's'}`;
  if (changed.count > 0) {
    const message = `${changed.count} of ${open} changed by hand`;
    const advice = 'do not resume them; look at them with `holdpoint verify RUN`, and cancel them';
    return { level: 'problem', about, message, advice, ids: changed.ids };
  }
  const message = `${open}, unchanged; \`holdpoint verify\` checks those that have ended, too`;
  return { level: 'ok', about, message, advice: null, ids: [] };
}

async function faultOf(store: Store, id: string): Promise<string | null> {
  try {
    const { fault } = await verify(store, id, null);
    return fault && `${fault.where}: ${fault.message}`;
  } catch (error) {
    if (error instanceof NotFoundError) return 'its id is not one that it can be read by';
    throw error;
  }
}

function found(
  { count, ids }: Group,
  level: Finding['level'],
  about: string,
  noun: string,
  state: string,
  advice: string | null,
): Finding {
  if (count === 0) return { level: 'ok', about, message: 'none', advice: null, ids: [] };
  return { level, about, message: `${count} ${noun}${count === 1 ? '' : 's'} ${state}`, advice, ids };
}
