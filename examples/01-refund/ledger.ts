import Database from 'better-sqlite3';
import type { Charge, ChargeRequest } from './payments.js';

/** The payment service's own book. It shares nothing with Holdpoint's store. */
export class Ledger {
  readonly #db: Database.Database;

  constructor(path: string) {
    this.#db = new Database(path);
    // `reference` is deliberately not unique: the same request twice is two charges.
    this.#db.exec(`CREATE TABLE charges (
      id INTEGER PRIMARY KEY, "order" TEXT NOT NULL, amount_cents INTEGER NOT NULL, reference TEXT NOT NULL
    ) STRICT`);
  }

  book({ order, amountCents, reference }: ChargeRequest): Charge {
    const { lastInsertRowid } = this.#db
      .prepare('INSERT INTO charges ("order", amount_cents, reference) VALUES (?, ?, ?)')
      .run(order, amountCents, reference);
    return { charge: `ch_${lastInsertRowid}`, order, amountCents, reference };
  }

  chargesOf(reference: string): Charge[] {
    return this.#db
      .prepare<[string], Charge>(
        `SELECT 'ch_' || id AS charge, "order", amount_cents AS amountCents, reference
         FROM charges WHERE reference = ? ORDER BY id`,
      )
      .all(reference);
  }

  count(): number {
    return this.#db.prepare<[], { count: number }>('SELECT count(*) AS count FROM charges').get()?.count ?? 0;
  }

  close(): void {
    this.#db.close();
  }
}
