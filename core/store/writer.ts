import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, QueryRunner } from 'typeorm';
import { ClosedError } from '../errors.js';
import { storeError } from './sql-error.js';
import type { Sql } from './table.js';

/**
 * The one queue through which every write goes.
 *
 * - A DataSource on better-sqlite3 has one connection: two transactions at once would nest, and one's rollback would
 *   take the other's writes with it. So one transaction runs at a time, first come, first served (contract S2, F15).
 * - Transactions are immediate: one that reads first and writes later would get SQLITE_BUSY without waiting.
 * - No code of a user is ever awaited inside one. A nested call would wait for itself for ever; it throws instead.
 */
export class Writer {
  readonly #runner: QueryRunner;
  readonly #inside = new AsyncLocalStorage<true>();
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(
    source: DataSource,
    private readonly name: string,
  ) {
    this.#runner = source.createQueryRunner();
  }

  /**
   * Runs `work` in a transaction of its own: all of it is committed, or nothing.
   *
   * @throws StoreError if the database fails; what `work` throws otherwise
   */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#inside.getStore()) throw new Error('a transaction inside a transaction would wait for itself');
    const turn = this.#tail.then(() => {
      if (this.#closed) throw new ClosedError(`${this.name} is closed; nothing was written`);
      return this.#inside.run(true, () => this.#run(work));
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Waits for what is queued; whatever comes later is refused. */
  async close(): Promise<void> {
    await this.#tail;
    this.#closed = true;
  }

  async #run<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      await this.#runner.query('BEGIN IMMEDIATE');
      const result = await work(sqlOn(this.#runner));
      await this.#runner.query('COMMIT');
      return result;
    } catch (error) {
      await this.#rollback();
      throw storeError(error, `write to ${this.name}`);
    }
  }

  /** SQLite may have rolled back on its own, or BEGIN may have failed: then there is nothing to do. */
  async #rollback(): Promise<void> {
    try {
      await this.#runner.query('ROLLBACK');
    } catch {
      return;
    }
  }
}

/** Statements on a query runner. */
export function sqlOn(runner: QueryRunner): Sql {
  return {
    async query(sql, parameters) {
      const result = await runner.query(sql, [...parameters], true);
      return { records: result.records as Record<string, unknown>[], affected: result.affected ?? 0 };
    },
  };
}
