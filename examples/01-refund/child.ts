import { fork, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The longest that this demo waits for a process; far longer than any of them needs. */
const PATIENCE_MS = 15_000;

/** A process of the demo. It tells things in a known order, and this side waits for each. */
export class Child<Told extends { readonly kind: string }, Order extends string = never> {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  readonly #told: AsyncIterableIterator<[Told]>;

  constructor(
    readonly name: string,
    module: string,
    args: readonly string[],
  ) {
    const path = fileURLToPath(new URL(module, import.meta.url));
    this.#process = fork(path, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#exited = once(this.#process, 'exit');
    this.#exited.catch(() => undefined);
    this.#told = on(this.#process, 'message', { close: ['exit'] }) as AsyncIterableIterator<[Told]>;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  send(order: Order): void {
    this.#process.send(order);
  }

  /** What it tells next, which must be of this kind. */
  async next<Kind extends Told['kind']>(kind: Kind): Promise<Extract<Told, { readonly kind: Kind }>> {
    const event = await this.#within(this.#told.next());
    if (event.done === true) throw new Error(`${this.name} ended before it was ${kind}`);
    const [told] = event.value;
    if (told.kind === kind) return told as Extract<Told, { readonly kind: Kind }>;
    throw new Error(`${this.name} was ${told.kind} before it was ${kind}`);
  }

  /** Kills it as a crash would: it gets no chance to say or write anything more. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  /** Lets it finish and end by itself. */
  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    await this.#within(this.#exited);
  }

  async #within<T>(awaited: Promise<T>): Promise<T> {
    const over = new AbortController();
    const late = delay(PATIENCE_MS, undefined, { signal: over.signal }).then(() => {
      throw new Error(`${this.name} kept the demo waiting for ${PATIENCE_MS / 1_000} s`);
    });
    try {
      return await Promise.race([awaited, late]);
    } finally {
      late.catch(() => undefined);
      over.abort();
    }
  }
}
