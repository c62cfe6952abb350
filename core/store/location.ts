import { resolve } from 'node:path';
import Database from 'better-sqlite3';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import { InvalidArgumentError } from '../errors.js';

/** Where a store is: a path, `:memory:`, or TypeORM's options of a `better-sqlite3` DataSource. */
export type StoreLocation = string | BetterSqlite3DataSourceOptions;

export const MEMORY = ':memory:';

/** The file's absolute path, or `:memory:`. */
export function databaseOf(location: StoreLocation): string {
  const database: unknown = typeof location === 'string' ? location : optionsDatabase(location);
  if (typeof database !== 'string' || database.trim() === '') {
    throw new InvalidArgumentError(`store: give a path, ':memory:' or TypeORM options of a better-sqlite3 DataSource`);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(database)) {
    const scheme = database.slice(0, database.indexOf(':'));
    throw new InvalidArgumentError(
      `store: this version opens SQLite files only, not ${scheme}:// addresses; give a path`,
    );
  }
  if (database.includes('\0')) throw new InvalidArgumentError('store: the path holds a NUL character');
  // The driver would trim it, and open another file than the one that was checked.
  if (database !== database.trim()) throw new InvalidArgumentError('store: the path begins or ends with white space');
  return database === MEMORY ? MEMORY : resolve(database);
}

function optionsDatabase(options: unknown): unknown {
  if (typeof options !== 'object' || options === null) return undefined;
  const { type, database, key, driver } = options as Readonly<Record<string, unknown>>;
  if (type !== 'better-sqlite3') {
    throw new InvalidArgumentError(`store: this version takes TypeORM options of type 'better-sqlite3' only`);
  }
  // The heartbeat renews leases on a connection of its own.
  if (key !== undefined)
    throw new InvalidArgumentError('store: this version opens no encrypted database; leave out "key"');
  assertDriver(driver);
  return database;
}

/**
 * POSIX locks are a process's: two SQLite libraries in one do not exclude each other, and damage a file that both write
 * to. The heartbeat writes with Holdpoint's own.
 */
function assertDriver(driver: unknown): void {
  if (driver === undefined || driver === Database || Object.prototype.isPrototypeOf.call(Database, driver as object)) {
    return;
  }
  throw new InvalidArgumentError(
    'store: "driver" must be the better-sqlite3 that Holdpoint itself opens the file with, or a class that extends it, ' +
      'since a second SQLite in this process would damage the file; leave out "driver"',
  );
}

type ConnectionOptions = Pick<
  BetterSqlite3DataSourceOptions,
  'nativeBinding' | 'prepareDatabase' | 'statementCacheSize' | 'verbose'
> & { readonly driver: unknown };

/**
 * What of TypeORM's options is about the connection.
 *
 * What maps, migrates or logs is the store's own: a prefix would miss the tables, and a logger be told what tools are
 * called with. The driver is always given, lest TypeORM find another copy of it than the heartbeat's thread.
 */
export function connectionOf(location: StoreLocation): ConnectionOptions {
  if (typeof location === 'string') return { driver: Database };
  const { nativeBinding, prepareDatabase, statementCacheSize, verbose } = location;
  const driver: unknown = location.driver ?? Database;
  const given = { nativeBinding, prepareDatabase, statementCacheSize, verbose };
  return { driver, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}
