import { UndecodableError } from '../errors.js';
import type { Approval, ApprovalStatus } from '../model/approval.js';
import { signatureFault, type Approvers } from '../model/decision-signature.js';
import type { DecisionFault } from '../model/signed-run.js';
import { loadApprovals, loadRuns, type Page } from '../store/reads.js';
import type { Store } from '../store/store.js';
import { see } from './seen.js';

/** A decision in a store that is not one of an approver (contract A7). */
export interface UnsignedDecision {
  readonly approvalId: string;
  readonly runId: string;
  readonly status: ApprovalStatus;
  /** Who the row says decided it. */
  readonly by: string | null;
  readonly why: string;
}

/** A run that a resume would refuse. */
export interface RefusedRun extends DecisionFault {
  readonly runId: string;
}

const DECIDED: readonly ApprovalStatus[] = ['approved', 'rejected', 'settled', 'spent'];
const PAGE = 500;

/** Every decision of a store whose signature does not hold, oldest first, read a page at a time. */
export async function* unsignedDecisions(store: Store, approvers: Approvers): AsyncGenerator<UnsignedDecision> {
  const pages = paged((page) => store.read((sql) => loadApprovals(store, sql, {}, page)));
  for await (const approval of pages) {
    const unsigned = unsignedDecision(approval, approvers);
    if (unsigned) yield unsigned;
  }
}

/**
 * Every run that a resume would refuse, for a decision that is not signed, or that is signed and was used before.
 *
 * A run with a row that does not decode cannot go on either, and is left out.
 */
export async function* refusedRuns(store: Store, approvers: Approvers): AsyncGenerator<RefusedRun> {
  for (const status of ['WAITING', 'RUNNING'] as const) {
    const pages = paged((page) => store.read((sql) => loadRuns(store, sql, { status }, page)));
    for await (const { id: runId } of pages) {
      const fault = await faultOf(store, runId, approvers);
      if (fault) yield { runId, ...fault };
    }
  }
}

function unsignedDecision(approval: Approval, approvers: Approvers): UnsignedDecision | null {
  const { id: approvalId, runId, status, decidedBy: by } = approval;
  if (!DECIDED.includes(status)) return null;
  const why = signatureFault(approval, approvers);
  return why === null ? null : { approvalId, runId, status, by, why };
}

async function faultOf(store: Store, runId: string, approvers: Approvers): Promise<DecisionFault | null> {
  try {
    return (await see(store, runId, approvers)).fault;
  } catch (error) {
    if (error instanceof UndecodableError) return null;
    throw error;
  }
}

async function* paged<Row extends { readonly seq: number }>(
  load: (page: Page) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  let cursor: Page = { limit: PAGE };
  for (;;) {
    const rows = await load(cursor);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    cursor = { after: last.seq, limit: PAGE };
  }
}
