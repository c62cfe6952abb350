import type { Choice, Finding, Outcome, Revision, ToolName, Verdict } from '../vocabulary.js';
import type { RunRecord } from './record.js';

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

/** Where a process dies: with `commits` made since it was last spoken to, before the next one or right after the last. */
export interface Death {
  readonly commits: number;
  readonly when: 'before the next' | 'right after';
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
  /** Whether it holds the lease, as far as it knows; and how long the run has been active. */
  held: { readonly activeMs: number; readonly since: number } | null = null;
  /** Calls that exceeded their timeout and have not answered yet. */
  readonly stuck: Called[] = [];
  #loop: Loop | null = null;

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

  begin(loop: Loop, death: Death | null): Stop {
    this.#loop = loop;
    return this.#run(loop, undefined, death);
  }

  answer(said: Said, death: Death | null): Stop {
    if (!this.#loop) throw new Error(`${this.name} asks nothing`);
    return this.#run(this.#loop, said, death);
  }

  /** Runs the loop up to its next question. */
  #run(loop: Loop, said: Said | undefined, death: Death | null): Stop {
    this.ask = null;
    let commits = 0;
    let at = loop.next(said);
    while (!at.done) {
      if ('at' in at.value) {
        this.ask = at.value;
        return { kind: 'asks', ask: at.value };
      }
      if (death?.when === 'before the next' && commits === death.commits) return { kind: 'died' };
      const refusal = at.value.guard();
      if (!refusal) {
        at.value.write();
        commits += 1;
        if (death?.when === 'right after' && commits === death.commits) return { kind: 'died' };
      }
      at = refusal ? loop.throw(refusal) : loop.next();
    }
    this.#loop = null;
    this.held = null;
    return { kind: 'ended', end: at.value };
  }
}
