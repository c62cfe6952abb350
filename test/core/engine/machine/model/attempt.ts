import { acceptsX, hasTool, isReadOnly, RESULTS, rulingOn, specOf, traitOf, WHY } from '../vocabulary.js';
import type { Outcome, Ruling, ToolName, Verdict } from '../vocabulary.js';
import { assertInTime, assertLive, held, late, taking } from './commits.js';
import { endIfFailing, endIfLooping, failuresInRow, limitReached } from './limits.js';
import { json, type ApprovalRecord, type RunRecord } from './record.js';
import { Refusal, type Act, type Called, type Runner } from './runner.js';
import { personSees, policySees, toolSees } from './views.js';

/** One call of a tool: limits, policy, start, outcome (P1, P5, I1, A3, A4). */

/** The call that is to be made. */
export interface Request {
  readonly tool: ToolName;
  readonly x: number;
}

/** What a person has allowed, and how the run stood when a resume read that. */
export interface Grant {
  readonly approval: ApprovalRecord;
  readonly place: number;
  readonly seen: string;
}

/** Whether the program no longer has the tool, or its input no longer accepts the arguments. */
export function isGone({ revision }: Runner, { tool, x }: Request): boolean {
  return !hasTool(revision, tool) || !acceptsX(revision, x);
}

/** A call that can no longer be made cannot wait either (I7). */
export function conflict(record: RunRecord): void {
  record.failRun({ status: 'FAILED', reason: 'reconcile_conflict' });
}

/** A write of the loop, whether it holds the run already or takes it with this write (A4). */
function* write(runner: Runner, grant: Grant | null, change: () => void, startsEffect = false): Act {
  if (grant) yield* taking(runner, grant.seen, change);
  else yield* held(runner, change, startsEffect);
}

/** Ends the run if a limit forbids the next act; an open step ends with it. */
export function* endedByLimit(runner: Runner, grant: Grant | null, beginsStep: boolean): Act<boolean> {
  const { record } = runner;
  const reached = limitReached(record, runner.activeMs, beginsStep);
  if (!reached) return false;
  const [event, reason] = reached;
  yield* write(runner, grant, () => {
    record.log(event);
    if (record.hasOpenStep) record.failRun({ status: 'FAILED', reason });
    else record.finish({ status: 'FAILED', reason });
  });
  return true;
}

/** Puts a valid call to the policy, and makes it if that allows. */
export function* attempt(runner: Runner, request: Request, grant: Grant | null): Act {
  const { record } = runner;
  const verdict = (yield { at: 'policy', shows: policySees(record, request.tool, request.x) }) as Verdict;
  const ruling = rulingOn(verdict, request.tool);
  if (ruling === 'allow' || (ruling !== null && grant && covers(runner, grant, ruling))) {
    if (yield* endedByLimit(runner, grant, false)) return;
    yield* write(runner, grant, () => startCall(runner, request, grant, ruling), true);
    if (record.step.status !== 'executing') return;
    // A process that was frozen between that commit and the call calls nothing (L4).
    assertLive(runner);
    yield* call(runner, request.tool);
  } else {
    yield* write(runner, grant, () => rule(runner, request, grant, ruling));
  }
}

/** A grant is for exactly what was asked: the same question about the same spec (A1, A3, I5). */
function covers({ revision }: Runner, { approval }: Grant, ruling: Ruling): boolean {
  return approval.wanted === ruling && approval.spec === specOf(revision);
}

/** What any other answer than "run it" does. */
function rule(runner: Runner, request: Request, grant: Grant | null, ruling: Ruling | null): void {
  const { record } = runner;
  if (ruling === null) {
    record.failRun({ status: 'FAILED', reason: 'internal_error' });
  } else if (ruling === 'deny') {
    deny(runner, request, grant);
  } else {
    record.logStep('policy', ruling);
    if (ruling === 'abort') record.failRun({ status: 'FAILED', reason: 'policy_abort' });
    else pause(runner, request, grant, ruling);
  }
}

/** Commit 3b: while an outcome is unknown, that is what a person is asked, whatever else the policy wants (I5). */
function pause({ record, revision }: Runner, request: Request, grant: Grant | null, ruling: Ruling): void {
  if (grant) grant.approval.status = 'spent';
  Object.assign(record.step, request);
  const { cause } = record.step;
  const [asked, why] = ruling === 'ask' ? ['tool_call', {}] : ['second_look', WHY];
  const kind = cause ? outcomeKind(cause) : asked;
  const shows = cause ? personSees(record, ruling, null) : json(why);
  record.ask({ kind, wanted: ruling, spec: specOf(revision), shows });
}

/** The agent sees the denial and decides again, unless that was one failure in a row too many (P5). */
function deny(runner: Runner, request: Request, grant: Grant | null): void {
  const { record } = runner;
  const observation = record.step.attempt > 0 ? 'denied outcome unknown' : 'denied';
  Object.assign(record.step, request);
  record.observe('failed', observation);
  const { maxFailures } = record.config.limits;
  const ends = maxFailures !== null && failuresInRow(record.steps) >= maxFailures;
  if (grant) spend(runner, grant, ends);
  record.logStep('policy', 'deny');
  record.logStep('failed', observation);
  endIfFailing(record);
}

/** The grant is used up, and the run goes on unless the same transaction ends it. */
function spend({ record, name }: Runner, { approval, place }: Grant, ends = false): void {
  approval.status = 'spent';
  if (ends) return;
  record.leaseTo(name);
  record.log(`run.resumed ${name} by approval ${place + 1}`);
}

/** Commit 3a (I1). */
function startCall(runner: Runner, { tool, x }: Request, grant: Grant | null, ruling: Ruling): void {
  const { record } = runner;
  if (grant) spend(runner, grant);
  const { step } = record;
  const by = grant ? grant.place : null;
  Object.assign(step, { status: 'executing', tool, x, attempt: step.attempt + 1, cause: null, grant: by });
  record.logStep('policy', ruling);
  const granted = by === null ? [] : [`by approval ${by + 1}`];
  record.logStep('tool_started', tool, json({ x }), `attempt ${step.attempt}`, ...granted);
}

/** The call itself, and commit 4. */
function* call(runner: Runner, tool: ToolName): Act {
  const { record } = runner;
  const { attempt } = record.step;
  const step = record.steps.length;
  const calledAt = record.now;
  const shows = toolSees(record);
  record.calls.push(shows);
  if (traitOf(tool).stuck) {
    runner.stuck.push({ tool, step, attempt });
    yield* held(runner, () => timeOut(record, tool));
    return;
  }
  const outcome = (yield { at: 'tool', shows }) as Outcome;
  assertInTime(runner, calledAt);
  try {
    yield* held(runner, () => observe(record, tool, outcome));
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.cancelled)
      yield* late(() => logLate(record, { tool, step, attempt }, outcome));
    throw refusal;
  }
}

/** What a live process's call came to after its run was cancelled (L9); a dead one's is not recorded (L8). */
function logLate(record: RunRecord, called: Called, outcome: Outcome): void {
  if (!record.takenOver.has(`${called.step} ${called.attempt}`)) record.log(lateLine(called, outcome));
}

/** The event of an outcome that nobody waits for any more. */
export function lateLine({ tool, step, attempt }: Called, outcome: Outcome): string {
  return `step.tool_finished ${step} attempt ${attempt} ${outcomeLine(tool, outcome)} late`;
}

/** A result that cannot be recorded came of a call that took effect, unless it was read only. */
function outcomeLine(tool: ToolName, outcome: Outcome): string {
  const result = RESULTS[outcome];
  if (result !== undefined) return `result ${json(result)}`;
  return `error ${ERRORS[outcome] ?? ''}${outcome === 'unencodable' && !isReadOnly(tool) ? ' took effect' : ''}`;
}

/** The names of what is thrown. */
const ERRORS: Readonly<Partial<Record<Outcome, string>>> = {
  unencodable: 'InvalidJsonError',
  error: 'Error',
  'text thrown': 'Error',
  unknown: 'OutcomeUnknownError',
  abort: 'AbortRunError',
};

/** Commit 4 of a call that exceeded its timeout (I9). */
function timeOut(record: RunRecord, tool: ToolName): void {
  if (isReadOnly(tool)) failCall(record, 'error TimeoutError');
  else interrupt(record, 'timeout');
}

/** Commit 4 of a call that came to something. */
function observe(record: RunRecord, tool: ToolName, outcome: Outcome): void {
  const { step } = record;
  const result = RESULTS[outcome];
  if (result !== undefined) {
    record.logStep('tool_finished', `attempt ${step.attempt} ${outcomeLine(tool, outcome)}`);
    record.observe('done', `result ${json(result)}`, result);
    if (traitOf(tool).terminal) record.finish({ status: 'COMPLETED', reason: 'goal_completed', result });
    else endIfLooping(record);
  } else if (outcome === 'abort') {
    record.logStep('tool_finished', `attempt ${step.attempt} aborted`);
    record.failRun({ status: 'FAILED', reason: 'tool_abort' });
  } else if (outcome === 'unknown' && !isReadOnly(tool)) {
    interrupt(record, 'unknown');
  } else {
    failCall(record, outcomeLine(tool, outcome));
  }
}

function failCall(record: RunRecord, observation: string): void {
  record.logStep('tool_finished', `attempt ${record.step.attempt} ${observation}`);
  record.observe('failed', observation);
  endIfFailing(record);
}

/** A living process does not know what came of its call (I9). */
function interrupt(record: RunRecord, cause: 'timeout' | 'unknown'): void {
  Object.assign(record.step, { status: 'interrupted', cause });
  record.logStep('interrupted', cause, 'during executing open');
}

/** What a person is asked about a call whose outcome is not known (I5, I9). */
export function outcomeKind(cause: 'crash' | 'timeout' | 'unknown'): string {
  return cause === 'crash' ? 'interrupted_side_effect' : 'unknown_outcome';
}
