import { printableJson } from '../model/printable-json.js';
import type { RecordPart, RecordRow } from '../model/replay/record-check.js';
import { recordOf } from '../store/record.js';
import type { Store } from '../store/store.js';

/** What the first line of an export says of the others. */
export const FORMAT = 'holdpoint-run';
export const FORMAT_VERSION = 1;

/**
 * A run's whole record as JSON lines: a header, then each row as it is stored, by the names of its columns, then how
 * many there were. A run that goes on meanwhile is exported as it was when this began.
 *
 * @throws NotFoundError if there is no such run
 */
export async function* exportRun(store: Store, runId: string): AsyncGenerator<string> {
  const counts: Record<RecordPart, number> = { run: 0, event: 0, step: 0, approval: 0, spec: 0 };
  let header = true;
  for await (const row of recordOf(store, runId)) {
    if (header) yield line({ format: FORMAT, version: FORMAT_VERSION });
    header = false;
    counts[row.part] += 1;
    yield line(rowLine(row));
  }
  yield line({ end: counts });
}

function rowLine({ part, row }: RecordRow): unknown {
  const members = Object.entries(row).map(([column, value]) => [column, writable(value)] as const);
  return { [part]: Object.fromEntries(members) };
}

/** What no version writes, and JSON does not hold, stays what it is: something that does not fit. */
function writable(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  return typeof value === 'number' && !Number.isFinite(value) ? { real: String(value) } : value;
}

/** It may be printed on a terminal; and some readers of lines take U+2028 and U+2029 for the end of one. */
function line(value: unknown): string {
  return `${printableJson(value)}\n`;
}
