import type { Approval, ApprovalStatus } from '../approval.js';
import type { EventDraft, EventType } from '../event.js';
import type { Json, JsonObject } from '../json.js';
import { canMoveRun, type Run, type RunStatus, type TerminalReason } from '../run.js';
import { canMoveStep, type Observation, type Step, type StepStatus } from '../step.js';

/**
 * What one transaction writes: the rows that change and the events that explain them (contract S2).
 *
 * - A move is a pure function from the state of a run to a change; it asks no clock and draws no id.
 * - A change names the status that each row leaves, so the store can refuse it if the row has moved meanwhile (S5).
 */
export interface Change {
  readonly run: RunSet;
  readonly step?: StepChange;
  readonly approvals?: readonly ApprovalChange[];
  readonly events: readonly EventDraft[];
}

/** The state that a move starts from. */
export interface State {
  readonly run: Run;
  /** The run's last step. */
  readonly step: Step | null;
  /** That step's last approval. */
  readonly approval: Approval | null;
  /** The steps before the last one, oldest first. */
  readonly earlier: readonly Step[];
}

export type RunSet = Partial<
  Pick<
    Run,
    'status' | 'reason' | 'message' | 'result' | 'stepCount' | 'activeMs' | 'lease' | 'startedAt' | 'finishedAt'
  >
>;

export type NewRun = Omit<Run, 'seq' | 'eventCount' | 'headHash' | 'decodeError'>;
export type StepSet = Partial<Omit<Step, 'id' | 'runId' | 'index' | 'operationId' | 'decodeError'>>;
export type NewApproval = Omit<Approval, 'seq' | 'decodeError'>;
export type ApprovalSet = Partial<
  Pick<Approval, 'status' | 'decidedAt' | 'decidedBy' | 'note' | 'result' | 'signature' | 'signer'>
>;

export type StepChange =
  | { readonly kind: 'insert'; readonly step: Step }
  | { readonly kind: 'update'; readonly id: string; readonly from: StepStatus; readonly set: StepSet };

export type ApprovalChange =
  | { readonly kind: 'insert'; readonly approval: NewApproval }
  | { readonly kind: 'update'; readonly id: string; readonly from: ApprovalStatus; readonly set: ApprovalSet };

/** How a run ends. */
export interface Ending {
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly reason: TerminalReason;
  readonly message?: string | null;
  readonly result?: Json;
}

/** A draft; members that are `undefined` are left out. */
export function event(type: EventType, payload: Readonly<Record<string, unknown>>): EventDraft {
  return { type, payload: payload as JsonObject };
}

/** The status set, checked against the table of legal moves. */
export function runTo(run: Run, to: RunStatus): { readonly status: RunStatus } {
  if (!canMoveRun(run.status, to)) throw new Error(`illegal move of run ${run.id}: ${run.status} to ${to}`);
  return { status: to };
}

/** An update of the run's last step, checked against the table of legal moves. */
export function stepTo(step: Step, to: StepStatus, set: StepSet = {}): StepChange {
  if (!canMoveStep(step.status, to)) throw new Error(`illegal move of step ${step.id}: ${step.status} to ${to}`);
  return { kind: 'update', id: step.id, from: step.status, set: { ...set, status: to } };
}

/** The last step, which the caller knows to exist. */
export function lastStep(state: State): Step {
  if (!state.step) throw new Error(`run ${state.run.id} has no step`);
  return state.step;
}

/** The change, and the end of its run in the same transaction (contract S6). */
export function ending(change: Change, run: Run, end: Ending, at: number): Change {
  const { reason, message = null, result = null } = end;
  return {
    ...change,
    run: { ...change.run, ...runTo(run, end.status), reason, message, result, lease: null, finishedAt: at },
    events: [...change.events, event('run.finished', { status: end.status, reason, message, result })],
  };
}

/** What a step that could not finish shows once its run has ended. */
export function runEnded(reason: TerminalReason): Observation {
  return { kind: 'run_ended', reason };
}
