import type { EventType } from '../event.js';
import { runEnded } from '../moves/change.js';
import type { TerminalReason } from '../run.js';
import { text } from './column.js';
import { encoded, Misfit, stored, type Payload } from './payload.js';
import type { ReplayedState } from './state.js';

/** What one event makes of the rows. */
export type Apply = (state: ReplayedState, payload: Payload, at: number) => void;

const nothing: Apply = () => undefined;

/** The events of the run and its lease. */
export const RUN_EVENTS = {
  'run.created': ({ run }, payload, at) => {
    run.agent = text(payload.text('agent'));
    run.goal = text(payload.text('goal'));
    run.limits = text(encoded(payload.object('limits')));
    run.status = 'PENDING';
    run.created_at = at;
  },
  'run.started': (state, payload, at) => {
    state.lease(payload.text('owner'));
    state.run.started_at = at;
  },
  'run.resumed': (state, payload) => {
    if (payload.has('approval') && state.approvalOf(payload).status !== 'approved') {
      throw new Misfit('this event spends an approval that was not granted', 'approved', 'pending');
    }
    if (payload.has('approval')) state.close('spent');
    state.lease(payload.text('owner'));
  },
  'lease.taken_over': (state, payload) => {
    state.lease(payload.text('to'));
  },
  'run.finished': (state, payload, at) => {
    const { run } = state;
    const reason = payload.text('reason');
    state.release(payload.text('status'));
    run.reason = reason;
    run.message = text(payload.textOrNull('message'));
    run.result = stored(payload.json('result'));
    run.finished_at = at;
    state.close('cancelled');
    const step = state.steps.at(-1);
    // A decision that ends its run has no event of its own besides this one.
    if (step?.finished_at === null) state.observe(step, 'done', runEnded(reason as TerminalReason), at);
  },
  'limit.exceeded': nothing,
  'loop.detected': nothing,
  'model.dispatched': nothing,
  'model.completed': nothing,
  'model.failed': nothing,
} as const satisfies Partial<Record<EventType, Apply>>;
