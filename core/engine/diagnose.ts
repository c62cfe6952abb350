import { NotFoundError, StoreError, UndecodableError } from '../errors.js';
import { isExpired, type Approval } from '../model/approval.js';
import type { Bounded } from '../model/bounded.js';
import type { Approvers } from '../model/decision-signature.js';
import type { Run } from '../model/run.js';
import { everyEntry, readApprovals, readRuns, readSteps, type BoundedPage } from '../store/bounded-reads.js';
import type { Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import { found, Group, NOT_READ, type Finding } from './finding.js';
import { see } from './seen.js';
import { refusedRuns, unsignedDecisions } from './signatures.js';
import { verify } from './verify.js';

const OPEN = ['PENDING', 'RUNNING', 'WAITING'] as const;

const RESUME = 'start the program of their agent again; it resumes them: runtime.resume(id)';
const RESTORE = 'stop every program that uses it, keep a copy, and restore the last backup that `verify` finds whole';
const DECIDE = 'decide them: holdpoint approve, reject or settle';

/**
 * Looks at what a store needs: how its connections are set, whether its pages are sound, which runs nobody executes any
 * more, and what waits for a person. It writes nothing.
 *
 * @param approvers whose signatures every decision must have; null if signatures are not asked for
 */
export async function diagnose(store: Store, approvers: Approvers | null): Promise<Finding[]> {
  const missing = await missingTables(store);
  if (missing) return [missing];
  return [
    ...(await settings(store)),
    await soundness(store),
    ...(await openRuns(store)),
    ...(approvers ? await signatures(store, approvers) : []),
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
  const records = new Group();
  const settled: Approval[] = [];
  let open = 0;
  for (const status of OPEN) {
    for await (const run of everyEntry((page) => store.read((sql) => readRuns(store, sql, { status }, page)))) {
      open += 1;
      const fault = await faultOf(store, run.id);
      if (fault !== null) records.add(`${run.id} (${fault})`);
      if (status === 'WAITING') settled.push(...(await lastIfSettled(store, run)));
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
    ...(await openApprovals(store, settled)),
    recordsOf(open, records),
  ];
}

/** The answer that a waiting run would go on with, if it is that a call took effect. */
async function lastIfSettled(store: Store, { id: runId }: Run): Promise<Approval[]> {
  const last = { newestFirst: true, limit: 1 };
  const found = await store.read((sql) => readApprovals(store, sql, { runId }, last));
  return found.filter(({ status }) => status === 'settled');
}

/** Whether a resume would refuse it: it reads every row of the run (contract S9). */
async function isDamaged(store: Store, run: Bounded<Run>): Promise<boolean> {
  const { id: runId } = run;
  const steps = everyEntry(async (page) => {
    const found = await store.read((sql) => readSteps(store, sql, runId, page));
    return found.map((step) => ({ ...step, seq: step.index }));
  });
  const approvals = everyEntry((page) => store.read((sql) => readApprovals(store, sql, { runId }, page)));
  let tooLong = false;
  for (const rows of [[run], steps, approvals]) {
    for await (const row of rows) {
      if (row.decodeError !== null) return true;
      tooLong ||= row.tooLong !== undefined;
    }
  }
  return tooLong && (await doesNotDecode(store, runId));
}

/** A row that is too long to be shown may decode: a resume reads it whole. */
async function doesNotDecode(store: Store, runId: string): Promise<boolean> {
  try {
    await see(store, runId, null);
    return false;
  } catch (error) {
    if (error instanceof UndecodableError || error instanceof NotFoundError) return true;
    throw error;
  }
}

function heldBy({ lease }: Run, now: number): 'live' | 'dead' | 'stopped' {
  if (!lease) return 'stopped';
  return lease.expiresAt > now ? 'live' : 'dead';
}

/** The approvals that are open: asked and not decided, or decided so that the run goes on, and no resume has taken it on. */
async function openApprovals(store: Store, settled: readonly Approval[]): Promise<Finding[]> {
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
  for (const approval of settled) groups.granted.add(nameOf(approval));
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
function recordsOf(count: number, changed: Group): Finding {
  const about = 'records';
  const open = `${count} open run${count === 1 ? '' : 's'}`;
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
    if (error instanceof NotFoundError) return NOT_READ;
    throw error;
  }
}

/** The decisions that no approver signed, and the runs that no resume goes on with for it (contract A7). */
async function signatures(store: Store, approvers: Approvers): Promise<Finding[]> {
  const decisions = new Group();
  for await (const { approvalId, why } of unsignedDecisions(store, approvers)) decisions.add(`${approvalId} (${why})`);
  const runs = new Group();
  for await (const { runId, why } of refusedRuns(store, approvers)) runs.add(`${runId} (${why})`);
  return [unsigned(decisions), refused(runs)];
}

function unsigned({ count, ids }: Group): Finding {
  const about = 'decisions';
  if (count === 0) return { level: 'ok', about, message: 'signed by an approver, all of them', advice: null, ids };
  const advice = 'ask who is named in them; a runtime with these approvers goes on with none of them';
  return { level: 'problem', about, message: `${count} not signed by an approver`, advice, ids };
}

function refused({ count, ids }: Group): Finding {
  const about = 'refused runs';
  if (count === 0) return { level: 'ok', about, message: 'none', advice: null, ids };
  const message = `${count} that no resume goes on with`;
  return { level: 'problem', about, message, advice: 'look at them, then cancel them', ids };
}
