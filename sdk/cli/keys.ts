import { readFileSync, statSync } from 'node:fs';
import { InvalidArgumentError } from '../../core/errors.js';

const READABLE_BY_OTHERS = 0o077;

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
    throw new InvalidArgumentError(
      `cannot read the key ${path}: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`,
    );
  }
}
