import { setImmediate as nextTurn } from 'node:timers/promises';
import { UndecodableError } from '../errors.js';
import type { Approval, ApprovalStatus } from '../model/approval.js';
import { signatureFault, type Approvers } from '../model/decision-signature.js';
import type { DecisionFault } from '../model/signed-run.js';
import { everyEntry, readApprovals, readRuns } from '../store/bounded-reads.js';
import { loadApproval } from '../store/reads.js';
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

/** Every decision of a store whose signature does not hold, oldest first, read a page at a time. */
export async function* unsignedDecisions(store: Store, approvers: Approvers): AsyncGenerator<UnsignedDecision> {
  for await (const { id, status } of everyEntry((page) => store.read((sql) => readApprovals(store, sql, {}, page)))) {
    if (!DECIDED.includes(status)) continue;
    // A signature is of the whole row, and a page of whole rows may be long.
    await nextTurn();
    const unsigned = unsignedDecision(await store.read((sql) => loadApproval(store, sql, id)), approvers);
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
    const runs = everyEntry((page) => store.read((sql) => readRuns(store, sql, { status }, page)));
    for await (const { id: runId } of runs) {
      await nextTurn();
      const fault = await faultOf(store, runId, approvers);
      if (fault) yield { runId, ...fault };
    }
  }
}

function unsignedDecision(approval: Approval, approvers: Approvers): UnsignedDecision | null {
  const { id: approvalId, runId, status, decidedBy: by } = approval;
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
