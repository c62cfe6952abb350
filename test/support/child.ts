import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Options of a process that lives for a second or two: to optimize its code takes longer than that saves. */
export const SHORT_LIVED = ['--no-opt'];

const children = new Set<ChildProcess>();

/** The ids of the child processes that are still running. */
export function liveChildren(): number[] {
  return [...children].flatMap((child) => (child.pid === undefined ? [] : [child.pid]));
}

/** A process of its own that runs a compiled module of the tests and talks over IPC. */
export class Child {
  readonly #process: ChildProcess;
  readonly #messages: unknown[] = [];
  readonly #waiting: ((message: unknown) => void)[] = [];
  readonly exited: Promise<unknown>;

  /** @param module its URL, e.g. `new URL('./racer.js', import.meta.url)` */
  constructor(module: URL, args: readonly string[]) {
    this.#process = fork(fileURLToPath(module), [...args], {
      execArgv: [...process.execArgv, ...SHORT_LIVED],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    children.add(this.#process);
    this.exited = once(this.#process, 'exit').finally(() => children.delete(this.#process));
    this.#process.on('message', (message) => {
      const waiting = this.#waiting.shift();
      if (waiting) waiting(message);
      else this.#messages.push(message);
    });
  }

  /** The next thing that it says; rejects if it exits instead. */
  async next<T>(): Promise<T> {
    if (this.#messages.length > 0) return this.#messages.shift() as T;
    const message = new Promise<unknown>((resolve) => this.#waiting.push(resolve));
    const gone = this.exited.then(() => {
      throw new Error('the child process exited without a word');
    });
    gone.catch(() => undefined);
    return (await Promise.race([message, gone])) as T;
  }

  say(message: object): void {
    this.#process.send(message);
  }

  /** SIGKILL: nothing of it runs any more. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.exited;
  }
}
