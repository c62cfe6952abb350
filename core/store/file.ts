import { closeSync, existsSync, lstatSync, openSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { InsecureStoreError, NotFoundError, StoreError } from '../errors.js';

/** What SQLite keeps beside a database, and would read as part of it. */
const BESIDE = ['-wal', '-shm', '-journal'];
const WRITABLE_BY_OTHERS = 0o022;
const ROOT = 0;

/**
 * Makes sure that a database file is this user's only, before anything opens it. A new one is created so, whatever the
 * umask: SQLite gives what it keeps beside it the same mode, and the same owner if root opens it.
 *
 * @throws InsecureStoreError if others can write to the file or to what lies beside it, own it, or it is a link
 * @throws NotFoundError if there is none and none is to be created, StoreError if it cannot be
 */
export function prepareFile(path: string, create: boolean): void {
  const found = assertDatabaseSafe(path);
  for (const suffix of BESIDE) assertBesideSafe(path + suffix, found?.uid ?? userId());
  if (found) return;
  if (!create) throw new NotFoundError('store', path, 'there is no such file; Runtime.open creates it');
  const folder = dirname(path);
  if (!existsSync(folder)) throw new StoreError(`the folder ${folder} does not exist; create it first`);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!lookedAt(path)) {
      throw new StoreError(`cannot create ${path}: ${(error as Error).message}`, { cause: error });
    }
    // Another process put it there meanwhile.
    assertDatabaseSafe(path);
  }
}

function lookedAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new StoreError(`cannot look at ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** The user as whom this process opens files. Windows has no such numbers. */
function userId(): number | undefined {
  return process.geteuid?.();
}

/** Nobody but its owner can write to a store anyway, so nobody else opens it; root administrates those of others. */
function assertDatabaseSafe(path: string): Stats | undefined {
  const found = assertSafe(path);
  const user = userId();
  if (!found || user === undefined || user === ROOT || found.uid === user) return found;
  const reason = `belongs to user ${found.uid}, not to user ${user}`;
  throw new InsecureStoreError(path, reason, 'run this as its owner, or give the path of a store of your own');
}

/** In a folder that others can write to, they can put there what SQLite would take for a part of the database. */
function assertBesideSafe(path: string, owner: number | undefined): void {
  const found = assertSafe(path);
  if (!found || owner === undefined || found.uid === owner) return;
  if (found.uid === ROOT && userId() === ROOT) return;
  throw new InsecureStoreError(
    path,
    `belongs to user ${found.uid}, not to user ${owner}`,
    `it would be read as part of the database: move it away, or, if what it holds is yours, chown ${owner} '${path}'`,
  );
}

function assertSafe(path: string): Stats | undefined {
  const found = lookedAt(path);
  if (!found) return undefined;
  if (found.isSymbolicLink()) {
    const fix = 'give the path of the file itself, so that nobody can point it elsewhere';
    throw new InsecureStoreError(path, 'is a symbolic link', fix);
  }
  if (!found.isFile()) throw new StoreError(`${path} is not a file; give the path of a database file`);
  assertOneName(path, found);
  // Windows has other means, which these bits say nothing about.
  if (process.platform === 'win32' || (found.mode & WRITABLE_BY_OTHERS) === 0) return found;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  throw new InsecureStoreError(
    path,
    `can be written to by others than its owner (mode ${mode})`,
    `make sure that what it holds is yours, then: chmod go-w '${path}'`,
  );
}

/** SQLite keeps a log beside each name, and two logs damage a database. */
function assertOneName(path: string, { nlink }: Stats): void {
  if (nlink <= 1) return;
  throw new InsecureStoreError(
    path,
    `has ${nlink} names (hard links)`,
    'each name of a database gets a log of its own, which damages it: with no process using it, keep the name that its ' +
      `-wal is named after, and delete the others (find FOLDER -samefile '${path}' lists them)`,
  );
}
