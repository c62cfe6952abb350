import type { DataSource } from 'typeorm';
import { SchemaVersionError, StoreError, UnsafeSchemaError } from '../errors.js';
import { escapeText } from '../model/escape-text.js';
import { SQLITE_MIGRATIONS } from './migrations/sqlite/index.js';
import { sqlOn } from './writer.js';

/** Where TypeORM records which migrations ran. */
export const MIGRATIONS_TABLE = 'holdpoint_migrations';

/**
 * Brings a database to this version's schema and into WAL mode.
 *
 * One that is refused is not touched: it is looked at before anything of it is set.
 *
 * @param create whether missing migrations are run; otherwise a database that misses any is refused
 * @throws SchemaVersionError if a newer version wrote the database, StoreError if it is to be at this version and is not,
 * UnsafeSchemaError if it holds a trigger or a view: Holdpoint has none
 */
export async function bringToSchema(source: DataSource, name: string, create: boolean): Promise<void> {
  await assertNoCode(source, name);
  const missing = await missingMigrations(source, name);
  if (missing === SQLITE_MIGRATIONS.length && !create) {
    throw new StoreError(
      `${name} is not a Holdpoint database: none of its tables are there. Check the path; Runtime.open creates one`,
    );
  }
  if (missing > 0 && !create) {
    throw new StoreError(
      `${name} is not a Holdpoint database of this version: ${missing} migration(s) are missing. ` +
        'Open it once with Runtime.open, which creates and migrates it',
    );
  }
  await source.createQueryRunner().query('PRAGMA journal_mode = WAL');
  if (missing > 0) await migrate(source, name);
}

/**
 * Two processes that open the same new file at once do not both migrate: the check and the migration are one immediate
 * transaction, so the second finds the work done (F16).
 */
async function migrate(source: DataSource, name: string): Promise<void> {
  const runner = source.createQueryRunner();
  await runner.query('BEGIN IMMEDIATE');
  try {
    if ((await missingMigrations(source, name)) > 0) await source.runMigrations({ transaction: 'none' });
    await runner.query('COMMIT');
  } catch (error) {
    await runner.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** A trigger runs with each of our writes, a view with each read of what it stands in for: what they do is somebody's. */
async function assertNoCode(source: DataSource, name: string): Promise<void> {
  const sql = sqlOn(source.createQueryRunner());
  const code = `SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY rowid LIMIT 1`;
  const [found] = (await sql.query(code, [])).records;
  if (!found) return;
  const quoted = (text: unknown): string => `"${escapeText(String(text))}"`;
  const on = found.type === 'trigger' ? ` on ${quoted(found.tbl_name)}` : '';
  throw new UnsafeSchemaError(name, `the ${String(found.type)} ${quoted(found.name)}${on}, which is not Holdpoint's`);
}

async function missingMigrations(source: DataSource, name: string): Promise<number> {
  const done = await executed(source);
  const known = new Set<string>(SQLITE_MIGRATIONS.map((migration) => migration.name));
  const unknown = done.filter((migration) => !known.has(migration));
  if (unknown.length > 0) {
    throw new SchemaVersionError(
      `${name} was written by a newer version of Holdpoint (${unknown.join(', ')}) and was not touched; ` +
        'upgrade this program',
    );
  }
  return known.size - done.length;
}

async function executed(source: DataSource): Promise<string[]> {
  const sql = sqlOn(source.createQueryRunner());
  const tables = await sql.query(`SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?`, [
    MIGRATIONS_TABLE,
  ]);
  if (tables.records.length === 0) return [];
  const rows = await sql.query(`SELECT name FROM ${MIGRATIONS_TABLE}`, []);
  return rows.records.map((row) => String(row.name));
}
