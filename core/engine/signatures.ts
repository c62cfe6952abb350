import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotFoundError, UndecodableError } from '../errors.js';
import type { Approval, ApprovalStatus } from '../model/approval.js';
import type { Run } from '../model/run.js';
import { signatureFault, type Approvers } from '../model/decision-signature.js';
import type { DecisionFault } from '../model/signed-run.js';
import { everyEntry, readApprovals, readRuns } from '../store/bounded-reads.js';
import { loadApproval } from '../store/reads.js';
import type { Store } from '../store/store.js';
import { NOT_READ } from './finding.js';
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
  for await (const listed of everyEntry((page) => store.read((sql) => readApprovals(store, sql, {}, page)))) {
    if (!DECIDED.includes(listed.status)) continue;
    // A signature is of the whole row, and a page of whole rows may be long.
    await nextTurn();
    const why = await whyUnsigned(store, listed, approvers);
    const { id: approvalId, runId, status, decidedBy: by } = listed;
    if (why !== null) yield { approvalId, runId, status, by, why };
  }
}

/**
 * Every run that a resume would refuse, for a decision that is not signed, or that is signed and was used before.
 *
 * A run with a row that does not decode cannot go on either, and is left out. One that cannot be read by its id is told.
 */
export async function* refusedRuns(store: Store, approvers: Approvers): AsyncGenerator<RefusedRun> {
  for (const status of ['WAITING', 'RUNNING'] as const) {
    const runs = everyEntry((page) => store.read((sql) => readRuns(store, sql, { status }, page)));
    for await (const run of runs) {
      await nextTurn();
      const fault = await faultOf(store, run, approvers);
      if (fault) yield { runId: run.id, ...fault };
    }
  }
}

/** The row that is read by an id may be another than the listed one, of which not all of an id was shown. */
async function whyUnsigned(store: Store, { id, seq }: Approval, approvers: Approvers): Promise<string | null> {
  const whole = await found(store.read((sql) => loadApproval(store, sql, id)));
  if (whole?.seq !== seq) return NOT_READ;
  return signatureFault(whole, approvers) ?? whole.decodeError;
}

async function faultOf(store: Store, { id, seq }: Run, approvers: Approvers): Promise<DecisionFault | null> {
  try {
    const seen = await found(see(store, id, approvers));
    return seen?.state.run.seq === seq ? seen.fault : { approvalId: null, why: NOT_READ };
  } catch (error) {
    if (error instanceof UndecodableError) return null;
    throw error;
  }
}

/** What was read; null if there is none of its id. */
async function found<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
