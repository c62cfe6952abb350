import { Died } from '../../../../support/world.js';
import type { ToolName } from '../vocabulary.js';
import type { Ask, Said } from '../model/runner.js';

/** What the processes of one test have done to the world outside. */
export interface Outside {
  /** Every call of a tool, as it was made. */
  readonly calls: string[];
  /** Which tool an operation is of. */
  readonly tools: Map<string, ToolName>;
}

/** Where a program's questions wait for the test to answer them. One loop asks one thing at a time. */
export class Desk {
  readonly #stuck: ((said: Said) => void)[] = [];
  #dead = false;
  #open: { readonly answer: (said: Said) => void; readonly die: () => void } | null = null;

  constructor(
    readonly outside: Outside,
    private readonly onAsk: (ask: Ask) => void,
  ) {}

  ask(at: Ask['at'], shows: string): Promise<Said> {
    if (this.#dead) return Promise.reject(new Died());
    return new Promise((answer, reject) => {
      this.#open = { answer, die: () => reject(new Died()) };
      this.onAsk({ at, shows });
    });
  }

  answer(said: Said): void {
    const open = this.#open;
    this.#open = null;
    open?.answer(said);
  }

  /** The process dies: what is asked, and whatever is asked from here on, is never answered. */
  die(): void {
    this.#dead = true;
    this.#open?.die();
    this.#open = null;
  }

  /** A call that nobody answers in time. */
  stick(): Promise<Said> {
    return new Promise((answer) => this.#stuck.push(answer));
  }

  /** It answers after all. */
  unstick(place: number, said: Said): void {
    this.#stuck.splice(place, 1)[0]?.(said);
  }
}
