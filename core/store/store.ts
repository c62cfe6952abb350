import { realpathSync } from 'node:fs';
import { DataSource, type Logger } from 'typeorm';
import type Database from 'better-sqlite3';
import { uuidV7, type Ids } from '../ids.js';
import { systemClock, type Clock } from '../clock.js';
import { ClosedError, HoldpointError } from '../errors.js';
import { ApprovalRow, ENTITIES, EventRow, RunRow, StepRow, ToolSpecRow } from './entities/index.js';
import { prepareFile } from './file.js';
import { connectionOf, databaseOf, MEMORY, type StoreLocation } from './location.js';
import { bringToSchema, MIGRATIONS_TABLE } from './migrate.js';
import { SQLITE_MIGRATIONS } from './migrations/sqlite/index.js';
import { enqueue } from './queue.js';
import { codeOf, storeError } from './sql-error.js';
import { Table, type Sql } from './table.js';
import { sqlOn, Writer } from './writer.js';

/** How long a statement waits for another process's lock, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
const OPEN_RETRY_MS = 50;

const nothing = (): void => undefined;

/** Statements carry the arguments of tools: they stay out of every log. A failed migration is thrown, not printed. */
const SILENT: Logger = {
  logQuery: nothing,
  logQueryError: nothing,
  logQuerySlow: nothing,
  logSchemaBuild: nothing,
  logMigration: nothing,
  log: nothing,
};

export interface StoreOptions {
  readonly location: StoreLocation;
  /** Create and migrate the file; otherwise it must be there, at this version's schema. */
  readonly create: boolean;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** The tables of a store. */
export interface Tables {
  readonly runs: Table<RunRow>;
  readonly steps: Table<StepRow>;
  readonly approvals: Table<ApprovalRow>;
  readonly events: Table<EventRow>;
  readonly specs: Table<ToolSpecRow>;
}

/**
 * One open database: a connection that writes, through one queue, and one that only reads.
 *
 * A `:memory:` store has one connection for both.
 */
export class Store {
  /** The file's absolute path, or `:memory:`. */
  readonly database: string;
  /** Where the driver's native part is, if not where it looks itself. */
  readonly nativeBinding: string | null;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tables: Tables;
  readonly #writer: Writer;
  readonly #sources: readonly DataSource[];
  readonly #reader: Sql | null;
  #closing: Promise<void> | null = null;

  private constructor(
    database: string,
    options: StoreOptions,
    writer: Writer,
    writing: DataSource,
    reading: DataSource | null,
  ) {
    this.database = database;
    this.nativeBinding = connectionOf(options.location).nativeBinding ?? null;
    this.clock = options.clock ?? systemClock;
    this.ids = options.ids ?? uuidV7;
    this.#writer = writer;
    this.#reader = reading ? sqlOn(reading.createQueryRunner()) : null;
    this.#sources = reading ? [reading, writing] : [writing];
    this.tables = {
      runs: new Table(writing, RunRow),
      steps: new Table(writing, StepRow),
      approvals: new Table(writing, ApprovalRow),
      events: new Table(writing, EventRow),
      specs: new Table(writing, ToolSpecRow),
    };
  }

  /**
   * Opens a store.
   *
   * @throws InvalidArgumentError, NotFoundError, StoreError, SchemaVersionError, InsecureStoreError, UnsafeSchemaError: each
   * says what to do, and has changed nothing
   */
  static async open(options: StoreOptions): Promise<Store> {
    const database = databaseOf(options.location);
    if (database !== MEMORY) prepareFile(database, options.create);
    try {
      return await retryWhileBusy(() => Store.#connect(database, options));
    } catch (error) {
      throw storeError(error, `open ${database}`);
    }
  }

  /** Migrating is a write like any other, so opening waits its turn too. */
  static #connect(database: string, options: StoreOptions): Promise<Store> {
    const key = database === MEMORY ? Symbol(MEMORY) : realpathSync(database);
    return enqueue(key, () =>
      openingAll(async (open) => {
        const writing = await open(sourceOf(database, options, false));
        await bringToSchema(writing, database, options.create);
        const reading = database === MEMORY ? null : await open(sourceOf(database, options, true));
        return new Store(database, options, new Writer(writing, database, key), writing, reading);
      }),
    );
  }

  /** All that `work` writes is committed together, or none of it (contract S2). */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#writer.transaction(work);
  }

  /** Reads what is committed. */
  async read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#assertOpen();
    if (!this.#reader) return this.#writer.transaction(work);
    try {
      return await work(this.#reader);
    } catch (error) {
      // A connection that is closed under a read fails with whatever the driver says.
      if (!(error instanceof HoldpointError)) this.#assertOpen();
      throw storeError(error, `read ${this.database}`);
    }
  }

  /** Waits for the writes that are queued, then closes the connections. Closing twice is no error. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #assertOpen(): void {
    if (this.#closing) throw new ClosedError(`${this.database} is closed`);
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    await destroyAll(this.#sources);
  }
}

/** Opens several connections; if one cannot be opened, those before it are closed again. */
async function openingAll<T>(work: (open: (source: DataSource) => Promise<DataSource>) => Promise<T>): Promise<T> {
  const opened: DataSource[] = [];
  try {
    return await work(async (source) => {
      await source.initialize();
      opened.push(source);
      return source;
    });
  } catch (error) {
    await destroyAll(opened);
    throw error;
  }
}

async function destroyAll(sources: readonly DataSource[]): Promise<void> {
  for (const source of sources) await source.destroy();
}

function sourceOf(database: string, { location }: StoreOptions, readonly: boolean): DataSource {
  const { prepareDatabase, ...given } = connectionOf(location);
  return new DataSource({
    ...given,
    type: 'better-sqlite3',
    database,
    readonly,
    fileMustExist: database !== MEMORY,
    timeout: BUSY_TIMEOUT_MS,
    entities: ENTITIES,
    migrations: SQLITE_MIGRATIONS,
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsRun: false,
    synchronize: false,
    dropSchema: false,
    logger: SILENT,
    prepareDatabase: async (db: Database.Database) => {
      try {
        await prepareDatabase?.(db);
        setPragmas(db);
      } catch (error) {
        // TypeORM does not know the connection yet, so nobody else would close it.
        db.close();
        throw error;
      }
    },
  });
}

/** Reopening a WAL file would silently lower `synchronous` to NORMAL, so it is set on every connection. */
function setPragmas(db: Database.Database): void {
  db.pragma('synchronous = FULL');
  db.pragma('trusted_schema = OFF');
}

/** Switching a new file to WAL needs it alone, and SQLite does not wait for that: other openers are waited out here. */
async function retryWhileBusy<T>(open: () => Promise<T>): Promise<T> {
  const giveUp = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (performance.now() >= giveUp || !codeOf(error)?.startsWith('SQLITE_BUSY')) throw error;
      await new Promise((retry) => setTimeout(retry, OPEN_RETRY_MS));
    }
  }
}
