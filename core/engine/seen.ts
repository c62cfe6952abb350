import { UndecodableError } from '../errors.js';
import type { Approvers } from '../model/decision-signature.js';
import { isTerminal } from '../model/run.js';
import { decisionFault, type Decided, type DecisionFault } from '../model/signed-run.js';
import { loadApprovals, loadRun, loadSpec, loadSteps } from '../store/reads.js';
import type { Store } from '../store/store.js';
import type { Sql } from '../store/table.js';

/** A run as it was read before anything of it was taken. */
export interface Seen extends Decided {
  /** Whether the step in flight, if there is one, calls a tool that was declared read only when it started. */
  readonly readOnly: boolean;
  /** Why it may not go on, if it would with a decision that is not an approver's (contract A7). */
  readonly fault: DecisionFault | null;
}

/**
 * Reads all of a run that a resume decides on.
 *
 * A decision that is made between two reads looks like half of one, so a fault is found again in a transaction.
 *
 * @throws NotFoundError, UndecodableError (contract S9)
 */
export async function see(store: Store, runId: string, approvers: Approvers | null): Promise<Seen> {
  const seen = await store.read((sql) => load(store, sql, runId, approvers));
  return seen.fault ? store.transaction((sql) => load(store, sql, runId, approvers)) : seen;
}

async function load(store: Store, sql: Sql, runId: string, approvers: Approvers | null): Promise<Seen> {
  const run = await loadRun(store, sql, runId);
  const steps = await loadSteps(store, sql, runId);
  const approvals = await loadApprovals(store, sql, runId);
  const broken = [run, ...steps, ...approvals].find((row) => row.decodeError !== null);
  const goesOn = !isTerminal(run.status);
  if (broken?.decodeError && goesOn) throw new UndecodableError(runId, broken.decodeError);
  const step = steps.at(-1) ?? null;
  const approval = approvals.filter((one) => one.stepId === step?.id).at(-1) ?? null;
  const spec = await loadSpec(store, sql, step?.specHash ?? null);
  const decided = { state: { run, step, approval, earlier: steps.slice(0, -1) }, approvals };
  const fault = approvers && goesOn ? decisionFault(decided, approvers) : null;
  return { ...decided, readOnly: spec?.readOnly ?? false, fault };
}
