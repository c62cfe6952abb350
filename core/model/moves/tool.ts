import { storedJson } from '../canonical-json.js';
import { sha256 } from '../hash.js';
import { repeatsInRow } from '../streaks.js';
import type { Approval } from '../approval.js';
import type { Json } from '../json.js';
import type { PolicyDecision } from '../policy.js';
import type { Lease } from '../run.js';
import type { InterruptionCause } from '../interruption.js';
import type { Observation } from '../step.js';
import type { ToolSpec } from '../tool.js';
import { resumed } from './start.js';
import { endIfFailedTooOften, failRun, failStep } from './step.js';
import { ending, event, lastStep, runTo, stepTo, type Change, type Ending, type State } from './change.js';

/** A valid call and what the policy said about it. */
export interface JudgedCall {
  readonly spec: ToolSpec;
  readonly specHash: string;
  readonly args: Json;
  readonly policy: PolicyDecision;
}

/** A resume of a run that a person has let go on: what it takes, and the grant that is spent on it (contract A3). */
export interface Resumption {
  readonly lease: Lease;
  readonly grant: Approval;
}

/** Commit 3a: the policy allowed it and the tool is about to be called (contract I1). With a resumption, A4: all in one. */
export function startTool(state: State, call: JudgedCall, resumption: Resumption | null, at: number): Change {
  const step = lastStep(state);
  const attempt = step.attempt + 1;
  const started = stepTo(step, 'executing', {
    ...judged(call),
    attempt,
    toolStartedAt: at,
    interruptedAt: null,
    cause: null,
  });
  const start = event('step.tool_started', {
    step: step.index,
    tool: call.spec.name,
    specHash: call.specHash,
    args: call.args,
    operationId: step.operationId,
    attempt,
    approval: resumption?.grant.id,
  });
  const change = { run: {}, step: started, events: [policyEvent(state, call), start] };
  return resumption ? resuming(state, change, resumption) : change;
}

/** The policy said no: the agent sees why and decides again. After an interruption it also learns that nobody knows. */
export function denyTool(
  state: State,
  call: JudgedCall & { readonly reason: string },
  resumption: Resumption | null,
  at: number,
): Change {
  const outcomeUnknown = lastStep(state).attempt > 0;
  const observation: Observation = {
    kind: 'denied',
    message: outcomeUnknown
      ? `${call.reason} (an earlier attempt of this call was interrupted: whether it took effect is unknown)`
      : call.reason,
    ...(outcomeUnknown ? { outcomeUnknown } : {}),
  };
  const failed = failStep(state, observation, [judgedEvent(state, call)], at);
  const change = { ...failed, step: withJudgement(failed, call) };
  return resumption ? resuming(state, change, resumption) : change;
}

/** The policy ended the run, or could not be asked (contract P1): nothing executes. */
export function endByPolicy(state: State, end: Ending, policy: PolicyDecision | null, at: number): Change {
  return failRun(state, end, policy ? [policyEvent(state, { policy })] : [], at);
}

/** Commit 4: what the tool returned. */
export function finishTool(state: State, spec: ToolSpec, result: Json, at: number): Change {
  const step = lastStep(state);
  const observation: Observation = { kind: 'result', result };
  const done = stepTo(step, 'done', { observation, finishedAt: at });
  const change: Change = {
    run: {},
    step: done,
    events: [event('step.tool_finished', { step: step.index, attempt: step.attempt, result })],
  };
  if (spec.terminal) return ending(change, state.run, { status: 'COMPLETED', reason: 'goal_completed', result }, at);
  return endIfLooping(change, state, observation, at);
}

/** Commit 4, where the tool threw: a known failure. */
export function failTool(state: State, observation: Observation & { readonly kind: 'error' }, at: number): Change {
  const step = lastStep(state);
  const change: Change = {
    run: {},
    step: stepTo(step, 'failed', { observation, finishedAt: at }),
    events: [event('step.tool_finished', { step: step.index, attempt: step.attempt, error: observation })],
  };
  return endIfFailedTooOften(change, state, at);
}

/** Commit 4, where the tool threw `AbortRunError`. */
export function abortByTool(state: State, message: string, at: number): Change {
  const step = lastStep(state);
  const finished = event('step.tool_finished', { step: step.index, attempt: step.attempt, aborted: message });
  return failRun(state, { status: 'FAILED', reason: 'tool_abort', message }, [finished], at);
}

/** A living process does not know whether its call took effect (contract I9): the same as a crash, but that it lives. */
export function interruptTool(state: State, cause: InterruptionCause, detail: string, at: number): Change {
  const step = lastStep(state);
  return {
    run: {},
    step: stepTo(step, 'interrupted', { cause, interruptedAt: at }),
    events: [
      event('step.interrupted', {
        step: step.index,
        cause,
        during: step.status,
        tool: step.tool,
        settled: false,
        detail,
      }),
    ],
  };
}

/** What the policy said, as an event; `atPause` marks an answer that is only shown to a person and starts nothing. */
export function policyEvent(
  state: State,
  call: { readonly policy: PolicyDecision; readonly atPause?: true },
): Change['events'][number] {
  return event('step.policy', { step: lastStep(state).index, decision: call.policy, atPause: call.atPause });
}

/** What the policy said of a call that is not started by it; the event says which call that was. */
export function judgedEvent(state: State, call: JudgedCall): Change['events'][number] {
  return event('step.policy', {
    step: lastStep(state).index,
    decision: call.policy,
    tool: call.spec.name,
    specHash: call.specHash,
    argsHash: sha256(storedJson(call.args)),
  });
}

/** The grant is used up, whatever became of it (F3). */
export function spend(grant: Approval): NonNullable<Change['approvals']>[number] {
  return { kind: 'update', id: grant.id, from: grant.status, set: { status: 'spent' } };
}

/** The step's fields that a judged call sets. */
export function judged(call: JudgedCall) {
  return { tool: call.spec.name, args: call.args, specHash: call.specHash, policy: call.policy };
}

function withJudgement(change: Change, call: JudgedCall): NonNullable<Change['step']> {
  if (change.step?.kind !== 'update') throw new Error('a judged step exists already');
  return { ...change.step, set: { ...change.step.set, ...judged(call) } };
}

/** Prefixes the move out of WAITING, unless the change ends the run anyway. */
function resuming(state: State, change: Change, { lease, grant }: Resumption): Change {
  const ends = change.run.status !== undefined;
  return {
    ...change,
    run: ends ? change.run : { ...change.run, ...runTo(state.run, 'RUNNING'), lease },
    approvals: [spend(grant)],
    events: ends ? change.events : [resumed(lease, grant.id), ...change.events],
  };
}

/** Ends the run if the last calls were the same and had the same result (contract P5). */
export function endIfLooping(
  change: Change,
  { run, step, earlier }: State,
  observation: Observation,
  at: number,
): Change {
  const max = run.limits.maxRepeats;
  const value = step ? repeatsInRow([...earlier, { ...step, observation }]) : 0;
  if (max === null || value < max) return change;
  const looping = event('loop.detected', { tool: step?.tool ?? null, times: value, max });
  const end: Ending = {
    status: 'FAILED',
    reason: 'loop_detected',
    message: `${value} identical calls in a row had the same result (limit ${max})`,
  };
  return ending({ ...change, events: [...change.events, looping] }, run, end, at);
}
