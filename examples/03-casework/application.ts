import Database from 'better-sqlite3';
import type { Account, Case, Change, ChangeRequest } from './accounts.js';

const TABLES = `
  CREATE TABLE IF NOT EXISTS accounts (id TEXT PRIMARY KEY, address TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS cases (id TEXT PRIMARY KEY, account TEXT NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, operation TEXT NOT NULL, account TEXT NOT NULL,
    "before" TEXT NOT NULL, "after" TEXT NOT NULL, applied INTEGER NOT NULL
  ) STRICT;`;

/**
 * The application whose accounts the agent changes. It has a database of its own and knows nothing of Holdpoint.
 *
 * - Every request is a row, a refused one too: what reached it can be counted.
 * - `operation` is deliberately not unique: it is for the agent to look before it asks again.
 * - A request is refused if the account no longer holds what was to be replaced.
 */
export class Application {
  readonly #db: Database.Database;

  constructor(path: string) {
    this.#db = new Database(path);
    this.#db.exec(TABLES);
  }

  add({ case: id, account, text, address }: Case): void {
    this.#db.prepare('INSERT INTO accounts (id, address) VALUES (?, ?)').run(account, address);
    this.#db.prepare('INSERT INTO cases (id, account, text) VALUES (?, ?, ?)').run(id, account, text);
  }

  case(id: string): Case | undefined {
    return this.#db
      .prepare<[string], Case>(
        `SELECT cases.id AS "case", account, text, address
         FROM cases JOIN accounts ON accounts.id = account WHERE cases.id = ?`,
      )
      .get(id);
  }

  account(id: string): Account | undefined {
    return this.#db
      .prepare<[string], Account>(
        `SELECT address, count(requests.id) AS requests, coalesce(sum(applied), 0) AS applied
         FROM accounts LEFT JOIN requests ON account = accounts.id WHERE accounts.id = ? GROUP BY accounts.id`,
      )
      .get(id);
  }

  changesOf(operation: string): Change[] {
    return this.#db
      .prepare<[string], Change>(
        `SELECT 'change-' || id AS change, operation, account, "before", "after"
         FROM requests WHERE operation = ? AND applied = 1 ORDER BY id`,
      )
      .all(operation);
  }

  /** The operation of every request that arrived, in order. */
  operations(): string[] {
    return this.#db.prepare<[], string>('SELECT operation FROM requests ORDER BY id').pluck().all();
  }

  /** Applies the change, or refuses it (null); in either case the request is written down in the same transaction. */
  change(request: ChangeRequest): Change | null {
    return this.#db.transaction(() => {
      const { operation, account, before, after } = request;
      const { changes } = this.#db
        .prepare('UPDATE accounts SET address = ? WHERE id = ? AND address = ?')
        .run(after, account, before);
      const { lastInsertRowid } = this.#db
        .prepare('INSERT INTO requests (operation, account, "before", "after", applied) VALUES (?, ?, ?, ?, ?)')
        .run(operation, account, before, after, changes);
      return changes === 0 ? null : { change: `change-${lastInsertRowid}`, ...request };
    })();
  }

  close(): void {
    this.#db.close();
  }
}
