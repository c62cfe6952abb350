import { asksForOutcome, type Approval } from './approval.js';
import { storedJson } from './canonical-json.js';
import { signatureFault, type Approvers } from './decision-signature.js';
import type { State } from './moves/change.js';
import { isRequestOf } from './recorded-request.js';
import type { Step } from './step.js';

/** Why a run may not go on. */
export interface DecisionFault {
  /** The approval at fault; null if it is that there is none. */
  readonly approvalId: string | null;
  readonly why: string;
}

/** A run with every approval of its steps, oldest first. */
export interface Decided {
  readonly state: State;
  readonly approvals: readonly Approval[];
}

/**
 * Why a run may not go on, if it would go on with a decision that is not an approver's (contract A7).
 *
 * Checked is what a resume goes on with: the grant that it would use, and every result that a person entered. A grant
 * that is spent was used: to refuse it would undo no call, and would keep the one that it started from being settled.
 */
export function decisionFault({ state, approvals }: Decided, approvers: Approvers): DecisionFault | null {
  const steps = state.step ? [...state.earlier, state.step] : state.earlier;
  const counting = approvals.filter(({ status }) => status === 'approved' || status === 'settled');
  return (
    waitingFault(state) ??
    first(counting, (approval) => faultOf(approval, signatureFault(approval, approvers))) ??
    first(counting, (approval) => faultOf(approval, useFault(approval, state, steps))) ??
    first(steps, (step) => unsettledFault(step, approvals))
  );
}

function first<T>(of: readonly T[], faultIn: (one: T) => DecisionFault | null): DecisionFault | null {
  for (const one of of) {
    const fault = faultIn(one);
    if (fault) return fault;
  }
  return null;
}

function faultOf({ id }: Approval, why: string | null): DecisionFault | null {
  return why === null ? null : { approvalId: id, why };
}

/** A run leaves WAITING by a decision, never by the loss of its question. */
function waitingFault({ run, approval }: State): DecisionFault | null {
  if (run.status !== 'WAITING') return null;
  if (!approval) return { approvalId: null, why: 'it waits, and the approval that it waits for is gone' };
  if (['pending', 'approved', 'settled'].includes(approval.status)) return null;
  return faultOf(approval, `its run waits for it, and it is ${approval.status}: no decision leaves that`);
}

function useFault(approval: Approval, state: State, steps: readonly Step[]): string | null {
  try {
    return misused(approval, state, steps);
  } catch {
    return 'its step holds what has no canonical form'; // Written by hand: nothing of ours stores it.
  }
}

function misused(approval: Approval, { run, step: last }: State, steps: readonly Step[]): string | null {
  const step = steps.find(({ id }) => id === approval.stepId);
  if (!step || !isRequestOf(approval.request, run, step))
    return 'its request is not the one that its step has recorded';
  if (approval.status === 'settled')
    return saysSettled(step, approval) ? null : 'its step does not say what was settled';
  if (step !== last || step.attempt !== attemptAskedAt(approval)) return 'it was used already: its step went on since';
  return null;
}

/** How many calls of the step had begun when a person was asked; its hash covers the number. */
function attemptAskedAt({ kind, presentation }: Approval): unknown {
  return asksForOutcome(kind) ? presentation.attempt : 0;
}

function saysSettled({ observation }: Step, { result, decidedBy }: Approval): boolean {
  if (observation?.kind !== 'result' || observation.settledBy !== decidedBy) return false;
  return storedJson(observation.result) === storedJson(result);
}

function unsettledFault(step: Step, approvals: readonly Approval[]): DecisionFault | null {
  if (!step.observation || !('settledBy' in step.observation)) return null;
  if (approvals.some(({ stepId, status }) => stepId === step.id && status === 'settled')) return null;
  return { approvalId: null, why: `step ${step.index} says that a person settled it, and no approval of it does` };
}
