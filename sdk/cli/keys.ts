import { existsSync, readFileSync, statSync } from 'node:fs';
import { InvalidArgumentError } from '../../core/errors.js';

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
  const mode = reading(path, () => statSync(path).mode);
  // Windows has other means, which these bits say nothing about.
  if (process.platform !== 'win32' && (mode & READABLE_BY_OTHERS) !== 0) {
    throw new InvalidArgumentError(`the key ${path} can be read by others, and was not used; chmod 600 '${path}'`);
  }
  return reading(path, () => readFileSync(path, 'utf8'));
}

/** @throws InvalidArgumentError if it cannot be read */
export function readPublicKey(path: string): string {
  return reading(path, () => readFileSync(path, 'utf8'));
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new InvalidArgumentError(`cannot read the key${existsSync(path) ? ` ${path}` : ''}: ${WHY[code] ?? code}`);
  }
}
