import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.js';

/** Everything that the demo must leave no trace of: a temporary directory and the processes that it starts. */
export class Stage {
  readonly #children: { kill(): Promise<void> }[] = [];
  #closed = false;

  private constructor(private readonly directory: string) {}

  static async open(): Promise<Stage> {
    return new Stage(await mkdtemp(join(tmpdir(), 'holdpoint-demo-')));
  }

  path(file: string): string {
    return join(this.directory, file);
  }

  start<Told extends { readonly kind: string }, Order extends string = never>(
    name: string,
    module: string,
    args: readonly string[],
  ): Child<Told, Order> {
    if (this.#closed) throw new Error('the demo is over');
    const child = new Child<Told, Order>(name, module, args);
    this.#children.push(child);
    return child;
  }

  /** Kills what still runs, waits until it is gone, and removes the directory. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#children.map((child) => child.kill()));
    await rm(this.directory, { recursive: true, force: true });
  }
}
