import Database from 'better-sqlite3';
import type { RuntimeOptions } from 'holdpoint';

/** A statement as one of a store's connections ran it. */
export interface Statement {
  readonly on: 'writer' | 'reader';
  readonly sql: string;
}

/** What is seen of a store's connections, and may be done to them. */
export interface Wire {
  /** In the order in which they ran, values included. */
  readonly statements: Statement[];
  /** The connections, in the order in which they were opened. */
  readonly writers: Database.Database[];
  readonly readers: Database.Database[];
}

export interface WireOptions {
  /** How long a statement waits for a lock, in milliseconds, instead of the store's own. */
  readonly timeout?: number;
  /** Runs as soon as a writing connection is open, before the store has it. */
  readonly opened?: (db: Database.Database) => void;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** TypeORM's options of a store whose driver tells what it runs. */
export function wired(file: string, { timeout, opened, extra = {} }: WireOptions = {}) {
  const wire: Wire = { statements: [], writers: [], readers: [] };
  class SpyDatabase extends Database {
    constructor(path: string, options: Database.Options) {
      const on = options.readonly ? 'reader' : 'writer';
      const verbose = (sql: unknown): void => {
        wire.statements.push({ on, sql: String(sql) });
      };
      super(path, { ...options, verbose, ...(timeout === undefined ? {} : { timeout }) });
      wire[`${on}s`].push(this);
      if (on === 'writer') opened?.(this);
    }
  }
  const store: RuntimeOptions['store'] = { ...extra, type: 'better-sqlite3', database: file, driver: SpyDatabase };
  return { store, wire };
}

/** The first word of each statement: `BEGIN`, `SELECT`, … */
export function verbs(statements: readonly Statement[], on: Statement['on']): string[] {
  return statements.filter((one) => one.on === on).map(({ sql }) => sql.trimStart().split(/\s/, 1)[0] ?? '');
}

const TABLES = ['runs', 'steps', 'approvals', 'model_calls', 'tool_specs', 'events'].map((name) => `holdpoint_${name}`);

/** Every row of every table. */
export function dump(db: Database.Database): Record<string, unknown[]> {
  return Object.fromEntries(TABLES.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all()]));
}
