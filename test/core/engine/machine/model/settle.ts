import { FOUND, hasTool, rulingOn, specOf, traitOf, type Finding, type Verdict } from '../vocabulary.js';
import { conflict, isGone, outcomeKind } from './attempt.js';
import { assertInTime, assertLive, held } from './commits.js';
import { endIfLooping } from './limits.js';
import { json, type RunRecord } from './record.js';
import type { Act, Runner } from './runner.js';
import { personSees, policySees, reconciliationSees } from './views.js';

/** A call whose outcome nobody has recorded: the tool's reconciliation, else the agent's, else a person (I4, I5, I8, I9). */
export function* settleInterrupted(runner: Runner): Act {
  const { record } = runner;
  const { tool, x, cause } = record.step;
  if (tool === null || x === null || cause === null) throw new Error('the model has an open step that called nothing');
  if (!hasTool(runner.revision, tool)) return yield* held(runner, () => conflict(record));
  // What the policy will be shown is what the loop has read, even if the run is taken over meanwhile.
  const shows = policySees(record, tool, x);
  const by = reconcilerOf(record, tool);
  assertLive(runner);
  const finding = by && (yield* found(runner, tool, by));
  if (by && (finding === 'continue' || finding === 'complete' || finding === 'conflict')) {
    return yield* held(runner, () => settle(record, by, finding));
  }
  assertLive(runner);
  // What could not be made again cannot wait, but its reconciliation was asked first (I4, I7).
  if (isGone(runner, { tool, x })) {
    return yield* held(runner, () => {
      if (by) record.logStep('reconciled', by, finding === 'wait' ? 'wait' : 'none');
      conflict(record);
    });
  }
  const verdict = (yield { at: 'policy', shows }) as Verdict;
  yield* held(runner, () => {
    if (by) record.logStep('reconciled', by, finding === 'wait' ? 'wait' : 'none');
    const ruling = rulingOn(verdict, tool);
    if (ruling) record.logStep('policy', ruling);
    const wanted = ruling === 'ask' || ruling === 'ask otherwise' ? ruling : null;
    const shown = personSees(record, ruling, by && finding);
    record.ask({ kind: outcomeKind(cause), wanted, spec: specOf(runner.revision), shows: shown });
  });
}

function reconcilerOf({ config }: RunRecord, tool: NonNullable<RunRecord['step']['tool']>): 'tool' | 'agent' | null {
  if (traitOf(tool).reconciles) return 'tool';
  return config.agentReconciles ? 'agent' : null;
}

/** What the reconciliation answers; a stuck one gives no answer within the tool's timeout. */
function* found(
  runner: Runner,
  tool: NonNullable<RunRecord['step']['tool']>,
  by: 'tool' | 'agent',
): Act<Finding | 'nothing'> {
  if (traitOf(tool).stuck) return 'nothing';
  const askedAt = runner.record.now;
  const finding = (yield { at: 'reconciliation', shows: reconciliationSees(runner.record, by) }) as Finding;
  assertInTime(runner, askedAt);
  return finding;
}

function settle(record: RunRecord, by: 'tool' | 'agent', finding: 'continue' | 'complete' | 'conflict'): void {
  record.logStep('reconciled', by, finding);
  if (finding === 'conflict') conflict(record);
  else if (finding === 'continue') record.observe('interrupted', `interrupted ${record.step.cause ?? ''}`);
  else complete(record, by);
}

/** An agent's answer completes the run; a tool's does if the tool is terminal (I4). */
function complete(record: RunRecord, by: 'tool' | 'agent'): void {
  record.observe('done', `result ${json(FOUND)} recovered`, FOUND);
  const { tool } = record.step;
  if (by === 'agent' || (tool !== null && traitOf(tool).terminal)) {
    record.finish({ status: 'COMPLETED', reason: 'goal_completed', result: FOUND });
  } else endIfLooping(record);
}
