import type { EventType } from '../event.js';
import { text, unshown } from './column.js';
import { encoded, Misfit, stored, type Payload } from './payload.js';
import type { Apply } from './run-events.js';
import type { ApprovalColumns, ReplayedState, StepColumns } from './state.js';

/** The events of an approval. */
export const APPROVAL_EVENTS = {
  'approval.requested': (state, payload, at) => {
    const step = state.stepOf(payload);
    const approval = requestedApproval(state, step, payload, at);
    if (state.approvals.has(approval.id))
      throw new Misfit('this approval was requested before', 'another id', 'its id');
    // Another question than the one that was granted: the old grant is spent (contract A3).
    state.close('spent');
    state.approvals.set(approval.id, approval);
    state.open = approval;
    step.status = 'awaiting_approval';
    state.release('WAITING');
  },
  'approval.decided': (state, payload, at) => {
    const approval = state.approvalOf(payload);
    const decision = payload.text('decision');
    if (decision === 'expired') {
      state.close('expired');
      return;
    }
    if (decision !== 'approved' && decision !== 'rejected' && decision !== 'settled') {
      throw new Misfit('this version does not know this decision', 'approved, rejected, settled or expired', 'another');
    }
    decide(approval, payload, at);
    if (decision === 'approved') approval.status = 'approved';
    else state.close(decision);
    if (decision === 'settled') settle(state, approval, payload, at);
  },
} as const satisfies Partial<Record<EventType, Apply>>;

function requestedApproval(state: ReplayedState, step: StepColumns, payload: Payload, at: number): ApprovalColumns {
  return {
    id: payload.text('approval'),
    run_id: state.runId,
    step_id: step.id,
    kind: text(payload.text('kind')),
    capability: text(payload.text('capability')),
    presentation: unshown(encoded(payload.object('presentation'))),
    hash: text(payload.text('hash')),
    status: 'pending',
    requested_at: at,
    // An older version did not write these two.
    expires_at: payload.has('expiresAt') ? payload.numberOrNull('expiresAt') : undefined,
    grant_ttl_ms: payload.has('grantTtlMs') ? payload.numberOrNull('grantTtlMs') : undefined,
    decided_at: null,
    decided_by: null,
    note: null,
    result: null,
    signature: null,
    signer: null,
  };
}

/** What a decision of a person leaves on the approval, whichever it is. */
function decide(approval: ApprovalColumns, payload: Payload, at: number): void {
  approval.decided_at = at;
  approval.decided_by = text(payload.text('by'));
  approval.note = text(payload.textOrNull('note'));
  if (!payload.has('signature')) return;
  approval.signature = text(payload.text('signature'));
  approval.signer = text(payload.text('signer'));
}

/** What the person entered is the step's result (contract I6). */
function settle(state: ReplayedState, approval: ApprovalColumns, payload: Payload, at: number): void {
  const result = payload.json('result');
  approval.result = stored(result);
  const step = state.steps.at(-1);
  if (step) state.observe(step, 'done', { kind: 'result', result, settledBy: payload.text('by') }, at);
}
