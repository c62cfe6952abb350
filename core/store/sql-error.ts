import { QueryFailedError } from 'typeorm';
import { HoldpointError, StoreError } from '../errors.js';

const EXPLANATIONS: readonly (readonly [prefix: string, says: string])[] = [
  ['SQLITE_FULL', 'the disk, or the database file at its size limit, is full; make room and try again'],
  ['SQLITE_BUSY', 'another process kept the database locked for too long; try again, and look for a stuck writer'],
  ['SQLITE_READONLY', 'the file or its folder is not writable for this user; fix its permissions'],
  ['SQLITE_NOTADB', 'the file is not a SQLite database, or is encrypted; give another path'],
  ['SQLITE_CORRUPT', 'the file is damaged; restore it from a backup'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened; check the path and its permissions'],
  ['SQLITE_IOERR', 'reading or writing the file failed; check the disk'],
  ['SQLITE_CONSTRAINT', 'a row breaks a rule of the schema; please report this'],
];

/**
 * A database error as one of ours.
 *
 * TypeORM's own error is left out on purpose: it carries the statement's parameters, which may hold secrets.
 *
 * @param doing what was under way, e.g. `write to runs.db`
 */
export function storeError(error: unknown, doing: string): Error {
  if (error instanceof HoldpointError) return error;
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const code = codeOf(cause);
  if (isUnbuilt(cause)) return new StoreError(`cannot ${doing}: ${UNBUILT}`, { cause });
  if (code === null) return cause instanceof Error ? cause : new StoreError(`cannot ${doing}`, { cause });
  const says = EXPLANATIONS.find(([prefix]) => code.startsWith(prefix))?.[1] ?? (cause as Error).message;
  return new StoreError(`cannot ${doing}: ${says} (${code}). Nothing was changed`, { cause });
}

const UNBUILT =
  'the native part of better-sqlite3 is not there: its install script did not run, or ran for another Node. ' +
  'Run `npm rebuild better-sqlite3`; npm 11 wants `npm install-scripts approve better-sqlite3` before';

/** The addon's loader says so in words only. */
function isUnbuilt(error: unknown): boolean {
  return error instanceof Error && /bindings file|NODE_MODULE_VERSION|ERR_DLOPEN_FAILED/.test(error.message);
}

/** SQLite's own code of an error, wherever it is wrapped, e.g. `SQLITE_BUSY`. */
export function codeOf(error: unknown): string | null {
  const inner: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const code: unknown = inner instanceof Error && 'code' in inner ? inner.code : null;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : null;
}
