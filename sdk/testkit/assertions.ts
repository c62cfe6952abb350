import type { Verification } from '../../core/engine/verify.js';
import { asksForOutcome, type Approval } from '../../core/model/approval.js';
import type { RunEvent } from '../../core/model/event.js';
import { isPlainObject } from '../../core/model/json.js';
import { isTerminal, type Run } from '../../core/model/run.js';
import { isOpen, type Step } from '../../core/model/step.js';
import type { RecordedCall } from './trace.js';

/** The contract does not hold. The message names the clause, and the step and the event where there is one. */
export class ScenarioViolation extends Error {
  constructor(
    readonly clause: string,
    what: string,
  ) {
    super(`${clause}: ${what}`);
    this.name = 'ScenarioViolation';
  }
}

/** What is looked at. */
export interface Evidence {
  readonly run: Run;
  readonly steps: readonly Step[];
  readonly approvals: readonly Approval[];
  readonly events: readonly RunEvent[];
  readonly calls: readonly RecordedCall[];
}

/** Checks everything that holds after any scenario, whatever crashed in it. @throws ScenarioViolation */
export function assertScenario(evidence: Evidence, chain: Verification): void {
  for (const step of evidence.steps) {
    assertCallsAllowed(evidence, step);
    assertCallsRecorded(evidence, step);
    assertStartsEnded(evidence, step);
  }
  assertGrantsSpentOnce(evidence);
  assertNothingInFlight(evidence);
  if (!chain.ok) throw new ScenarioViolation('S11', `the event chain is broken: ${JSON.stringify(chain.fault)}`);
}

/** A step is executed once, and once more for each time that a person has said so (contract I2, I6). */
function assertCallsAllowed({ calls, approvals }: Evidence, step: Step): void {
  const made = calls.filter(({ stepId }) => stepId === step.id).length;
  const reruns = approvals.filter(
    ({ stepId, kind, decidedAt, status }) =>
      stepId === step.id && asksForOutcome(kind) && decidedAt !== null && ['approved', 'spent'].includes(status),
  ).length;
  if (made <= 1 + reruns) return;
  throw new ScenarioViolation('I2', `${nameOf(step)} was executed ${made} times with ${reruns} approved re-runs`);
}

/** No tool is called before its start is committed (contract I1). */
function assertCallsRecorded({ calls, events }: Evidence, step: Step): void {
  const made = calls.filter(({ stepId }) => stepId === step.id).length;
  const starts = of(events, step, 'step.tool_started').length;
  if (made > starts)
    throw new ScenarioViolation('I1', `${nameOf(step)} was called ${made} times, but ${starts} starts are recorded`);
}

/** Every start is followed by its end, or by the mark that nobody knows it. */
function assertStartsEnded({ events, run }: Evidence, step: Step): void {
  let started: RunEvent | null = null;
  for (const event of of(events, step)) {
    if (event.type === 'step.tool_started') {
      if (started)
        throw new ScenarioViolation(
          'I1',
          `${nameOf(step)}: event ${event.index} starts a call whose predecessor has no end`,
        );
      started = event;
    }
    if (isEnd(event)) started = null;
  }
  if (started && run.status !== 'RUNNING') {
    throw new ScenarioViolation(
      'I1',
      `${nameOf(step)}: event ${started.index} starts a call that neither finished nor was interrupted`,
    );
  }
}

function isEnd({ type, payload }: RunEvent): boolean {
  if (type === 'step.interrupted') return true;
  return type === 'step.tool_finished' && !(isPlainObject(payload) && payload.late === true);
}

/** A grant is good for one start (contract A3, F3). */
function assertGrantsSpentOnce({ events }: Evidence): void {
  const spent = new Set<unknown>();
  for (const { type, payload, index } of events) {
    const approval = type === 'step.tool_started' && isPlainObject(payload) ? payload.approval : undefined;
    if (typeof approval !== 'string') continue;
    if (spent.has(approval))
      throw new ScenarioViolation('A3', `event ${index} executes approval ${approval} a second time`);
    spent.add(approval);
  }
}

/** A run that has ended, or waits, holds no lease and has nothing in flight (contract L1, S6, A6). */
function assertNothingInFlight({ run, steps, approvals }: Evidence): void {
  if (run.lease) throw new ScenarioViolation('L1', `the run is ${run.status} and still leased by ${run.lease.owner}`);
  const open = steps.filter(isOpen);
  const asking = approvals.filter(({ status }) => status === 'pending' || status === 'approved');
  if (isTerminal(run.status)) {
    if (open[0])
      throw new ScenarioViolation('S6', `the run is ${run.status}, but ${nameOf(open[0])} is ${open[0].status}`);
    if (asking[0])
      throw new ScenarioViolation(
        'A6',
        `the run is ${run.status}, but approval ${asking[0].id} is ${asking[0].status}`,
      );
    return;
  }
  const waits =
    run.status === 'WAITING' && asking.length === 1 && open.length === 1 && open[0]?.status === 'awaiting_approval';
  if (!waits)
    throw new ScenarioViolation(
      'A6',
      `the run is left ${run.status} with ${asking.length} open approvals and ${open.length} open steps`,
    );
}

function of(events: readonly RunEvent[], step: Step, type?: RunEvent['type']): RunEvent[] {
  return events.filter(
    (event) =>
      isPlainObject(event.payload) && event.payload.step === step.index && (type === undefined || event.type === type),
  );
}

function nameOf(step: Step): string {
  return `step ${step.index}${step.tool === null ? '' : ` (${step.tool})`}`;
}
