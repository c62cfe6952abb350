import { DecisionNotSignedError } from '../errors.js';
import type { Approval, ApprovalStatus } from '../model/approval.js';
import { signatureFault, type Approvers } from '../model/decision-signature.js';
import { decisionFault, type Decided } from '../model/signed-run.js';
import { loadApprovals, type Page } from '../store/reads.js';
import type { Store } from '../store/store.js';

/** A decision in a store that is not one of an approver. */
export interface UnsignedDecision {
  readonly approvalId: string;
  readonly runId: string;
  readonly status: ApprovalStatus;
  /** Who the row says decided it. */
  readonly by: string | null;
  readonly why: string;
}

const DECIDED: readonly ApprovalStatus[] = ['approved', 'rejected', 'settled', 'spent'];
const PAGE = 500;

/** @throws DecisionNotSignedError if the run would go on with a decision that is not an approver's (contract A7) */
export function assertSigned(decided: Decided, approvers: Approvers | null): void {
  const fault = approvers && decisionFault(decided, approvers);
  if (fault) throw new DecisionNotSignedError(decided.state.run.id, fault.approvalId, fault.why);
}

/** Every decision of a store whose signature does not hold, oldest first, read a page at a time. */
export async function* unsignedDecisions(store: Store, approvers: Approvers): AsyncGenerator<UnsignedDecision> {
  let cursor: Page = { limit: PAGE };
  for (;;) {
    const page = await store.read((sql) => loadApprovals(store, sql, {}, cursor));
    for (const approval of page) {
      const fault = unsigned(approval, approvers);
      if (fault) yield fault;
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    cursor = { after: last.seq, limit: PAGE };
  }
}

function unsigned(approval: Approval, approvers: Approvers): UnsignedDecision | null {
  const { id: approvalId, runId, status, decidedBy: by } = approval;
  if (!DECIDED.includes(status)) return null;
  const why = signatureFault(approval, approvers);
  return why === null ? null : { approvalId, runId, status, by, why };
}
