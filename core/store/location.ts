import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import { InvalidArgumentError, NotFoundError, StoreError } from '../errors.js';

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
  const { type, database, key } = options as { type?: unknown; database?: unknown; key?: unknown };
  if (type !== 'better-sqlite3') {
    throw new InvalidArgumentError(`store: this version takes TypeORM options of type 'better-sqlite3' only`);
  }
  // The heartbeat renews leases on a connection of its own.
  if (key !== undefined)
    throw new InvalidArgumentError('store: this version opens no encrypted database; leave out "key"');
  return database;
}

type ConnectionOptions = Pick<
  BetterSqlite3DataSourceOptions,
  'nativeBinding' | 'prepareDatabase' | 'statementCacheSize' | 'verbose'
> & { readonly driver?: unknown };

/**
 * What of TypeORM's options is about the connection.
 *
 * What maps, migrates or logs is the store's own: a prefix would miss the tables, and a logger be told what tools are
 * called with.
 */
export function connectionOf(location: StoreLocation): ConnectionOptions {
  if (typeof location === 'string') return {};
  const options: ConnectionOptions = location;
  const { driver, nativeBinding, prepareDatabase, statementCacheSize, verbose } = options;
  const given = { driver, nativeBinding, prepareDatabase, statementCacheSize, verbose };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Makes sure that a new file is its owner's only, whatever the umask: SQLite gives the WAL the same mode. */
export function prepareFile(path: string, create: boolean): void {
  if (existsSync(path)) {
    if (!statSync(path).isFile()) throw new StoreError(`${path} is not a file; give the path of a database file`);
    return;
  }
  if (!create) throw new NotFoundError('store', path, 'there is no such file; Runtime.open creates it');
  const folder = dirname(path);
  if (!existsSync(folder)) throw new StoreError(`the folder ${folder} does not exist; create it first`);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process created it meanwhile; or it is a link, and a link to nothing exists without existing.
    if (existsSync(path)) return;
    throw new StoreError(`cannot create ${path}: ${(error as Error).message}`, { cause: error });
  }
}
