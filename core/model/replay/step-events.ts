import type { EventType } from '../event.js';
import { runEnded } from '../moves/change.js';
import { digest, text, unshown } from './column.js';
import { encoded, Misfit, stored, type Payload } from './payload.js';
import type { Apply } from './run-events.js';
import type { StepColumns } from './state.js';

/** The events of a step. */
export const STEP_EVENTS = {
  'step.started': (state, payload, at) => {
    const { runId, run, steps } = state;
    const step = startedStep(runId, payload, at);
    if (step.idx !== steps.length + 1) {
      throw new Misfit('this step does not follow the last', `step ${steps.length + 1}`, `step ${step.idx}`);
    }
    steps.push(step);
    run.step_count = steps.length;
  },
  'step.decided': (state, payload) => {
    const step = state.stepOf(payload);
    step.decision = stored(payload.json('decision'));
    step.raw_decision = payload.has('raw') ? unshown(payload.text('raw')) : null;
  },
  'step.policy': (state, payload) => {
    const step = state.stepOf(payload);
    const decision = payload.object('decision');
    // An answer that ends the run, or that is only shown to a person, is not kept on the step.
    if (decision.kind !== 'abort' && !payload.is('atPause', true)) judge(step, payload);
  },
  'step.tool_started': (state, payload, at) => {
    const step = state.stepOf(payload);
    step.status = 'executing';
    step.tool = text(payload.text('tool'));
    step.spec_hash = text(payload.text('specHash'));
    step.args = stored(payload.json('args'));
    step.attempt = payload.number('attempt');
    step.tool_started_at = at;
    step.interrupted_at = null;
    step.cause = null;
  },
  'step.tool_finished': (state, payload, at) => {
    // A late outcome changes no state, and may come when the run is at another step (contract I9, L9).
    if (payload.is('late', true)) return;
    const step = state.stepOf(payload);
    if (payload.has('result')) state.observe(step, 'done', { kind: 'result', result: payload.json('result') }, at);
    else if (payload.has('error')) state.observe(step, 'failed', payload.object('error'), at);
    // One that aborted the run is followed by `step.failed`.
    else payload.text('aborted');
  },
  'step.failed': (state, payload, at) => {
    const observation = payload.object('observation');
    state.observe(state.stepOf(payload), 'failed', observation, at);
    // A step fails under an open grant because the run ends around both, or because the policy denied what was granted.
    state.close(observation.kind === 'run_ended' ? 'cancelled' : 'spent');
  },
  'step.interrupted': (state, payload, at) => {
    const step = state.stepOf(payload);
    const cause = payload.text('cause');
    const cancelled = cause === 'cancelled';
    step.status = 'interrupted';
    if (!cancelled) step.cause = cause;
    if (!cancelled || step.interrupted_at === null) step.interrupted_at = at;
    if (!payload.is('settled', true)) return;
    step.finished_at = at;
    if (payload.has('observation')) step.observation = stored(payload.object('observation'));
    else step.observation = cancelled ? stored(runEnded('operator_cancelled')) : undefined;
  },
  'step.reconciled': (state, payload, at) => {
    const step = state.stepOf(payload);
    const answer = payload.text('answer');
    if (answer === 'complete') {
      state.observe(step, 'done', { kind: 'result', result: payload.json('result'), recovered: true }, at);
    }
    if (answer !== 'continue') return;
    step.finished_at = at;
    step.observation = payload.has('observation') ? stored(payload.object('observation')) : undefined;
  },
} as const satisfies Partial<Record<EventType, Apply>>;

function startedStep(runId: string, payload: Payload, at: number): StepColumns {
  return {
    idx: payload.number('step'),
    id: payload.text('id'),
    run_id: runId,
    status: 'deciding',
    decision: null,
    raw_decision: null,
    tool: null,
    args: null,
    spec_hash: null,
    operation_id: text(payload.text('operationId')),
    attempt: 0,
    policy: null,
    cause: null,
    observation: null,
    started_at: at,
    tool_started_at: null,
    interrupted_at: null,
    finished_at: null,
  };
}

/** The call is named unless `step.tool_started` follows to name it, or an older version wrote the event. */
function judge(step: StepColumns, payload: Payload): void {
  step.policy = unshown(encoded(payload.object('decision')));
  step.tool = payload.has('tool') ? text(payload.text('tool')) : undefined;
  step.spec_hash = payload.has('specHash') ? text(payload.text('specHash')) : undefined;
  step.args = payload.has('argsHash') ? digest(payload.text('argsHash')) : undefined;
}
