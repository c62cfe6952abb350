import { setTimeout as pause } from 'node:timers/promises';
import { AbortRunError, OutcomeUnknownError, StoreError } from '../errors.js';
import type { Json } from '../model/json.js';
import { event, type Change, type State } from '../model/moves/change.js';
import { abortByTool, failTool, finishTool, interruptTool } from '../model/moves/tool.js';
import type { Observation, Step } from '../model/step.js';
import { describeThrown, isInstance } from '../model/text.js';
import type { ToolSpec } from '../model/tool.js';
import { loadState } from '../store/reads.js';
import { write } from '../store/transition.js';
import type { Session } from './session.js';

/** What came of a call. */
export type Outcome =
  | { readonly kind: 'returned'; readonly result: Json }
  | { readonly kind: 'unrecordable'; readonly observation: Observation & { readonly kind: 'error' } }
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'timeout' };

/** After how many milliseconds the write of a result is tried again, if the store failed (F2). */
const RETRIES_MS = [20, 100, 500, 2_000];

/**
 * Commit 4: what came of the call is recorded.
 *
 * @param late what comes of a call after all that exceeded its timeout
 */
export async function observe(
  session: Session,
  spec: ToolSpec,
  outcome: Outcome,
  late: Promise<Outcome> | null,
): Promise<void> {
  const { step } = session;
  const cancelled = session.hold.signal.aborted;
  try {
    await record(session, (state, at) => moveOf(state, spec, outcome, at));
  } catch (error) {
    if (cancelled || (await session.cancelled())) {
      await appendLate(session, step, outcome, true);
      void late?.then((came) => appendLate(session, step, came, true));
    }
    throw error;
  }
  // By then the loop may be at another step, or the same one may have been called again.
  void late?.then((came) => appendLate(session, step, came, false));
}

/**
 * Only the write is retried, never the call. If it cannot be made, the loop ends: whoever takes the run over finds a
 * call whose outcome is unknown (F2, I9).
 */
async function record(session: Session, move: (state: State, at: number) => Change): Promise<void> {
  for (const wait of RETRIES_MS) {
    try {
      await session.commit(move);
      return;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await pause(wait);
    }
  }
  return session.commit(move);
}

function moveOf(state: State, spec: ToolSpec, outcome: Outcome, at: number): Change {
  if (outcome.kind === 'returned') return finishTool(state, spec, outcome.result, at);
  if (outcome.kind === 'unrecordable') return failTool(state, outcome.observation, at);
  if (outcome.kind === 'timeout') return timedOut(state, spec, at);
  return threw(state, spec, outcome.thrown, at);
}

function timedOut(state: State, spec: ToolSpec, at: number): Change {
  const message = `${spec.name} did not answer within ${spec.timeoutMs} ms`;
  if (spec.readOnly) return failTool(state, { kind: 'error', name: 'TimeoutError', message }, at);
  return interruptTool(state, 'timeout', message, at);
}

function threw(state: State, spec: ToolSpec, thrown: unknown, at: number): Change {
  const { name, message } = describeThrown(thrown);
  if (isInstance(thrown, AbortRunError)) return abortByTool(state, message, at);
  if (isInstance(thrown, OutcomeUnknownError) && !spec.readOnly) return interruptTool(state, 'unknown', message, at);
  return failTool(state, { kind: 'error', name, message }, at);
}

/**
 * An outcome that arrives after its step was settled otherwise is appended for a person to see; it changes no state (I9,
 * L9). One of a process that was taken for dead during the call is not (L8).
 *
 * @param called the step, as it was when it was called
 */
async function appendLate(session: Session, called: Step, outcome: Outcome, mayBeDead: boolean): Promise<void> {
  const { store } = session.engine;
  const { id, index, attempt } = called;
  const late = event('step.tool_finished', { step: index, attempt, late: true, ...lateOutcome(outcome) });
  try {
    const events = await store.transaction(async (sql) => {
      const [step] = await store.tables.steps.find(sql, { id });
      if (mayBeDead && (step?.attempt !== attempt || step.cause === 'crash')) return [];
      const state = await loadState(store, sql, session.run.id);
      const committed = await write(store, sql, state, { run: {}, events: [late] }, store.clock.now());
      return committed.events;
    });
    session.engine.notify(events);
  } catch {
    return; // The store is closed or failing, and the outcome is a courtesy.
  }
}

function lateOutcome(outcome: Outcome): Readonly<Record<string, unknown>> {
  if (outcome.kind === 'returned') return { result: outcome.result };
  if (outcome.kind === 'unrecordable') return { error: outcome.observation };
  if (outcome.kind === 'timeout')
    return { error: { kind: 'error', name: 'TimeoutError', message: 'the call timed out' } };
  return { error: { kind: 'error', ...describeThrown(outcome.thrown) } };
}
