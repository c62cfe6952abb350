import { COMPLETED, hasTool, isReadOnly, namesTool, recordOf, type Choice } from '../vocabulary.js';
import { attempt, conflict, endedByLimit, isGone } from './attempt.js';
import { assertLive, held, keep, taking } from './commits.js';
import { endIfFailing } from './limits.js';
import { json, type RunRecord } from './record.js';
import { Refusal, type Act, type Commit, type Loop, type Runner } from './runner.js';
import { settleInterrupted } from './settle.js';
import { agentSees } from './views.js';

/** What starting and resuming do, from the contract. Each commit is one line of the table in the architecture. */

/** A new run: created and leased in one transaction (L1). It is not interrupted by anything before. */
export function* start(runner: Runner): Loop {
  const { record } = runner;
  yield {
    guard: () => null,
    write: () => {
      record.leaseTo(runner.name);
      record.log(`run.started ${runner.name}`);
      keep(runner);
    },
  };
  return yield* driven(runner);
}

/** Goes on with a run in whatever state it is (L6, L7, A3, A5). */
export function* resume(runner: Runner): Loop {
  const { record } = runner;
  if (record.isTerminal) return 'RunStateError';
  if (record.isLeased) return 'RunLeasedError';
  const { approval } = record;
  try {
    if (record.status === 'WAITING' && approval) {
      if (record.hasExpired(approval)) yield* taking(runner, record.standing, () => undefined);
      if (approval.status === 'pending' || approval.status === 'expired') return record.status;
      if (approval.status === 'approved') yield* runApproved(runner);
      else yield* taking(runner, record.standing, () => goOn(runner));
    } else {
      yield* taking(runner, record.standing, () => take(runner));
    }
  } catch (refusal) {
    return ended(refusal);
  }
  return yield* driven(runner);
}

function* driven(runner: Runner): Loop {
  const { record } = runner;
  try {
    while (record.status === 'RUNNING') {
      if (runner.closing) {
        yield* held(runner, () => (record.lease = null));
        return 'ClosedError';
      }
      yield* record.hasOpenStep ? settleInterrupted(runner) : runStep(runner);
    }
    return record.status;
  } catch (refusal) {
    return ended(refusal);
  }
}

/** A loop that an operator's cancel stopped returns the run; any other that lost it rejects (L5, L9). */
function ended(refusal: unknown): string {
  if (!(refusal instanceof Refusal)) throw refusal;
  return refusal.cancelled ? 'CANCELLED' : refusal.name;
}

function take(runner: Runner): void {
  const { record } = runner;
  if (record.status === 'PENDING') {
    record.leaseTo(runner.name);
    record.log(`run.started ${runner.name}`);
  } else if (record.lease) {
    record.log(`lease.taken_over ${record.lease.owner} to ${runner.name}`);
    record.leaseTo(runner.name);
    interruptStep(record);
  } else {
    goOn(runner);
  }
}

function goOn(runner: Runner): void {
  runner.record.leaseTo(runner.name);
  runner.record.log(`run.resumed ${runner.name}`);
}

/** The step in flight of a dead process (L7): settled if it called nothing, or something that was read only (I3, I4). */
function interruptStep(record: RunRecord): void {
  const step = record.steps.at(-1);
  if (step?.status !== 'deciding' && step?.status !== 'executing') return;
  record.takenOver.add(`${record.steps.length} ${step.attempt}`);
  const settled = step.status === 'deciding' || (step.tool !== null && isReadOnly(step.tool));
  record.logStep('interrupted', 'crash', 'during', step.status, settled ? 'settled' : 'open');
  Object.assign(step, { status: 'interrupted', cause: 'crash', observation: settled ? 'interrupted crash' : null });
}

/** One step: record, validate, policy, execute, observe. */
function* runStep(runner: Runner): Act {
  const { record } = runner;
  if (yield* endedByLimit(runner, null, true)) return;
  yield* held(runner, () => startStep(record), true);
  assertLive(runner);
  const choice = (yield { at: 'agent', shows: agentSees(record) }) as Choice;
  if (choice === 'throw') {
    return yield* held(runner, () => record.failRun({ status: 'FAILED', reason: 'agent_error' }));
  }
  yield* held(runner, () => recordChoice(record, choice));
  if (choice === 'complete' || choice === 'fail') return yield* held(runner, () => endByAgent(record, choice));
  if (namesTool(runner.revision, choice)) assertLive(runner);
  if (typeof choice === 'object' && !isGone(runner, choice)) return yield* attempt(runner, choice, null);
  yield* held(runner, () => {
    record.failStep('invalid_decision');
    endIfFailing(record);
  });
}

/** Executes exactly what was approved; until the policy has allowed it again, nothing is taken (A3, A4, I7). */
function* runApproved(runner: Runner): Act {
  const { record } = runner;
  const { approval, approvalPlace: place, standing: seen } = record;
  const { tool, x } = record.step;
  if (!approval || tool === null || x === null) throw new Error('the model has a grant for nothing');
  const grant = { approval, place, seen };
  const conflicts = (): Generator<Commit, void> => taking(runner, seen, () => conflict(record));
  if (!hasTool(runner.revision, tool)) return yield* conflicts();
  if (yield* endedByLimit(runner, grant, false)) return;
  if (isGone(runner, { tool, x })) return yield* conflicts();
  yield* attempt(runner, { tool, x }, grant);
}

/** Commit 1. */
function startStep(record: RunRecord): void {
  record.steps.push({
    status: 'deciding',
    decision: null,
    raw: null,
    tool: null,
    x: null,
    attempt: 0,
    cause: null,
    grant: null,
    observation: null,
  });
  record.logStep('started');
}

/** Commit 2: verbatim, before anybody judges it (S7). */
function recordChoice(record: RunRecord, choice: Exclude<Choice, 'throw'>): void {
  const { decision, raw } = recordOf(choice);
  Object.assign(record.step, { decision, raw });
  record.logStep('decided', json(decision), ...(raw === null ? [] : [`raw ${json(raw)}`]));
}

/** The step that ends its run commits with it (S6). */
function endByAgent(record: RunRecord, choice: 'complete' | 'fail'): void {
  const reason = choice === 'complete' ? 'goal_completed' : 'goal_failed';
  record.observe('done', `run_ended ${reason}`);
  record.finish(
    choice === 'complete' ? { status: 'COMPLETED', reason, result: COMPLETED } : { status: 'FAILED', reason },
  );
}
