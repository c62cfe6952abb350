import { storedJson } from '../model/canonical-json.js';
import { asciiJson } from '../model/moves/step.js';
import type { ApprovalSet, NewApproval, NewRun, RunSet, StepSet } from '../model/moves/change.js';
import type { Step } from '../model/step.js';
import type { ApprovalRow, RunRow, StepRow } from './entities/index.js';

/**
 * From the model to rows. JSON is stored in its canonical form: the bytes that are shown are the bytes that are hashed.
 */

export function newRunRow(run: NewRun): Omit<RunRow, 'seq' | 'eventCount' | 'headHash'> {
  return {
    id: run.id,
    agent: run.agent,
    goal: run.goal,
    status: run.status,
    reason: run.reason,
    message: run.message,
    result: nullableJson(run.result, 'result'),
    limits: storedJson(run.limits, 'limits'),
    stepCount: run.stepCount,
    activeMs: run.activeMs,
    leaseOwner: run.lease?.owner ?? null,
    leaseExpiresAt: run.lease?.expiresAt ?? null,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    updatedAt: run.updatedAt,
    finishedAt: run.finishedAt,
  };
}

export function runSetRow({ lease, result, ...set }: RunSet): Partial<RunRow> {
  return {
    ...set,
    ...(lease === undefined ? {} : { leaseOwner: lease?.owner ?? null, leaseExpiresAt: lease?.expiresAt ?? null }),
    ...(result === undefined ? {} : { result: nullableJson(result, 'result') }),
  };
}

export function newStepRow(step: Step): Partial<StepRow> {
  const { id, runId, index, operationId, decodeError: _decodeError, ...rest } = step;
  return { id, runId, index, operationId, ...stepSetRow(rest) };
}

export function stepSetRow({ decision, rawDecision, args, policy, observation, ...set }: StepSet): Partial<StepRow> {
  return {
    ...set,
    ...(decision === undefined ? {} : { decision: nullableJson(decision, 'decision') }),
    ...(rawDecision === undefined ? {} : { rawDecision: rawDecision === null ? null : asciiJson(rawDecision) }),
    ...(args === undefined ? {} : { args: nullableJson(args, 'args') }),
    ...(policy === undefined ? {} : { policy: nullableJson(policy, 'policy') }),
    ...(observation === undefined ? {} : { observation: nullableJson(observation, 'observation') }),
  };
}

export function newApprovalRow({ presentation, request, result, ...approval }: NewApproval): Omit<ApprovalRow, 'seq'> {
  return {
    ...approval,
    presentation: storedJson(presentation, 'presentation'),
    request: storedJson(request, 'request'),
    result: nullableJson(result, 'result'),
  };
}

export function approvalSetRow({ result, ...set }: ApprovalSet): Partial<ApprovalRow> {
  return { ...set, ...(result === undefined ? {} : { result: nullableJson(result, 'result') }) };
}

/** The JSON null has no text of its own here: an absent value and null are the same to every reader. */
function nullableJson(value: unknown, name: string): string | null {
  return value === null ? null : storedJson(value, name);
}
