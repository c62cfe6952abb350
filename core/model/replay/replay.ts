import { EVENT_TYPES, type EventType } from '../event.js';
import { APPROVAL_EVENTS } from './approval-events.js';
import { cut } from './column.js';
import { Misfit, Payload } from './payload.js';
import { RUN_EVENTS, type Apply } from './run-events.js';
import type { ReplayedState } from './state.js';
import { STEP_EVENTS } from './step-events.js';

/**
 * What a run's rows must hold, from its events alone.
 *
 * - Nothing of the runtime is decided by this (contract S3): it is how `verify` finds a row that was changed (S11).
 * - An event is read as it is stored. One that this version cannot read, or that cannot follow those before it, is a
 *   misfit; nothing is thrown.
 */

const APPLY: Readonly<Record<EventType, Apply>> = { ...RUN_EVENTS, ...STEP_EVENTS, ...APPROVAL_EVENTS };

/** One event as it is stored. */
export interface ReplayedEvent {
  readonly type: string;
  readonly payload: string;
  readonly at: number;
}

/** Goes on by one event; returns why it does not fit, if it does not. */
export function replay(state: ReplayedState, event: ReplayedEvent): Misfit | null {
  try {
    apply(state, event);
    return null;
  } catch (error) {
    if (error instanceof Misfit) return error;
    throw error;
  }
}

function apply(state: ReplayedState, { type, payload, at }: ReplayedEvent): void {
  if (!isKnown(type)) throw new Misfit('this version does not know this type of event', 'a known type', cut(type));
  const { run } = state;
  const first = run.status === null;
  if (first !== (type === 'run.created')) {
    throw new Misfit('a run begins with its creation', first ? 'run.created' : 'another type', type);
  }
  const read = Payload.of(payload);
  if (run.finished_at !== null && !(type === 'step.tool_finished' && read.is('late', true))) {
    throw new Misfit('the run had ended before this event', 'a late outcome', type);
  }
  APPLY[type](state, read, at);
  run.updated_at = at;
}

function isKnown(type: string): type is EventType {
  return (EVENT_TYPES as readonly string[]).includes(type);
}
