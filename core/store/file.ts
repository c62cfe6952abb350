import { closeSync, existsSync, lstatSync, openSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { InsecureStoreError, NotFoundError, StoreError } from '../errors.js';

/** What SQLite keeps beside a database, and would read as part of it. */
const BESIDE = ['-wal', '-shm', '-journal'];
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes sure that a database file is its owner's only, before anything opens it. A new one is created so, whatever the
 * umask: SQLite gives what it keeps beside it the same mode.
 *
 * @throws InsecureStoreError if others than the owner can write to the file, or it is a symbolic link
 * @throws NotFoundError if there is none and none is to be created, StoreError if it cannot be
 */
export function prepareFile(path: string, create: boolean): void {
  for (const file of [path, ...BESIDE.map((suffix) => path + suffix)]) assertSafe(file);
  if (lookedAt(path)) return;
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
    assertSafe(path);
  }
}

function lookedAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new StoreError(`cannot look at ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function assertSafe(path: string): void {
  const found = lookedAt(path);
  if (!found) return;
  if (found.isSymbolicLink()) {
    const fix = 'give the path of the file itself, so that nobody can point it elsewhere';
    throw new InsecureStoreError(path, 'is a symbolic link', fix);
  }
  if (!found.isFile()) throw new StoreError(`${path} is not a file; give the path of a database file`);
  // Windows has other means, which these bits say nothing about.
  if (process.platform === 'win32' || (found.mode & WRITABLE_BY_OTHERS) === 0) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  throw new InsecureStoreError(
    path,
    `can be written to by others than its owner (mode ${mode})`,
    `make sure that what it holds is yours, then: chmod go-w '${path}'`,
  );
}
