import { setImmediate as nextTurn } from 'node:timers/promises';
import { ClosedError, LeaseLostError, RunStateError } from '../errors.js';
import type { Run } from '../model/run.js';
import { isOpen } from '../model/step.js';
import { settleInterrupted } from './settle-interrupted.js';
import { runStep } from './step.js';
import type { Session } from './session.js';

/**
 * Executes a run until it pauses or ends, and returns it as it is then.
 *
 * @param begin what takes the lease, if the session does not hold it yet
 *
 * @throws LeaseLostError if the lease was lost (contract L5)
 * @throws ClosedError if the runtime closes meanwhile; the lease is released and the next resume goes on (L11)
 */
export async function drive(session: Session, begin?: () => Promise<void>): Promise<Run> {
  try {
    await begin?.();
    while (session.run.status === 'RUNNING') {
      // Timers and the heartbeat's messages get their turn, however fast the steps are.
      await nextTurn();
      if (session.engine.closing) await stop(session);
      await advance(session);
    }
    return session.run;
  } catch (error) {
    const cancelled = session.isHeld && isLoss(error) ? await session.cancelled() : null;
    if (!cancelled) throw error;
    return cancelled;
  } finally {
    session.leave();
  }
}

/** Somebody else moved the run: perhaps an operator cancelled it, which is an end like any other (contract L9). */
function isLoss(error: unknown): boolean {
  return error instanceof LeaseLostError || error instanceof RunStateError;
}

async function advance(session: Session): Promise<void> {
  const { step } = session.state;
  if (step?.status === 'interrupted' && isOpen(step)) return settleInterrupted(session);
  return runStep(session);
}

async function stop(session: Session): Promise<never> {
  await session.release();
  throw new ClosedError(`the runtime was closed; run ${session.run.id} goes on at its next resume`);
}
