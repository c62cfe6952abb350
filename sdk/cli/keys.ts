import { existsSync, readFileSync, statSync } from 'node:fs';
import { InvalidArgumentError } from '../../core/errors.js';
import { approversOf, deciderOf } from '../approver-keys.js';

const READABLE_BY_OTHERS = 0o077;

/** Where a path is expected, somebody may give the key itself: what names no file is not quoted. */
const NO_FILE = 'there is no file at the path given; the key itself is not taken here';
const WHY: Readonly<Record<string, string>> = { ENOENT: NO_FILE, ENAMETOOLONG: NO_FILE };

/**
 * A private key from a file that is its owner's only.
 *
 * @throws InvalidArgumentError if it cannot be read, or others can read it; what it holds is in no error
 */
export function readPrivateKey(path: string): string {
  const { mode, isFile } = reading(path, () => {
    const found = statSync(path);
    return { mode: found.mode, isFile: found.isFile() };
  });
  if (!isFile) throw new InvalidArgumentError(`the key ${path} is not a file`);
  const key = reading(path, () => readFileSync(path, 'utf8'));
  checked(path, () => deciderOf(key, null));
  // Windows has other means, which these bits say nothing about.
  if (process.platform !== 'win32' && (mode & READABLE_BY_OTHERS) !== 0) {
    throw new InvalidArgumentError(`the key ${path} can be read by others, and was not used; chmod 600 '${path}'`);
  }
  return key;
}

/** The public keys of approvers, from their files; undefined if none was given. @throws InvalidArgumentError naming the file */
export function publicKeysOf(paths: readonly string[]): string[] | undefined {
  if (paths.length === 0) return undefined;
  return paths.map((path) => {
    const key = reading(path, () => readFileSync(path, 'utf8'));
    checked(path, () => approversOf([key]));
    return key;
  });
}

/** What is wrong with a key, by its file rather than by the place where it was given. */
function checked(path: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(`${path} is not the key that is needed: ${error.message}`);
  }
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new InvalidArgumentError(`cannot read the key${existsSync(path) ? ` ${path}` : ''}: ${WHY[code] ?? code}`);
  }
}
