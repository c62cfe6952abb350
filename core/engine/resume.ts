import { ApprovalChangedError, DecisionNotSignedError, RunLeasedError, RunStateError } from '../errors.js';
import { approvalHash, isExpired, type Approval } from '../model/approval.js';
import { expire } from '../model/moves/operator.js';
import { resumeRun, startRun, takeOver } from '../model/moves/start.js';
import { isRequestOf } from '../model/recorded-request.js';
import { isTerminal, type Run } from '../model/run.js';
import type { Engine } from './engine.js';
import { Instances } from './instances.js';
import { drive } from './loop.js';
import { recordedCall } from './prepare.js';
import { see, type Seen } from './seen.js';
import { Session } from './session.js';
import { attempt, conflict, endIfLimited } from './step.js';

/**
 * Goes on with a run, whatever it waits for or was left in, until it pauses or ends.
 *
 * A run that still waits for a person is returned as it is.
 *
 * @throws RunLeasedError if its lease is live (contract L6), RunStateError if it has ended, UndecodableError (S9),
 *   ApprovalChangedError if the stored request is not the one that was approved (A3), DecisionNotSignedError if the run
 *   would go on with a decision that is not an approver's (A7)
 */
export function resume(engine: Engine, runId: string): Promise<Run> {
  return engine.exclusively(runId, async () => {
    const seen = await see(engine.store, runId, engine.options.approvers);
    const { run, approval } = seen.state;
    assertResumable(run, engine.store.clock.now());
    if (seen.fault) throw new DecisionNotSignedError(runId, seen.fault.approvalId, seen.fault.why);
    const agent = engine.agent(run.agent);
    const instances = new Instances(engine.options.provide);
    await instances.of(agent.cls);
    const session = new Session(engine, agent, instances, seen.state, seen.approvals);
    if (run.status === 'WAITING' && approval) return resumeWaiting(session, approval);
    return drive(session, () => take(session, seen));
  });
}

function assertResumable(run: Run, now: number): void {
  if (isTerminal(run.status)) throw new RunStateError(run.id, run.status, run.reason, 'resume');
  if (run.lease && run.lease.expiresAt > now) {
    throw new RunLeasedError(run.id, run.lease.owner, new Date(run.lease.expiresAt));
  }
}

/** Takes the lease of a run that was never started, was released, or was left behind by a dead owner (contract L7). */
function take(session: Session, { readOnly }: Seen): Promise<void> {
  return session.commit((state, at, lease) => {
    if (state.run.status === 'PENDING') return startRun(state, lease, at);
    if (state.run.lease) return takeOver(state, lease, readOnly, at);
    return resumeRun(state, lease);
  });
}

async function resumeWaiting(session: Session, approval: Approval): Promise<Run> {
  if (isExpired(approval, session.engine.store.clock.now())) {
    await session.commit((state, at) => expire(state, approval, at));
    return session.run;
  }
  switch (approval.status) {
    case 'pending':
      return session.run;
    case 'approved':
      return drive(session, () => runApproved(session, approval));
    default:
      return drive(session, () => session.commit((state, _at, lease) => resumeRun(state, lease)));
  }
}

/** Executes exactly what was approved (contract A3, A4). */
async function runApproved(session: Session, grant: Approval): Promise<void> {
  assertUnchanged(session, grant);
  const call = recordedCall(session);
  if ('ok' in call) return conflict(session, call);
  if (await endIfLimited(session, false)) return;
  await attempt(session, call, grant);
}

function assertUnchanged({ step, run }: Session, grant: Approval): void {
  if (approvalHash(grant) !== grant.hash) {
    throw new ApprovalChangedError(grant.id, 'its stored request no longer has the hash that was approved');
  }
  if (!isRequestOf(grant.request, run, step)) {
    throw new ApprovalChangedError(grant.id, 'its request is not the one that its step has recorded');
  }
}
