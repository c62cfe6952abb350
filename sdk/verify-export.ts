import { InvalidArgumentError } from '../core/errors.js';
import { verifyExport as verifyLines } from '../core/engine/verify-export.js';
import type { Verification } from '../core/engine/verify.js';
import * as check from './arguments.js';

export interface VerifyExportOptions {
  /** A `headHash` of the run that was kept elsewhere. */
  readonly head?: string;
}

/**
 * Checks a run's record that `client.runs.export` wrote, without its database (contract S11): the hash chain of the
 * events, and that every row holds what they lead to. It reads a line at a time, however long the file is, and stops at
 * the first thing that does not fit; that is the `fault` of what it returns, not an error.
 *
 * ```ts
 * import { createReadStream } from 'node:fs';
 * import { createInterface } from 'node:readline';
 * import { verifyExport } from 'holdpoint';
 *
 * const { ok, fault } = await verifyExport(createInterface({ input: createReadStream('r1.jsonl') }));
 * ```
 *
 * @param lines the lines of the file, with or without their ends
 * @throws InvalidArgumentError naming the first line that is no line of an export, e.g. of a newer version
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  options: VerifyExportOptions = {},
): Promise<Verification> {
  const { head } = check.members(options, 'options', ['head']);
  const kept = head === undefined ? null : check.hash(head, 'head', 'an event that was kept');
  if (!isIterable(lines)) throw new InvalidArgumentError('lines must be an async iterable of the lines of an export');
  return verifyLines(lines, kept);
}

function isIterable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}
