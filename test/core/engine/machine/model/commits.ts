import { TIMEOUT_MS, TTL_MS } from './record.js';
import { Refusal, type Commit, type Runner } from './runner.js';

/** The three guards of a write (L4, S5, A4). */

/** A write of the loop that holds the run; one that starts an effect also needs the lease unexpired. */
export function* held(runner: Runner, write: () => void, startsEffect = false): Generator<Commit, void> {
  const { record } = runner;
  yield {
    guard: () => {
      if (record.reason === 'operator_cancelled') return new Refusal('RunStateError', true);
      const isOurs = record.lease?.owner === runner.name && (!startsEffect || record.isLeased);
      return isOurs ? null : new Refusal('LeaseLostError');
    },
    write: () => {
      const { activeMs } = runner;
      write();
      record.activeMs = activeMs;
    },
  };
}

/** Under a lease that has run out no code of the program is called, whatever the record says (L4). */
export function assertLive(runner: Runner): void {
  if (runner.hasLapsed) throw lost(runner);
}

/**
 * What a call brings past its timeout and a lease length, its lease run out, is not recorded (L12, L8), unless an operator
 * has cancelled the run (L9).
 */
export function assertInTime(runner: Runner, calledAt: number): void {
  const { record, hasLapsed } = runner;
  const isCancelled = record.reason === 'operator_cancelled';
  if (hasLapsed && !isCancelled && record.now >= calledAt + TIMEOUT_MS + TTL_MS) throw lost(runner);
}

function lost({ record }: Runner): Refusal {
  return new Refusal('LeaseLostError', record.reason === 'operator_cancelled');
}

/** A write of a loop that does not hold the run yet: the run must stand as it was read, and no grant have expired. */
export function* taking(runner: Runner, seen: string, write: () => void): Generator<Commit, void> {
  const { record } = runner;
  yield {
    guard: () => {
      if (record.isLeased) return new Refusal('RunLeasedError');
      return record.standing === seen ? null : new Refusal('RunStateError');
    },
    write: () => {
      if (record.approval && record.hasExpired(record.approval)) record.expire();
      else write();
      keep(runner);
    },
  };
}

/** From here on the loop holds the run, if the write took the lease. */
export function keep(runner: Runner): void {
  const { record } = runner;
  const { lease, activeMs, now } = record;
  if (lease?.owner === runner.name) runner.held = { activeMs, since: now, until: lease.expiresAt };
}

/** The outcome of a call that nobody waits for any more, for a person to see: it changes no state (I9, L9). */
export function* late(write: () => void): Generator<Commit, void> {
  yield { guard: () => null, write };
}
