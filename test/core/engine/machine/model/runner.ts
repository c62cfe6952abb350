import type { Choice, Finding, Outcome, Revision, ToolName, Verdict } from '../vocabulary.js';
import { TTL_MS, type RunRecord } from './record.js';

/**
 * A process of the model: how it runs a loop from one question to the next, and where it may die.
 *
 * A loop is a generator. It yields what it asks its program, and what it commits; a commit is one change of the record, and
 * a process dies before or right after one, never inside.
 */

/** What the program is asked. */
export interface Ask {
  readonly at: 'agent' | 'policy' | 'tool' | 'reconciliation';
  /** What it is shown. */
  readonly shows: string;
}

export type Said = Choice | Verdict | Outcome | Finding;

/** One transaction. */
export interface Commit {
  /** Why it is refused, if it is. */
  readonly guard: () => Refusal | null;
  readonly write: () => void;
}

/** What a loop ends with: the run's status, or the error that it rejects with. */
export type End = string;

export type Loop = Generator<Ask | Commit, End, Said | undefined>;

/** A part of a loop. */
export type Act<T = void> = Generator<Ask | Commit, T, Said | undefined>;

/** A write that was refused, by the name of its error. It has changed nothing (S5). */
export class Refusal extends Error {
  constructor(
    override readonly name: string,
    /** Set if an operator has cancelled the run. */
    readonly cancelled = false,
  ) {
    super(name);
  }
}

/**
 * What befalls a process that has made this many commits since it was last spoken to: it dies before the next one, dies
 * right after the last, or stands still after it for as long as its lease lasts (L4).
 */
export interface Mishap {
  readonly commits: number;
  readonly kind: 'dies before the next' | 'dies right after' | 'freezes right after';
}

export type Stop =
  | { readonly kind: 'asks'; readonly ask: Ask }
  | { readonly kind: 'ended'; readonly end: End }
  | { readonly kind: 'died' };

/** A call of a tool that was made. */
export interface Called {
  readonly tool: ToolName;
  readonly step: number;
  readonly attempt: number;
}

export class Runner {
  /** What it asks, while it executes the run. */
  ask: Ask | null = null;
  /** Whether it no longer begins a step. */
  closing = false;
  /** Whether it holds the lease, as far as it knows, and until when; and how long the run has been active. */
  held: { readonly activeMs: number; readonly since: number; readonly until: number } | null = null;
  /** Calls that exceeded their timeout and have not answered yet. */
  readonly stuck: Called[] = [];
  #loop: Loop | null = null;
  /** Commits before its mishap. */
  #left = Infinity;

  constructor(
    readonly name: string,
    readonly revision: Revision,
    readonly record: RunRecord,
  ) {}

  get isBusy(): boolean {
    return this.#loop !== null;
  }

  get activeMs(): number {
    const { record, held } = this;
    return held ? held.activeMs + record.now - held.since : record.activeMs;
  }

  /** Whether the lease that it knows of has run out. */
  get hasLapsed(): boolean {
    return this.held !== null && this.record.now >= this.held.until;
  }

  begin(loop: Loop, mishap: Mishap | null): Stop {
    this.#loop = loop;
    return this.#run(loop, undefined, mishap);
  }

  answer(said: Said, mishap: Mishap | null): Stop {
    if (!this.#loop) throw new Error(`${this.name} asks nothing`);
    return this.#run(this.#loop, said, mishap);
  }

  /** Runs the loop up to its next question. */
  #run(loop: Loop, said: Said | undefined, mishap: Mishap | null): Stop {
    this.ask = null;
    this.#left = mishap?.commits ?? Infinity;
    let at = loop.next(said);
    while (!at.done && !('at' in at.value)) {
      const came = this.#commit(at.value, mishap?.kind);
      if (came === 'died') return { kind: 'died' };
      at = came === 'committed' ? loop.next() : loop.throw(came);
    }
    if (!at.done) {
      this.ask = at.value as Ask;
      return { kind: 'asks', ask: this.ask };
    }
    this.#loop = null;
    this.held = null;
    return { kind: 'ended', end: at.value };
  }

  #commit({ guard, write }: Commit, mishap: Mishap['kind'] | undefined): Refusal | 'committed' | 'died' {
    if (this.#left === 0 && mishap === 'dies before the next') return 'died';
    const refusal = guard();
    if (refusal) return refusal;
    const before = this.held;
    write();
    this.#left -= 1;
    if (this.#left !== 0 || mishap === 'dies before the next') return 'committed';
    if (mishap === 'dies right after') return 'died';
    this.record.now += TTL_MS;
    // A process counts its time from when it knows that it holds the run.
    if (this.held && !before) this.held = { ...this.held, since: this.record.now };
    return 'committed';
  }
}
