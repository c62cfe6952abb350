import type { DataSource, QueryRunner } from 'typeorm';
import { ClosedError } from '../errors.js';
import { enqueue } from './queue.js';
import { storeError } from './sql-error.js';
import type { Sql } from './table.js';

/**
 * The connection that writes.
 *
 * - A DataSource on better-sqlite3 has one connection: two transactions at once would nest, and one's rollback would
 *   take the other's writes with it. So one transaction runs at a time, first come, first served (contract S2, F15).
 * - Transactions are immediate: one that reads first and writes later would get SQLITE_BUSY without waiting.
 * - No code of a user is ever awaited inside one.
 */
export class Writer {
  readonly #runner: QueryRunner;
  #closed = false;

  /**
   * @param name what the database is called in errors
   * @param key whose queue to stand in: the same for every writer of one database
   */
  constructor(
    source: DataSource,
    private readonly name: string,
    private readonly key: unknown,
  ) {
    this.#runner = source.createQueryRunner();
  }

  /**
   * Runs `work` in a transaction of its own: all of it is committed, or nothing.
   *
   * @throws StoreError if the database fails; ClosedError; what `work` throws otherwise
   */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return enqueue(this.key, () => this.#run(work));
  }

  /** Waits for what is queued; whatever comes later is refused. */
  close(): Promise<void> {
    return enqueue(this.key, () => {
      this.#closed = true;
      return Promise.resolve();
    });
  }

  async #run<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#closed) throw new ClosedError(`${this.name} is closed; nothing was written`);
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
