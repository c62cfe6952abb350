import { isDeepStrictEqual } from 'node:util';
import type { AgentDefinition, Class } from '../definition/definition.js';
import { RunLeasedError, RunStateError } from '../errors.js';
import type { Hold } from '../lease/heartbeat.js';
import { isExpired, type Approval } from '../model/approval.js';
import { expire } from '../model/moves/operator.js';
import type { Change, State } from '../model/moves/change.js';
import type { Lease, Run } from '../model/run.js';
import type { Step } from '../model/step.js';
import { loadRun } from '../store/reads.js';
import { heldTransition, transition, type Committed } from '../store/transition.js';
import type { Engine } from './engine.js';
import type { Instances } from './instances.js';
import { unlessLost, type Came } from './unless-lost.js';

/** A move of a session; `lease` is the one that it may take. */
export type SessionMove = (state: State, at: number, lease: Lease) => Change;

/**
 * One hold of this process on one run, from the transaction that takes the lease to the one that releases it.
 *
 * It starts without a lease: a run that waits for a person is looked at, and its policy asked, before anything is taken.
 */
export class Session {
  #state: State;
  #approvals: readonly Approval[];
  #hold: Hold | null = null;
  #activeBefore = 0;
  #activeSince = 0;

  constructor(
    readonly engine: Engine,
    readonly agent: AgentDefinition,
    private readonly instances: Instances,
    state: State,
    approvals: readonly Approval[],
  ) {
    this.#state = state;
    this.#approvals = approvals;
  }

  get state(): State {
    return this.#state;
  }

  get run(): Run {
    return this.#state.run;
  }

  get step(): Step {
    if (!this.#state.step) throw new Error(`run ${this.run.id} has no step`);
    return this.#state.step;
  }

  /** Every approval of the run, as it is now. */
  get approvals(): readonly Approval[] {
    return this.#approvals;
  }

  get hold(): Hold {
    if (!this.#hold) throw new Error(`run ${this.run.id} is not held`);
    return this.#hold;
  }

  get isHeld(): boolean {
    return this.#hold !== null;
  }

  /** Milliseconds that the run has been executing, by the clock that nobody sets. */
  get activeMs(): number {
    if (!this.#hold) return this.run.activeMs;
    return this.#activeBefore + Math.round(this.engine.store.clock.monotonic() - this.#activeSince);
  }

  /** @throws DefinitionError if the instance cannot be made, LeaseLostError if the lease is lost meanwhile (L5) */
  async instance(cls: Class): Promise<object> {
    const made = await this.made(cls);
    if (made.ok) return made.value;
    throw made.thrown;
  }

  /** The instance, or what making it threw. @throws LeaseLostError */
  made(cls: Class): Promise<Came<object>> {
    return this.unlessLost(() => this.instances.of(cls));
  }

  /** What a user's code returns or throws. @throws LeaseLostError (L4, L5) */
  unlessLost<T>(ask: () => T | Promise<T>): Promise<Came<T>> {
    return unlessLost(this.#hold, ask);
  }

  /**
   * Commits a move. While the run is held it requires the lease; before, it requires the run to be as it was seen, and
   * takes the lease if the move does (contract A4, L7).
   */
  async commit(move: SessionMove, startsEffect = false): Promise<void> {
    const committed = this.#hold ? await this.#commitHeld(move, startsEffect) : await this.#commitTaking(move);
    this.#state = committed.state;
    // The next step begins without an approval: what became of this one's is kept here.
    const { approval } = committed.state;
    this.#approvals = this.#approvals.map((known) => (known.id === approval?.id ? approval : known));
    this.engine.notify(committed.events);
    await this.reached(committed.events.map(({ type }) => type));
  }

  /** A process may die here. Only a test's probe stops at it. */
  async reached(names: readonly string[]): Promise<void> {
    const { probe } = this.engine.options;
    if (probe) await probe(names, this.run.stepCount);
  }

  /**
   * Keeps the lease that a transaction has just taken, if it took one.
   *
   * @param sent the monotonic time when the transaction was sent
   */
  keep(run: Run, sent: number): void {
    const { heartbeat } = this.engine.options;
    if (run.lease?.owner !== heartbeat.owner) return;
    this.#hold = heartbeat.hold(run.id, run.lease, sent);
    this.#activeBefore = run.activeMs;
    this.#activeSince = this.engine.store.clock.monotonic();
  }

  /** Gives the lease back while the run goes on at its next resume (contract L11). */
  release(): Promise<void> {
    return this.commit(() => ({ run: { lease: null }, events: [] }));
  }

  /** The run, if it is known that an operator has cancelled it meanwhile (contract L9). Nothing is thrown. */
  async cancelled(): Promise<Run | null> {
    const { store } = this.engine;
    try {
      const run = await store.read((sql) => loadRun(store, sql, this.run.id));
      return run.reason === 'operator_cancelled' ? run : null;
    } catch {
      // What ended the loop is told, rather than that the store fails, too.
      return null;
    }
  }

  /** Stops the heartbeat; the lease itself went with the last commit, or is left to run out. */
  leave(): void {
    this.#hold?.drop();
    this.#hold = null;
  }

  #commitHeld(move: SessionMove, startsEffect: boolean): Promise<Committed> {
    const { store, options } = this.engine;
    const held = { owner: options.heartbeat.owner, state: this.#state };
    return heldTransition(store, held, startsEffect, (state, at) => {
      const change = move(state, at, options.heartbeat.lease(at));
      return { ...change, run: { ...change.run, activeMs: this.activeMs } };
    });
  }

  async #commitTaking(move: SessionMove): Promise<Committed> {
    const { store, options } = this.engine;
    const sent = store.clock.monotonic();
    const committed = await transition(store, this.run.id, (fresh, at) => {
      assertAsSeen(fresh, this.#state, at);
      const state = { ...fresh, earlier: this.#state.earlier };
      if (state.approval && isExpired(state.approval, at)) return expire(state, state.approval, at);
      return move(state, at, options.heartbeat.lease(at));
    });
    this.keep(committed.state.run, sent);
    // The transaction loads the last step only; the agent is shown every one.
    return { ...committed, state: { ...committed.state, earlier: this.#state.earlier } };
  }
}

/** Of two that resume one run, the second finds it changed and changes nothing (contract S5, A4, L6). */
function assertAsSeen(fresh: State, seen: State, at: number): void {
  const { run } = fresh;
  if (run.lease && run.lease.expiresAt > at) {
    throw new RunLeasedError(run.id, run.lease.owner, new Date(run.lease.expiresAt));
  }
  if (!isDeepStrictEqual(standing(fresh), standing(seen)))
    throw new RunStateError(run.id, run.status, run.reason, 'resume as it was read');
}

/**
 * Where a run stands: what a resume decides on.
 *
 * The step and its approval are compared whole. What was checked when they were read, be it a signature (contract A7),
 * is then true of what the transaction finds.
 */
function standing({ run, step, approval }: State): unknown {
  return [run.status, run.lease?.owner ?? null, step, approval];
}
