import {
  ApprovalChangedError,
  InvalidArgumentError,
  NotPendingError,
  RunStateError,
  UndecodableError,
} from '../errors.js';
import { approvalHash, asksForOutcome, isExpired, type Approval } from '../model/approval.js';
import { signDecision, type Signed, type Signer } from '../model/decision-signature.js';
import type { RunEvent } from '../model/event.js';
import type { Json } from '../model/json.js';
import type { Change, State } from '../model/moves/change.js';
import { approve, cancel as cancelRun, expire, reject, settle, type Deciding } from '../model/moves/operator.js';
import { isTerminal, type Run } from '../model/run.js';
import { loadApproval, loadState } from '../store/reads.js';
import type { Store } from '../store/store.js';
import { transition, write } from '../store/transition.js';

/** What a person answers. `hash` is that of the request that they were shown (contract A2), `signer` their key (A7). */
export type PersonsAnswer = Omit<Deciding, 'signed'> & { readonly hash: string; readonly signer: Signer | null } & (
    { readonly kind: 'approve' } | { readonly kind: 'reject' } | { readonly kind: 'settle'; readonly result: Json }
  );

const DECISIONS = { approve: 'approved', reject: 'rejected', settle: 'settled' } as const;

/** What an operator's act left, and the events that it added. */
export interface Decided<T> {
  readonly value: T;
  readonly events: readonly RunEvent[];
}

/**
 * Records a person's decision: one transaction that checks the request's hash again and is conditional on it.
 *
 * An approval whose time has run out is returned as `expired`: its run is cancelled then (A5).
 *
 * @throws NotFoundError, NotPendingError, ApprovalChangedError, RunStateError, UndecodableError: nothing was decided
 */
export async function decide(store: Store, approvalId: string, answer: PersonsAnswer): Promise<Decided<Approval>> {
  return store.transaction(async (sql) => {
    const at = store.clock.now();
    const approval = await loadApproval(store, sql, approvalId);
    const state = await loadState(store, sql, approval.runId);
    assertDecidable(approval, state, answer);
    const change = isExpired(approval, at) ? expire(state, approval, at) : changeOf(state, approval, answer, at);
    const { events } = await write(store, sql, state, change, at);
    return { value: await loadApproval(store, sql, approvalId), events };
  });
}

/**
 * Ends a run that has not ended, whoever holds it (contract L9).
 *
 * @throws NotFoundError, RunStateError
 */
export async function cancel(store: Store, runId: string, by: string, reason: string | null): Promise<Decided<Run>> {
  const { state, events } = await transition(store, runId, (current, at) => {
    const { run } = current;
    if (isTerminal(run.status)) throw new RunStateError(run.id, run.status, run.reason, 'cancel');
    return cancelRun(current, by, reason, at);
  });
  return { value: state.run, events };
}

function assertDecidable(approval: Approval, { run, approval: latest }: State, answer: PersonsAnswer): void {
  if (approval.decodeError) throw new UndecodableError(approval.runId, approval.decodeError);
  if (approval.status !== 'pending') throw new NotPendingError(approval.id, approval.status);
  if (approvalHash(approval) !== approval.hash) {
    throw new ApprovalChangedError(approval.id, 'its stored request does not have its stored hash');
  }
  if (answer.hash !== approval.hash) {
    throw new ApprovalChangedError(approval.id, 'the request is not the one that the decision was made on');
  }
  if (run.status !== 'WAITING' || latest?.id !== approval.id) {
    throw new RunStateError(run.id, run.status, run.reason, 'decide an approval of');
  }
}

function changeOf(state: State, approval: Approval, answer: PersonsAnswer, at: number): Change {
  const deciding = { by: answer.by, note: answer.note, signed: signedBy(answer, approval, at) };
  if (answer.kind === 'approve') return approve(approval, deciding, at);
  if (answer.kind === 'reject') return reject(state, approval, deciding, at);
  if (!asksForOutcome(approval.kind)) {
    throw new InvalidArgumentError(
      `approval ${approval.id} is of kind ${approval.kind}: its call was never started, so there is nothing to settle; ` +
        'approve or reject it',
    );
  }
  return settle(state, approval, { ...deciding, result: answer.result }, at);
}

/** The time that is signed is the one that is stored: that of the transaction which decides. */
function signedBy(answer: PersonsAnswer, { id, hash, grantTtlMs }: Approval, decidedAt: number): Signed | null {
  const { signer, kind, by, note } = answer;
  const result = kind === 'settle' ? answer.result : null;
  const decision = DECISIONS[kind];
  return signer && signDecision(signer, { approval: id, hash, decision, result, by, note, decidedAt, grantTtlMs });
}
