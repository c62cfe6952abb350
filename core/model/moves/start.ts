import type { Lease } from '../run.js';
import type { Limits } from '../limits.js';
import { isOpen, type Observation, type Step } from '../step.js';
import { event, runTo, stepTo, type Change, type NewRun, type State } from './change.js';

/** What a run is created with. */
export interface RunRequest {
  readonly id: string;
  readonly agent: string;
  readonly goal: string;
  readonly limits: Limits;
}

/** A run that nobody executes yet, and the event that explains it. */
export function createRun(
  { id, agent, goal, limits }: RunRequest,
  at: number,
): { run: NewRun; events: Change['events'] } {
  const run: NewRun = {
    id,
    agent,
    goal,
    limits,
    status: 'PENDING',
    reason: null,
    message: null,
    result: null,
    stepCount: 0,
    activeMs: 0,
    lease: null,
    createdAt: at,
    startedAt: null,
    updatedAt: at,
    finishedAt: null,
  };
  return { run, events: [event('run.created', { agent, goal, limits })] };
}

/** PENDING to RUNNING; the lease is taken in the same transaction (contract L1). */
export function startRun({ run }: State, lease: Lease, at: number): Change {
  return {
    run: { ...runTo(run, 'RUNNING'), lease, startedAt: at },
    events: [event('run.started', { owner: lease.owner, leaseExpiresAt: lease.expiresAt })],
  };
}

/** A run that waited for nothing more, or that its owner released, goes on. */
export function resumeRun({ run }: State, lease: Lease): Change {
  return { run: { ...runTo(run, 'RUNNING'), lease }, events: [resumed(lease)] };
}

/** The event of a run that goes on under a new lease. */
export function resumed(lease: Lease, approval?: string): Change['events'][number] {
  return event('run.resumed', { owner: lease.owner, leaseExpiresAt: lease.expiresAt, approval });
}

/**
 * The lease of a dead owner changes hands, and the step in flight is marked, in one transaction (contract L7).
 *
 * A step that was deciding, or calling a tool declared read only, is settled by that: the agent decides again (I3). A
 * call of any other tool stays open until it is reconciled or a person has decided (I4, I5).
 */
export function takeOver({ run, step }: State, lease: Lease, readOnly: boolean, at: number): Change {
  const events = [
    event('lease.taken_over', {
      from: run.lease?.owner ?? null,
      expiredAt: run.lease?.expiresAt ?? null,
      to: lease.owner,
      leaseExpiresAt: lease.expiresAt,
    }),
  ];
  const taken = { run: { ...runTo(run, 'RUNNING'), lease }, events };
  if (!step || !inFlight(step)) return taken;
  return { ...taken, ...interruptedByCrash(step, readOnly, at, events) };
}

function inFlight(step: Step): boolean {
  return isOpen(step) && (step.status === 'deciding' || step.status === 'executing');
}

function interruptedByCrash(step: Step, readOnly: boolean, at: number, events: Change['events']) {
  const settled = step.status === 'deciding' || readOnly;
  const message =
    step.status === 'deciding'
      ? 'the process stopped before this step called anything; decide again'
      : `the process stopped during this call of ${step.tool ?? 'a tool'}, which is read only; decide again`;
  const { index, status: during, tool } = step;
  const observation: Observation | undefined = settled ? { kind: 'interrupted', cause: 'crash', message } : undefined;
  return {
    step: stepTo(step, 'interrupted', {
      cause: 'crash',
      interruptedAt: at,
      ...(observation ? { observation, finishedAt: at } : {}),
    }),
    events: [...events, event('step.interrupted', { step: index, cause: 'crash', during, tool, settled, observation })],
  };
}
