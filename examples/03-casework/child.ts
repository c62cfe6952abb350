import { fork, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process of this program. What it tells comes in a known order. It ends when this one does. */
export class Child<Told extends { readonly kind: string }> {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #told: AsyncIterableIterator<[Told]>;

  constructor(module: string, args: readonly string[]) {
    const path = fileURLToPath(new URL(module, import.meta.url));
    this.#process = fork(path, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#exited = once(this.#process, 'exit');
    this.#told = on(this.#process, 'message', { close: ['exit'] }) as AsyncIterableIterator<[Told]>;
  }

  send(order: string): void {
    this.#process.send(order);
  }

  /** What it tells next, which must be of this kind. */
  async next<Kind extends Told['kind']>(kind: Kind): Promise<Extract<Told, { readonly kind: Kind }>> {
    const event = await this.#told.next();
    if (event.done !== true && event.value[0].kind === kind) {
      return event.value[0] as Extract<Told, { readonly kind: Kind }>;
    }
    throw new Error(`a process ended, or told something else, before it was ${kind}`);
  }

  /** Kills it as a crash would: it gets no chance to say or write anything more. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }
}
