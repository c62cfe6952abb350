import type { Approval } from '../approval.js';
import type { Signed } from '../decision-signature.js';
import type { EventDraft } from '../event.js';
import type { Json } from '../json.js';
import { isOpen, type Step } from '../step.js';
import { closeApproval, failRun } from './step.js';
import { ending, event, lastStep, runEnded, stepTo, type Change, type Ending, type State } from './change.js';

/** Who decided, and what they had to say. */
export interface Deciding {
  readonly by: string;
  readonly note: string | null;
  /** Of this very decision, if it was made with a key (contract A7). */
  readonly signed: Signed | null;
}

/** The same request may run once more; the next resume does it (contract A3, I6). */
export function approve(approval: Approval, deciding: Deciding, at: number): Change {
  return {
    run: {},
    approvals: [decide(approval, 'approved', deciding, at)],
    events: [decided(approval, 'approved', deciding)],
  };
}

/** The run ends with the tool not called (again) (contract A5, I6). */
export function reject(state: State, approval: Approval, deciding: Deciding, at: number): Change {
  const end: Ending = { status: 'CANCELLED', reason: 'approval_rejected', message: deciding.note };
  return {
    ...failRun(state, end, [decided(approval, 'rejected', deciding)], at),
    approvals: [decide(approval, 'rejected', deciding, at)],
  };
}

/** It took effect: what the person entered is the step's result (contract I6). A terminal tool's completes the run. */
export function settle(
  state: State,
  approval: Approval,
  deciding: Deciding & { readonly result: Json },
  at: number,
): Change {
  const { by, result } = deciding;
  const change: Change = {
    run: {},
    step: stepTo(lastStep(state), 'done', { observation: { kind: 'result', result, settledBy: by }, finishedAt: at }),
    approvals: [decide(approval, 'settled', deciding, at, result)],
    events: [decided(approval, 'settled', deciding, { result })],
  };
  if (!approval.request.tool.terminal) return change;
  return ending(change, state.run, { status: 'COMPLETED', reason: 'goal_completed', result }, at);
}

/** Nobody decided in time, or nobody used the grant in time: nothing is executed (contract A5). */
export function expire(state: State, approval: Approval, at: number): Change {
  const what = approval.status === 'approved' ? 'the grant was not used in time' : 'nobody decided in time';
  const end: Ending = { status: 'CANCELLED', reason: 'approval_expired', message: what };
  const expired = event('approval.decided', { approval: approval.id, decision: 'expired', was: approval.status });
  return {
    ...failRun(state, end, [expired], at),
    approvals: [{ kind: 'update', id: approval.id, from: approval.status, set: { status: 'expired' } }],
  };
}

/** An operator ends the run; whoever executes it stops at the next write (contract L9). */
export function cancel(state: State, by: string, reason: string | null, at: number): Change {
  const { run, step } = state;
  const closes = step && isOpen(step) ? closeStep(step, at) : null;
  const change: Change = {
    run: {},
    ...(closes ? { step: closes.step } : {}),
    approvals: closeApproval(state),
    events: closes ? [closes.event] : [],
  };
  const end: Ending = {
    status: 'CANCELLED',
    reason: 'operator_cancelled',
    message: `${by}: ${reason ?? 'no reason given'}`,
  };
  return ending(change, run, end, at);
}

function closeStep(step: Step, at: number): { step: NonNullable<Change['step']>; event: EventDraft } {
  const observation = runEnded('operator_cancelled');
  if (step.status === 'awaiting_approval') {
    return {
      step: stepTo(step, 'failed', { observation, finishedAt: at }),
      event: event('step.failed', { step: step.index, observation }),
    };
  }
  return {
    step: stepTo(step, 'interrupted', { observation, interruptedAt: step.interruptedAt ?? at, finishedAt: at }),
    event: event('step.interrupted', {
      step: step.index,
      cause: 'cancelled',
      during: step.status,
      tool: step.tool,
      settled: true,
      observation,
    }),
  };
}

function decide(
  approval: Approval,
  status: 'approved' | 'rejected' | 'settled',
  { by, note, signed }: Deciding,
  at: number,
  result: Json = null,
): NonNullable<Change['approvals']>[number] {
  return {
    kind: 'update',
    id: approval.id,
    from: approval.status,
    set: { status, decidedAt: at, decidedBy: by, note, ...signed, ...(status === 'settled' ? { result } : {}) },
  };
}

function decided(
  approval: Approval,
  decision: string,
  { by, note, signed }: Deciding,
  more: { result?: Json } = {},
): EventDraft {
  return event('approval.decided', {
    approval: approval.id,
    decision,
    by,
    note,
    hash: approval.hash,
    ...more,
    ...signed,
  });
}
