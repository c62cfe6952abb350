import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import type { Approval, RunEvent, Step } from 'holdpoint';
import type { Stored } from './real/real.js';

/** What holds in every record, whatever led to it. Nothing of the model is used here. */
export function assertInvariants(stored: Stored, calls: readonly string[], told: readonly RunEvent[]): void {
  assertRun(stored);
  for (const step of stored.steps) assertStep(step, stored, calls);
  for (const approval of stored.approvals) assertApproval(approval, stored);
  assertTold(stored, told);
}

/** L1: a lease is of a RUNNING run. S6: nothing is in flight under a run that has ended. */
function assertRun({ run, steps, approvals, events }: Stored): void {
  assert.ok(run.lease === null || run.status === 'RUNNING', `a ${run.status} run is leased`);
  assert.equal(run.eventCount, events.length, 'the events are not as many as the run has counted');
  assert.equal(run.stepCount, steps.length, 'the steps are not as many as the run has counted');
  const open = steps.filter(isOpen);
  assert.ok(
    open.every((step) => step === steps.at(-1)),
    'a step is open before the last one',
  );
  const asked = approvals.filter(({ status }) => status === 'pending' || status === 'approved');
  assert.ok(asked.length === 0 || run.status === 'WAITING', `an approval is open while its run is ${run.status}`);
  assert.ok(run.finishedAt === null || open.length === 0, 'a step is open in a run that has ended');
  assert.equal(open[0]?.status === 'awaiting_approval', asked.length > 0, 'a step waits for no open approval');
}

/** I1, I2: each call was recorded before, and is one of 1 + as many as persons have allowed anew. */
function assertStep(step: Step, { approvals, events }: Stored, calls: readonly string[]): void {
  const ours = approvals.filter(({ stepId }) => stepId === step.id);
  const open = ours.filter(({ status }) => status === 'pending' || status === 'approved');
  assert.ok(open.length <= 1, `step ${step.index} has two open approvals`);
  const granted = ours.filter(({ status, kind }) => status === 'spent' && isAboutOutcome(kind)).length;
  const made = calls.filter((call) => call.includes(step.operationId));
  assert.equal(new Set(made).size, made.length, `an attempt of step ${step.index} was made twice`);
  assert.ok(made.length <= 1 + granted, `step ${step.index} was called ${made.length} times with ${granted} grants`);
  const started = events.filter(({ type, payload }) => type === 'step.tool_started' && stepOf(payload) === step.index);
  assert.equal(started.length, step.attempt, `step ${step.index} has not an event for each attempt`);
  assert.ok(made.length <= started.length, `step ${step.index} was called without a record`);
}

/** A1: the hash covers kind, capability, presentation and the exact request. I5: a person is told that nobody knows. */
function assertApproval(
  { kind, capability, presentation, request, hash, stepId }: Approval,
  { run, steps }: Stored,
): void {
  const text = canonicalize({ kind, capability, presentation, request }) ?? '';
  assert.equal(hash, createHash('sha256').update(text).digest('hex'));
  const step = steps.find(({ id }) => id === stepId);
  const { tool, ...rest } = request;
  assert.deepEqual({ ...rest, tool: tool.name }, { runId: run.id, stepId, tool: step?.tool, args: step?.args });
  if (isAboutOutcome(kind))
    assert.match(canonicalize(presentation.summary) ?? '', /started.*whether it took effect is unknown/);
}

/** S4: an observer is told of what is committed, in order, and of nothing else. */
function assertTold({ events }: Stored, told: readonly RunEvent[]): void {
  for (const event of told) assert.deepEqual(event, events[event.index - 1], 'an observer was told of another event');
}

function isOpen({ status, observation }: Step): boolean {
  return status !== 'done' && status !== 'failed' && observation === null;
}

function isAboutOutcome(kind: string): boolean {
  return kind === 'interrupted_side_effect' || kind === 'unknown_outcome';
}

function stepOf(payload: RunEvent['payload']): unknown {
  return (payload as { step?: unknown }).step;
}
