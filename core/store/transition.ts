import { LeaseLostError, RunStateError } from '../errors.js';
import { storedJson } from '../model/canonical-json.js';
import { eventHash, type EventDraft, type RunEvent } from '../model/event.js';
import type { Approval } from '../model/approval.js';
import type { Json } from '../model/json.js';
import type { ApprovalChange, Change, State, StepChange } from '../model/moves/change.js';
import type { Run } from '../model/run.js';
import type { Step } from '../model/step.js';
import { timeText } from '../model/time.js';
import { approvalSetRow, newApprovalRow, newStepRow, runSetRow, stepSetRow } from './encode.js';
import { loadRun, loadState } from './reads.js';
import type { Store } from './store.js';
import type { Sql } from './table.js';

/**
 * The writes that change a run.
 *
 * - The changed rows and the events that explain them commit together or not at all (contract S2).
 * - Every write names the status that it leaves, so a racing caller loses rather than overwrites (S5).
 * - Nothing outside this folder writes a run, a step, an approval or an event.
 */

/** What a transition left behind. */
export interface Committed {
  readonly state: State;
  /** The events that it added, as committed: an observer may be told of them now (contract S4). */
  readonly events: readonly RunEvent[];
}

/** What the loop that executes a run knows of it. While it holds the lease, nobody else changes its steps. */
export interface Held {
  readonly owner: string;
  readonly state: State;
}

/** Computes a change from the state as it is inside the transaction; what it throws rolls back. */
export type Move = (state: State, at: number) => Change;

/**
 * A write of the loop that holds the run (contract L4). While it is RUNNING, only its holder or an operator's cancel can
 * end it: anything else that happened to it means that the lease is gone.
 *
 * @param startsEffect also require the lease unexpired by the wall clock: a stalled loop starts nothing
 * @throws LeaseLostError if the lease is gone, RunStateError if an operator cancelled the run (F8)
 */
export function heldTransition(store: Store, held: Held, startsEffect: boolean, move: Move): Promise<Committed> {
  return store.transaction(async (sql) => {
    const at = store.clock.now();
    const run = await loadRun(store, sql, held.state.run.id);
    assertHeld(run, held.owner, startsEffect, at);
    const state = { ...held.state, run };
    return write(store, sql, state, move(state, at), at);
  });
}

/** A write of anybody else: an operator, or a resume that does not hold the run yet. Guards belong into the move. */
export function transition(store: Store, runId: string, move: Move): Promise<Committed> {
  return store.transaction(async (sql) => {
    const at = store.clock.now();
    const state = await loadState(store, sql, runId);
    return write(store, sql, state, move(state, at), at);
  });
}

/** Adds a transition's writes to an open transaction. */
export async function write(store: Store, sql: Sql, state: State, change: Change, at: number): Promise<Committed> {
  const { run } = state;
  const events = chained(run, change.events, at);
  const head = { eventCount: run.eventCount + events.length, headHash: events.at(-1)?.hash ?? run.headHash };
  const set = { ...runSetRow(change.run), ...head, updatedAt: at };
  const { eventCount, status } = run;
  one(await store.tables.runs.update(sql, set, { id: run.id, status, eventCount }), run, change);
  if (change.step) await writeStep(store, sql, run, change, change.step);
  for (const approval of change.approvals ?? []) await writeApproval(store, sql, run, change, approval);
  const seqs = events.length > 0 ? await store.tables.events.insert(sql, events) : [];
  return {
    state: after(state, change, { ...head, updatedAt: at }),
    events: events.map((row, place) => ({
      ...row,
      payload: JSON.parse(row.payload) as Json,
      seq: seqs[place] ?? 0,
      decodeError: null,
    })),
  };
}

function assertHeld(run: Run, owner: string, startsEffect: boolean, at: number): void {
  if (run.reason === 'operator_cancelled') throw new RunStateError(run.id, run.status, run.reason, 'continue');
  if (run.status !== 'RUNNING')
    throw new LeaseLostError(run.id, owner, `another process has moved it to ${run.status}`);
  if (run.lease?.owner !== owner)
    throw new LeaseLostError(run.id, owner, `${run.lease?.owner ?? 'nobody'} holds it now`);
  if (startsEffect && run.lease.expiresAt <= at) {
    throw new LeaseLostError(run.id, owner, `it expired at ${timeText(new Date(run.lease.expiresAt))}`);
  }
}

function chained(run: Run, drafts: readonly EventDraft[], at: number) {
  let previous = run.headHash;
  return drafts.map((draft, place) => {
    const payload = storedJson(draft.payload, draft.type);
    const row = { runId: run.id, index: run.eventCount + 1 + place, type: draft.type, payload, at };
    previous = eventHash(previous, row);
    return { ...row, hash: previous };
  });
}

async function writeStep(store: Store, sql: Sql, run: Run, change: Change, step: StepChange): Promise<void> {
  if (step.kind === 'insert') await store.tables.steps.insert(sql, [newStepRow(step.step)]);
  else one(await store.tables.steps.update(sql, stepSetRow(step.set), { id: step.id, status: step.from }), run, change);
}

async function writeApproval(
  store: Store,
  sql: Sql,
  run: Run,
  change: Change,
  approval: ApprovalChange,
): Promise<void> {
  if (approval.kind === 'insert') {
    await store.tables.approvals.insert(sql, [newApprovalRow(approval.approval)]);
    return;
  }
  const where = { id: approval.id, status: approval.from };
  one(await store.tables.approvals.update(sql, approvalSetRow(approval.set), where), run, change);
}

/** A guarded write that met no row: somebody else was first, and this transaction changes nothing (F8). */
function one(affected: number, run: Run, change: Change): void {
  if (affected === 1) return;
  const attempted = change.events[0]?.type ?? 'a change';
  throw new RunStateError(run.id, run.status, run.reason, `record ${attempted} on`);
}

function after(state: State, change: Change, head: Pick<Run, 'eventCount' | 'headHash' | 'updatedAt'>): State {
  const run: Run = { ...state.run, ...change.run, ...head };
  if (change.step?.kind === 'insert') {
    const earlier = state.step ? [...state.earlier, state.step] : state.earlier;
    return { run, step: change.step.step, approval: null, earlier };
  }
  const step: Step | null = state.step && change.step ? { ...state.step, ...change.step.set } : state.step;
  return { ...state, run, step, approval: approvalAfter(state.approval, change.approvals ?? []) };
}

function approvalAfter(approval: Approval | null, changes: readonly ApprovalChange[]): Approval | null {
  let latest = approval;
  for (const change of changes) {
    if (change.kind === 'insert') latest = { ...change.approval, seq: 0, decodeError: null };
    else if (latest?.id === change.id) latest = { ...latest, ...change.set };
  }
  return latest;
}
