import type { Verification } from '../../core/engine/verify.js';
import { asksForOutcome, type Approval } from '../../core/model/approval.js';
import type { RunEvent } from '../../core/model/event.js';
import { canonicalJson } from '../../core/model/canonical-json.js';
import { isPlainObject } from '../../core/model/json.js';
import { isTerminal, type Run, type RunStatus } from '../../core/model/run.js';
import { isOpen, type Step } from '../../core/model/step.js';
import type { Reached } from './crash-point.js';
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
  readonly points: readonly Reached[];
}

/** What it is judged by. */
export interface Known {
  readonly chain: Verification;
  /** The names of the tools that declare that they change nothing. */
  readonly readOnly: ReadonlySet<string>;
}

/** Checks everything that holds after any scenario, whatever crashed in it. @throws ScenarioViolation */
export function assertScenario(evidence: Evidence, { chain, readOnly }: Known): void {
  for (const step of evidence.steps) {
    assertCallsAllowed(evidence, step);
    assertCallsRecorded(evidence, step);
    assertStartsEnded(evidence, step);
    if (!readOnly.has(step.tool ?? '')) assertInterruptionsSettled(evidence, step);
  }
  for (const call of evidence.calls) assertCallIsItsSteps(evidence, call);
  assertGrantsSpentOnce(evidence);
  assertNothingInFlight(evidence);
  if (!chain.ok) throw new ScenarioViolation('S11', `the event chain is broken: ${JSON.stringify(chain.fault)}`);
}

/** Reasons that no agent and no person has chosen. */
const FAULTS: readonly (string | null)[] = ['agent_error', 'internal_error'];

/** The run has ended as it must; if nothing is said, in any way but by a fault of the program. @throws ScenarioViolation */
export function assertEnd({ run, approvals }: Pick<Evidence, 'run' | 'approvals'>, ends: RunStatus | undefined): void {
  if (ends === undefined ? !FAULTS.includes(run.reason) : run.status === ends) return;
  const pending = approvals.find(({ status }) => status === 'pending');
  const why = pending ? `waits for an answer to ${pending.kind}` : [run.reason, run.message].filter(Boolean).join(': ');
  throw new ScenarioViolation(
    'the crash kit',
    `the run ended ${run.status} (${why})${ends === undefined ? '' : `, not ${ends}`}`,
  );
}

/** A step is executed once, and once more for each start that carries a person's word for it (contract I2, I6). */
function assertCallsAllowed({ calls, approvals, events }: Evidence, step: Step): void {
  const made = calls.filter(({ stepId }) => stepId === step.id).length;
  const outcomes = new Set(approvals.filter(({ kind }) => asksForOutcome(kind)).map(({ id }) => id));
  const starts = of(events, step, 'step.tool_started').map(approvalOf);
  const reruns = new Set(starts.filter((approval) => approval !== undefined && outcomes.has(approval))).size;
  if (made <= 1 + reruns) return;
  throw new ScenarioViolation('I2', `${nameOf(step)} was executed ${made} times with ${reruns} approved re-runs`);
}

/** No tool is called before its start is committed, by the process that committed it (contract I1). */
function assertCallsRecorded({ calls, events, points }: Evidence, step: Step): void {
  const mine = calls.filter(({ stepId }) => stepId === step.id);
  const starts = of(events, step, 'step.tool_started').length;
  if (mine.length > starts) {
    const times = `${mine.length} times, but ${starts} starts are recorded`;
    throw new ScenarioViolation('I1', `${nameOf(step)} was called ${times}`);
  }
  for (const { life, afterPoints } of mine) {
    const begun = points
      .slice(0, afterPoints)
      .some((point) => point.life === life && point.step === step.index && point.names.includes('step.tool_started'));
    if (!begun) throw new ScenarioViolation('I1', `${nameOf(step)} was called before its start was recorded`);
  }
}

/** A tool is called for a step of the run, with what that step records (contract I10, A3). */
function assertCallIsItsSteps({ steps }: Evidence, { tool, stepId, operationId, args }: RecordedCall): void {
  const step = steps.find(({ id }) => id === stepId);
  if (!step) throw new ScenarioViolation('I1', `${tool} was called for step ${stepId}, which is not recorded`);
  if (operationId !== step.operationId) {
    throw new ScenarioViolation(
      'I10',
      `${nameOf(step)} was called as operation ${operationId}, not ${step.operationId}`,
    );
  }
  if (canonicalJson(args) !== canonicalJson(step.args)) {
    throw new ScenarioViolation('A3', `${nameOf(step)} was called with other arguments than it records`);
  }
}

/** A call of which nobody knows whether it took effect is reconciled, or a person is asked (contract I4, I5). */
function assertInterruptionsSettled({ events }: Evidence, step: Step): void {
  let open: RunEvent | null = null;
  for (const event of events) {
    if (event.type === 'step.interrupted' && isOf(event, step) && isDuring(event, 'executing')) open = event;
    else if (settles(event)) open = null;
    else if (open && (event.type === 'step.started' || event.type === 'step.tool_started')) {
      const what = `event ${event.index} goes on after the interrupted call of event ${open.index}`;
      throw new ScenarioViolation('I5', `${nameOf(step)}: ${what}, which was neither reconciled nor asked about`);
    }
  }
}

/** A reconciliation that had no answer, or waits for a person, has settled nothing: the question to that person does. */
function settles({ type, payload }: RunEvent): boolean {
  if (type !== 'step.reconciled') return type === 'approval.requested' || type === 'run.finished';
  return isPlainObject(payload) && SETTLING.includes(payload.answer);
}

const SETTLING: readonly unknown[] = ['continue', 'complete', 'conflict'];

function isDuring({ payload }: RunEvent, status: string): boolean {
  return isPlainObject(payload) && payload.during === status;
}

function approvalOf({ payload }: RunEvent): string | undefined {
  const approval = isPlainObject(payload) ? payload.approval : undefined;
  return typeof approval === 'string' ? approval : undefined;
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
  for (const event of events) {
    const approval = event.type === 'step.tool_started' ? approvalOf(event) : undefined;
    if (approval === undefined) continue;
    if (spent.has(approval))
      throw new ScenarioViolation('A3', `event ${event.index} executes approval ${approval} a second time`);
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
  return events.filter((event) => isOf(event, step) && (type === undefined || event.type === type));
}

function isOf({ payload }: RunEvent, step: Step): boolean {
  return isPlainObject(payload) && payload.step === step.index;
}

function nameOf(step: Step): string {
  return `step ${step.index}${step.tool === null ? '' : ` (${step.tool})`}`;
}
