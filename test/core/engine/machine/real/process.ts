import { setImmediate as turn } from 'node:timers/promises';
import type { Run, Runtime } from 'holdpoint';
import type { ManualClock } from '../../../../../core/clock.js';
import { Died, withoutHeartbeat, type Mortal, type World } from '../../../../support/world.js';
import { TTL_MS, type Config } from '../model/record.js';
import type { Ask, End, Mishap, Said } from '../model/runner.js';
import type { Revision } from '../vocabulary.js';
import { Desk, type Outside } from './desk.js';
import { unlessHung } from './hung.js';
import { agentOf, policyOf } from './program.js';

/** How a process stands still: it asks something, or its loop has ended. */
export type Standstill = { readonly asks: Ask } | { readonly ended: End };

/** A process that executes the run: a runtime that can die, and the program whose questions the test answers. */
export class Process {
  #mortal!: Mortal;
  #looping: Promise<void> = Promise.resolve();
  #closed: Promise<void> | null = null;
  #stop: (at: Standstill) => void = () => {};
  #mishap: Mishap | null = null;
  readonly #desk: Desk;

  private constructor(outside: Outside) {
    this.#desk = new Desk(outside, (asks) => this.#stop({ asks }));
  }

  static async open(
    world: World,
    config: Config,
    outside: Outside,
    name: string,
    revision: Revision,
  ): Promise<Process> {
    const process = new Process(outside);
    process.#mortal = await world.open([agentOf(revision, config.agentReconciles, process.#desk)], {
      policy: policyOf(process.#desk),
      limits: config.limits,
      lease: { owner: name, ttlMs: TTL_MS },
      ...(config.approvalTtlMs === null ? {} : { approvalTtlMs: config.approvalTtlMs }),
      ...(config.grantTtlMs === null ? {} : { grantTtlMs: config.grantTtlMs }),
    });
    process.#befallAfterCommits(world.clock);
    withoutHeartbeat(process.#mortal);
    return process;
  }

  /** Its events, as its observer was told. */
  get told(): Mortal['events'] {
    return this.#mortal.events;
  }

  /** Executes the run up to the first standstill. */
  begin(work: (runtime: Runtime) => Promise<Run>, mishap: Mishap | null): Promise<Standstill> {
    return this.#until(mishap, () => {
      const ended = (end: End): void => this.#stop({ ended: end });
      const loop = work(this.#mortal.runtime).then((run) => run.status, nameOf);
      this.#looping = loop.then(ended);
    });
  }

  /** What a start or resume comes to that is refused at once, whatever else the process does. */
  async refused(work: (runtime: Runtime) => Promise<Run>): Promise<End> {
    const asked = new Promise<End>((stop) => (this.#stop = () => stop('it asked something')));
    return Promise.race([asked, work(this.#mortal.runtime).then((run) => run.status, nameOf)]);
  }

  /** Answers what it asks, and waits for the next standstill. */
  answer(said: Said, mishap: Mishap | null): Promise<Standstill> {
    return this.#until(mishap, () => this.#desk.answer(said));
  }

  /** A call that exceeded its timeout answers after all; what that writes is written when this returns. */
  async unstick(place: number, said: Said): Promise<void> {
    this.#desk.unstick(place, said);
    await turn();
    await this.#mortal.store.transaction(async () => {});
  }

  /** Nothing of it is committed from here on. What it asked is never answered. */
  async kill(): Promise<void> {
    this.#mortal.dieAfter(0);
    this.#desk.die();
    this.beginClosing();
    await unlessHung(this.#looping, 'its loop did not end when it was killed');
  }

  /** Begins to stop it cleanly: at once if it executes nothing, otherwise after the step in flight (L11). */
  beginClosing(): void {
    this.#closed ??= this.#mortal.runtime.close();
  }

  /** When nothing of it is open any more. */
  async closed(): Promise<void> {
    await unlessHung(this.#closed ?? Promise.resolve(), 'it did not close');
  }

  async #until(mishap: Mishap | null, begin: () => void): Promise<Standstill> {
    const standstill = new Promise<Standstill>((stop) => (this.#stop = stop));
    if (mishap?.kind === 'dies before the next') this.#mortal.dieAfter(mishap.commits);
    else this.#mishap = mishap;
    begin();
    const at = await unlessHung(standstill, 'it neither asked anything nor ended');
    if (mishap?.kind === 'dies before the next') this.#mortal.dieAfter(Infinity);
    this.#mishap = null;
    return at;
  }

  /** What befalls it right after a commit: it does not come to know that it was made, or much later. */
  #befallAfterCommits(clock: ManualClock): void {
    const { store, dieAfter } = this.#mortal;
    const transaction = store.transaction.bind(store);
    store.transaction = async (work) => {
      const result = await transaction(work);
      const mishap = this.#mishap;
      if (!mishap) return result;
      this.#mishap = mishap.commits > 1 ? { ...mishap, commits: mishap.commits - 1 } : null;
      if (this.#mishap) return result;
      if (mishap.kind === 'freezes right after') {
        clock.advance(TTL_MS);
        return result;
      }
      dieAfter(0);
      throw new Died();
    };
  }
}

export function nameOf(error: unknown): End {
  return (error as Error).constructor.name;
}
