import type { EventDraft } from '../model/event.js';
import { pauseInterrupted } from '../model/moves/pause.js';
import {
  reconcileComplete,
  reconcileConflict,
  reconcileContinue,
  reconciled,
  type Reconciler,
} from '../model/moves/reconcile.js';
import { policyEvent } from '../model/moves/tool.js';
import { readReconciliation, type Reconciliation } from '../model/reconciliation.js';
import type { InterruptedCall } from '../model/call.js';
import { copyOf } from '../model/json.js';
import { askPolicy, askUser, type CheckedCall } from './ask.js';
import { callApproval } from './execute.js';
import { outcomeSubject, type Known } from './outcome-question.js';
import { prepareCall, prepareQuestion, recordedCall, type PreparedCall } from './prepare.js';
import type { Session } from './session.js';
import { conflict } from './step.js';
import { questionAbout } from './subject.js';

/**
 * Settles a call whose outcome nobody has recorded (contract I4, I5, I9): the tool's reconciliation is asked, else the
 * agent's, else a person.
 *
 * The tool itself is not called here. Whatever dies in between leaves the step as it was, and the next resume comes
 * back here (I8).
 */
export async function settleInterrupted(session: Session): Promise<void> {
  const call = recordedCall(session);
  if ('ok' in call) return conflict(session, call);
  const reconciler = reconcilerOf(session, call);
  if (!reconciler) return wait(session, call, {}, []);
  const prepared = await prepareQuestion(session, call);
  if (!prepared.ok && !prepared.fault) return conflict(session, prepared);
  if (!prepared.ok) return wait(session, call, { reconciliation: prepared.message }, []);
  const read = await askReconciliation(session, prepared, reconciler);
  const says = (answer: object): EventDraft => reconciled(session.state, { by: reconciler, ...answer });
  if (!read.ok) {
    return wait(session, call, { reconciliation: read.message }, [says({ answer: 'none', error: read.message })]);
  }
  if (read.answer.kind === 'wait')
    return wait(session, call, { wait: read.answer.approval }, [says({ answer: 'wait' })]);
  return commitAnswer(session, call, reconciler, read.answer);
}

/** A person decides, unless it is known that the call could not be made again: then it cannot wait (contract I7). */
async function wait(
  session: Session,
  call: CheckedCall,
  known: Omit<Known, 'policy'>,
  before: readonly EventDraft[],
): Promise<void> {
  const prepared = await prepareCall(session, call);
  if (prepared.ok) return pause(session, call, known, before);
  if (prepared.fault ?? prepared.threw)
    return pause(session, call, { reconciliation: prepared.message, ...known }, before);
  return conflict(session, prepared, before);
}

function reconcilerOf(session: Session, { tool }: CheckedCall): Reconciler | null {
  if (tool.reconcile !== null) return 'tool';
  return session.agent.reconcile === null ? null : 'agent';
}

async function askReconciliation(session: Session, call: PreparedCall, by: Reconciler) {
  const { agent } = session;
  const instance = by === 'tool' ? call.instance : await session.instance(agent.cls);
  const name = (by === 'tool' ? call.tool.reconcile : agent.reconcile) ?? '';
  const method = (instance as Record<string, unknown>)[name] as (input: object, call: InterruptedCall) => unknown;
  const { timeoutMs } = call.tool.spec;
  const { hold } = session;
  hold.boundCall(timeoutMs, session.engine.options.heartbeat.ttlMs);
  try {
    const answer = await askUser(session, () => method.call(instance, call.input, interruptedCall(session)), timeoutMs);
    hold.assertInTime();
    await session.reached(['reconciliation.answered']);
    return answer.ok ? readReconciliation(answer.value) : answer;
  } finally {
    hold.unboundCall();
  }
}

function interruptedCall(session: Session): InterruptedCall {
  const { run, step, state } = session;
  const { approval } = state;
  return {
    runId: run.id,
    stepId: step.id,
    operationId: step.operationId,
    attempt: step.attempt,
    agent: run.agent,
    startedAt: new Date(step.toolStartedAt ?? step.startedAt),
    interruptedAt: new Date(step.interruptedAt ?? step.startedAt),
    cause: step.cause ?? 'crash',
    run: copyOf(run),
    ...(approval?.status === 'spent' ? { approval: callApproval(approval) } : {}),
  };
}

async function commitAnswer(
  session: Session,
  call: CheckedCall,
  by: Reconciler,
  answer: Exclude<Reconciliation, { kind: 'wait' }>,
): Promise<void> {
  switch (answer.kind) {
    case 'continue':
      return session.commit((state, at) => reconcileContinue(state, by, answer.detail, at));
    case 'complete': {
      const endsRun = by === 'agent' || call.tool.spec.terminal;
      return session.commit((state, at) => reconcileComplete(state, { by, result: answer.result, endsRun }, at));
    }
    case 'conflict': {
      const says = reconciled(session.state, { by, answer: 'conflict', detail: answer.detail });
      return session.commit((state, at) => reconcileConflict(state, answer.detail, [says], at));
    }
  }
}

/** The run pauses on the exact request. What the policy says of it now is shown, and fails nothing (contract I5). */
async function pause(
  session: Session,
  call: CheckedCall,
  known: Omit<Known, 'policy'>,
  before: readonly EventDraft[],
): Promise<void> {
  const policy = await askPolicy(session, call);
  const asked = questionAbout(session, outcomeSubject(session, call, { ...known, policy }));
  const judged = policy.ok ? [policyEvent(session.state, { policy: policy.decision, atPause: true })] : [];
  await session.commit((state, at) => pauseInterrupted(state, asked, [...before, ...judged], at));
}
