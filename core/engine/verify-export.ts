import { setImmediate as nextTurn } from 'node:timers/promises';
import { rowFault, type ChainFault } from '../model/replay/fault.js';
import { RECORD_PARTS, RecordCheck } from '../model/replay/record-check.js';
import { ExportReader } from './export-reader.js';
import type { Verification } from './verify.js';

/** After how many lines the turn is given up: they may all be in memory, and nothing else of the process would run. */
const PAGE = 500;

/**
 * Checks a run's exported record, line by line, without its database: the same checks as of a run in one.
 *
 * @param head a hash that was kept elsewhere; null for none
 * @throws InvalidArgumentError naming the first line that is no line of an export
 */
export async function verifyExport(lines: AsyncIterable<string>, head: string | null): Promise<Verification> {
  const reader = new ExportReader();
  let check: RecordCheck | null = null;
  let count = 0;
  for await (const text of lines) {
    count += 1;
    if (count % PAGE === 0) await nextTurn();
    const line = reader.next(text);
    if (!line) continue;
    const fault = check?.add(line) ?? null;
    if (fault) return verification(check, fault);
    check ??= new RecordCheck(line.row, head);
  }
  reader.close();
  return verification(check, check && endFault(check, reader));
}

/** A file that was cut says so; only a whole one shows that a row is missing. */
function endFault(check: RecordCheck, { said, read }: ExportReader): ChainFault | null {
  const inFile = (message: string, expected: string, found: string): ChainFault =>
    rowFault(check.runId, 'file', { message, expected, found });
  if (!said) return inFile('the file was cut: its last line is missing', 'a line that counts the others', 'none');
  const fault = check.end();
  const part = RECORD_PARTS.find((one) => said[one] !== read[one]);
  if (fault || !part) return fault;
  const [expected, found] = [said[part], read[part]].map((count) => `${count} of ${part}`) as [string, string];
  return inFile('the file has another number of rows than its last line says', expected, found);
}

function verification(check: RecordCheck | null, fault: ChainFault | null): Verification {
  return { ok: fault === null, runs: 1, events: check?.events ?? 0, fault };
}
