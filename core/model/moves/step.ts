import { failuresInRow } from '../streaks.js';
import type { CompleteDecision, FailDecision } from '../decision.js';
import type { Json } from '../json.js';
import type { LimitReached } from '../limits.js';
import type { Observation, Problem, Step } from '../step.js';
import {
  ending,
  event,
  lastStep,
  runEnded,
  stepTo,
  type ApprovalChange,
  type Change,
  type Ending,
  type State,
} from './change.js';

/** Commit 1: the agent is about to be asked. */
export function startStep(
  { run }: State,
  ids: { readonly step: string; readonly operation: string },
  at: number,
): Change {
  const step: Step = {
    id: ids.step,
    runId: run.id,
    index: run.stepCount + 1,
    status: 'deciding',
    decision: null,
    rawDecision: null,
    tool: null,
    args: null,
    specHash: null,
    operationId: ids.operation,
    attempt: 0,
    policy: null,
    cause: null,
    observation: null,
    startedAt: at,
    toolStartedAt: null,
    interruptedAt: null,
    finishedAt: null,
    decodeError: null,
  };
  return {
    run: { stepCount: step.index },
    step: { kind: 'insert', step },
    events: [event('step.started', { step: step.index, id: step.id, operationId: step.operationId })],
  };
}

/** Commit 2: what it answered, before anybody judges it (contract S7). */
export function recordDecision(state: State, answer: { readonly decision: Json; readonly raw: string | null }): Change {
  const step = lastStep(state);
  return {
    run: {},
    step: stepTo(step, 'deciding', { decision: answer.decision, rawDecision: answer.raw }),
    events: [
      event('step.decided', {
        step: step.index,
        decision: answer.decision,
        // JSON text, so that a lone surrogate in what a model wrote survives in the record.
        ...(answer.raw === null ? {} : { raw: asciiJson(answer.raw) }),
      }),
    ],
  };
}

/** The text as a JSON string literal in ASCII: every code unit survives any encoding. */
export function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The answer is not a decision that could run: the agent is told what was wrong (contract P3). */
export function rejectDecision(state: State, message: string, problems: readonly Problem[], at: number): Change {
  return failStep(state, { kind: 'invalid_decision', message, problems }, [], at);
}

/** The agent ends its run, as reached or as out of reach. */
export function endByDecision(state: State, decision: CompleteDecision | FailDecision, at: number): Change {
  const step = lastStep(state);
  const end: Ending =
    decision.kind === 'complete'
      ? { status: 'COMPLETED', reason: 'goal_completed', result: decision.result ?? null }
      : { status: 'FAILED', reason: 'goal_failed', message: decision.message };
  const done = stepTo(step, 'done', { observation: runEnded(end.reason), finishedAt: at });
  return ending({ run: {}, step: done, events: [] }, state.run, end, at);
}

/** The run ends around its open step, and around an open approval of it: nothing is left in flight. */
export function failRun(state: State, end: Ending, before: Change['events'], at: number): Change {
  const step = lastStep(state);
  const observation = runEnded(end.reason);
  const failed = stepTo(step, 'failed', { observation, finishedAt: at });
  const events = [...before, event('step.failed', { step: step.index, observation })];
  return ending({ run: {}, step: failed, approvals: closeApproval(state), events }, state.run, end, at);
}

/** The step's approval, if it is still open, ends with its run. */
export function closeApproval({ approval }: State): readonly ApprovalChange[] {
  if (approval?.status !== 'pending' && approval?.status !== 'approved') return [];
  return [{ kind: 'update', id: approval.id, from: approval.status, set: { status: 'cancelled' } }];
}

/** The step fails, and its run with it if that was one failure in a row too many (contract P5). */
export function failStep(state: State, observation: Observation, before: Change['events'], at: number): Change {
  const step = lastStep(state);
  const failed: Change = {
    run: {},
    step: stepTo(step, 'failed', { observation, finishedAt: at }),
    events: [...before, event('step.failed', { step: step.index, observation })],
  };
  return endIfFailedTooOften(failed, state, at);
}

/** The change of a step that failed, with the end of its run if the failures in a row reached their limit. */
export function endIfFailedTooOften(change: Change, { run, step, earlier }: State, at: number): Change {
  const max = run.limits.maxFailures;
  const value = step ? failuresInRow([...earlier, { ...step, status: 'failed' }]) : 0;
  if (max === null || value < max) return change;
  const exceeded = event('limit.exceeded', { limit: 'maxFailures', max, value });
  const end: Ending = {
    status: 'FAILED',
    reason: 'repeated_tool_failures',
    message: `${value} steps in a row failed (limit ${max})`,
  };
  return ending({ ...change, events: [...change.events, exceeded] }, run, end, at);
}

/** A limit forbids the next act: the run ends, and its open step with it if it has one. */
export function endByLimit(state: State, reached: LimitReached, at: number): Change {
  const { reason, limit, max, value } = reached;
  const exceeded = event('limit.exceeded', { limit, max, value });
  const end: Ending = { status: 'FAILED', reason, message: `${limit} is ${max}, and ${value} is reached` };
  if (state.step?.observation === null) return failRun(state, end, [exceeded], at);
  return ending({ run: {}, events: [exceeded] }, state.run, end, at);
}
