import type { Approval } from '../model/approval.js';
import type { EventDraft } from '../model/event.js';
import { readDecision } from '../model/decision.js';
import { limitReached } from '../model/limits.js';
import { reconcileConflict } from '../model/moves/reconcile.js';
import { endByDecision, endByLimit, failRun, recordDecision, rejectDecision, startStep } from '../model/moves/step.js';
import { askAgent, type CheckedCall } from './ask.js';
import { runTool } from './execute.js';
import { judge } from './judge.js';
import { checkCall, prepareCall, type Refused } from './prepare.js';
import type { Session } from './session.js';

/** One step: record, validate, policy, execute, observe. Each of its commits is a point at which a process may die. */
export async function runStep(session: Session): Promise<void> {
  if (await endIfLimited(session, true)) return;
  const { ids } = session.engine.store;
  const fresh = { step: ids(), operation: ids() };
  await session.commit((state, at) => startStep(state, fresh, at), true);
  const answer = await askAgent(session);
  if (!answer.ok) return fail(session, 'agent_error', answer.message);
  const read = readDecision(answer.value);
  await session.commit((state) => recordDecision(state, read));
  const { meaning } = read;
  if (meaning.kind === 'invalid') return refuse(session, meaning);
  if (meaning.kind !== 'tool') return session.commit((state, at) => endByDecision(state, meaning, at));
  const call = await checkCall(session, meaning);
  return call.ok ? attempt(session, call, null) : refuse(session, call);
}

/**
 * Puts a valid call to the policy, and runs it if that allows.
 *
 * @param grant what a person has allowed, if the run waited for that
 */
export async function attempt(session: Session, call: CheckedCall, grant: Approval | null): Promise<void> {
  const prepared = await prepareCall(session, call);
  if (!prepared.ok && prepared.fault) return fail(session, 'internal_error', prepared.message);
  if (!prepared.ok) return grant ? conflict(session, prepared) : refuse(session, prepared);
  const judged = await judge(session, call, grant);
  if (!judged || (await endIfLimited(session, false))) return;
  await session.reached(['policy.allowed']);
  await runTool(session, prepared, judged, grant);
}

/** The recorded call can no longer be made, so it cannot wait either (contract I7). */
export function conflict(
  session: Session,
  { message, problems }: Omit<Refused, 'ok'>,
  before: readonly EventDraft[] = [],
): Promise<void> {
  const details = problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ');
  const says = `the recorded call of ${session.step.tool ?? 'a tool'} can no longer be made: ${details || message}`;
  return session.commit((state, at) => reconcileConflict(state, says, before, at));
}

/** Ends the run if a limit forbids the next act (contract P5). */
export async function endIfLimited(session: Session, beginsStep: boolean): Promise<boolean> {
  const { run, engine, activeMs } = session;
  const usage = { steps: run.stepCount, activeMs, elapsedMs: engine.store.clock.now() - run.createdAt };
  const reached = limitReached(run.limits, usage, beginsStep);
  if (!reached) return false;
  await session.commit((state, at) => endByLimit(state, reached, at));
  return true;
}

function refuse(session: Session, { message, problems }: Omit<Refused, 'ok'>): Promise<void> {
  return session.commit((state, at) => rejectDecision(state, message, problems, at));
}

function fail(session: Session, reason: 'agent_error' | 'internal_error', message: string): Promise<void> {
  return session.commit((state, at) => failRun(state, { status: 'FAILED', reason, message }, [], at));
}
