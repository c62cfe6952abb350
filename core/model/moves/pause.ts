import { approvalHash, type Approval, type ApprovalSubject } from '../approval.js';
import type { EventDraft } from '../event.js';
import { judged, judgedEvent, spend, type JudgedCall } from './tool.js';
import { event, lastStep, runTo, stepTo, type Change, type NewApproval, type State } from './change.js';

/** A question to a person, with the times that bound its answer. */
export interface Question {
  readonly id: string;
  readonly subject: ApprovalSubject;
  readonly approvalTtlMs: number | null;
  readonly grantTtlMs: number | null;
}

/**
 * Commit 3b: the run pauses on this exact request and its lease is released (contract L1, A6).
 *
 * With a grant, the run was waiting already and the policy now asks for something else: the old grant is spent (A3).
 */
export function requestApproval(
  state: State,
  call: JudgedCall,
  question: Question,
  grant: Approval | null,
  at: number,
): Change {
  const step = lastStep(state);
  return {
    run: { ...runTo(state.run, 'WAITING'), lease: null },
    step: stepTo(step, 'awaiting_approval', judged(call)),
    approvals: [...(grant ? [spend(grant)] : []), { kind: 'insert', approval: approvalOf(state, question, at) }],
    events: [judgedEvent(state, call), requested(state, question, at)],
  };
}

/** The run pauses on a call whose outcome nobody knows (contract I5). `before` says what was asked and answered so far. */
export function pauseInterrupted(state: State, question: Question, before: readonly EventDraft[], at: number): Change {
  return {
    run: { ...runTo(state.run, 'WAITING'), lease: null },
    step: stepTo(lastStep(state), 'awaiting_approval'),
    approvals: [{ kind: 'insert', approval: approvalOf(state, question, at) }],
    events: [...before, requested(state, question, at)],
  };
}

function approvalOf(state: State, { id, subject, approvalTtlMs, grantTtlMs }: Question, at: number): NewApproval {
  return {
    ...subject,
    id,
    runId: state.run.id,
    stepId: lastStep(state).id,
    hash: approvalHash(subject),
    status: 'pending',
    requestedAt: at,
    expiresAt: endOf(approvalTtlMs, at),
    grantTtlMs,
    decidedAt: null,
    decidedBy: null,
    note: null,
    result: null,
    signature: null,
    signer: null,
  };
}

function endOf(ttlMs: number | null, at: number): number | null {
  return ttlMs === null ? null : at + ttlMs;
}

function requested(state: State, { id, subject, approvalTtlMs, grantTtlMs }: Question, at: number): EventDraft {
  return event('approval.requested', {
    step: lastStep(state).index,
    approval: id,
    kind: subject.kind,
    capability: subject.capability,
    presentation: subject.presentation,
    hash: approvalHash(subject),
    expiresAt: endOf(approvalTtlMs, at),
    grantTtlMs,
  });
}
