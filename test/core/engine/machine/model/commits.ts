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
  if (record.lease?.owner === runner.name) runner.held = { activeMs: record.activeMs, since: record.now };
}

/** The outcome of a call that nobody waits for any more, for a person to see: it changes no state (I9, L9). */
export function* late(write: () => void): Generator<Commit, void> {
  yield { guard: () => null, write };
}
