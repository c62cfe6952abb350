import type { EventDraft } from '../event.js';
import type { Json } from '../json.js';
import type { Observation } from '../step.js';
import { failRun } from './step.js';
import { endIfLooping } from './tool.js';
import { ending, event, lastStep, stepTo, type Change, type Ending, type State } from './change.js';

/** Whose reconciliation answered. */
export type Reconciler = 'tool' | 'agent';

/** It did not take effect, or need not be known: the agent decides next (contract I4 continue). */
export function reconcileContinue(state: State, by: Reconciler, detail: string | null, at: number): Change {
  const step = lastStep(state);
  const cause = step.cause ?? 'crash';
  const observation: Observation = {
    kind: 'interrupted',
    cause,
    message: detail ?? 'this call was interrupted; its reconciliation says that you may go on',
  };
  return {
    run: {},
    step: stepTo(step, 'interrupted', { observation, finishedAt: at }),
    events: [reconciled(state, { by, answer: 'continue', detail, observation })],
  };
}

/** It took effect: the recovered result is the step's (contract I4 complete). */
export function reconcileComplete(
  state: State,
  { by, result, endsRun }: { readonly by: Reconciler; readonly result: Json; readonly endsRun: boolean },
  at: number,
): Change {
  const observation: Observation = { kind: 'result', result, recovered: true };
  const done: Change = {
    run: {},
    step: stepTo(lastStep(state), 'done', { observation, finishedAt: at }),
    events: [reconciled(state, { by, answer: 'complete', result })],
  };
  if (endsRun) return ending(done, state.run, { status: 'COMPLETED', reason: 'goal_completed', result }, at);
  return endIfLooping(done, state, observation, at);
}

/** The outside world contradicts the record, or the call can no longer be put to anybody (contract I4 conflict, I7). */
export function reconcileConflict(state: State, message: string, before: readonly EventDraft[], at: number): Change {
  const end: Ending = { status: 'FAILED', reason: 'reconcile_conflict', message };
  return failRun(state, end, before, at);
}

/** What a reconciliation answered, as an event. */
export function reconciled(state: State, answer: Readonly<Record<string, unknown>>): EventDraft {
  return event('step.reconciled', { step: lastStep(state).index, ...answer });
}
