import { InvalidArgumentError } from '../errors.js';
import { isPlainObject } from '../model/json.js';
import { RECORD_PARTS, type RecordPart, type RecordRow } from '../model/replay/record-check.js';
import { columnsOf } from '../store/record.js';
import { FORMAT, FORMAT_VERSION } from './export.js';

/** How many rows of each part a file's last line says, or how many were read. */
export type Counts = Readonly<Record<RecordPart, number>>;

const ORDER: readonly string[] = [...RECORD_PARTS, 'end'];

/**
 * Reads the lines of an export one by one: the header, the rows in the order of their parts, the counts.
 *
 * What is no export is refused with the number of its line; what a row holds is for others to judge.
 */
export class ExportReader {
  readonly read: Record<RecordPart, number> = { run: 0, event: 0, step: 0, approval: 0, spec: 0 };
  /** What the last line says; null if it was not read. */
  said: Counts | null = null;
  #line = 0;
  #last: string | null = null;

  /** The row of a line; null if it has none. @throws InvalidArgumentError */
  next(text: unknown): RecordRow | null {
    this.#line += 1;
    if (typeof text !== 'string') return this.#refuse('it is no text; an export is read line by line');
    if (text.trim() === '') return null;
    const line = this.#parsed(text);
    if (this.#last === null) return this.#header(line);
    const [part = '', ...others] = Object.keys(line);
    if (!ORDER.includes(part) || others.length > 0) return this.#refuse(`it is none of ${ORDER.join(', ')}`);
    if (ORDER.indexOf(part) < ORDER.indexOf(this.#last) || this.#last === 'end') {
      return this.#refuse(`${part} after ${this.#last} is not the order of an export`);
    }
    if (part !== 'run' && this.read.run === 0) return this.#refuse('the first row of an export is the run');
    this.#last = part;
    return part === 'end' ? this.#end(line.end) : this.#row(part as RecordPart, line[part]);
  }

  /** Nothing more is read. @throws InvalidArgumentError */
  close(): void {
    if (this.read.run > 0) return;
    this.#line += 1;
    this.#refuse('the file holds no run');
  }

  #parsed(text: string): Record<string, unknown> {
    try {
      const value: unknown = JSON.parse(text);
      if (isPlainObject(value)) return value;
    } catch {
      return this.#refuse('it is not JSON');
    }
    return this.#refuse('it is not a JSON object');
  }

  #header({ format, version }: Record<string, unknown>): null {
    if (format !== FORMAT || typeof version !== 'number') return this.#refuse('it does not begin an export of a run');
    if (version !== FORMAT_VERSION) {
      return this.#refuse(`the export is of version ${version}, and this version of Holdpoint reads ${FORMAT_VERSION}`);
    }
    this.#last = '';
    return null;
  }

  #row(part: RecordPart, row: unknown): RecordRow {
    if (!isPlainObject(row)) return this.#refuse(`${part} is not an object`);
    const columns = columnsOf(part);
    for (const [column, value] of Object.entries(row)) {
      if (!columns.includes(column)) return this.#refuse(`${part} has no column of the name that stands there`);
      if (!isCell(value)) return this.#refuse(`${part}.${column} is neither text nor a number nor null`);
    }
    this.read[part] += 1;
    return { part, row };
  }

  #end(counts: unknown): null {
    const isCount = (part: string): boolean => isPlainObject(counts) && typeof counts[part] === 'number';
    if (!RECORD_PARTS.every(isCount)) return this.#refuse(`end does not count ${RECORD_PARTS.join(', ')}`);
    this.said = counts as Counts;
    return null;
  }

  #refuse(why: string): never {
    throw new InvalidArgumentError(`line ${this.#line} is no line of an export: ${why}`);
  }
}

/** What a column may hold; or what it held that JSON does not hold, see `exportRun`. */
function isCell(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'number') return true;
  if (!isPlainObject(value)) return false;
  const [key = '', ...others] = Object.keys(value);
  return others.length === 0 && (key === 'bytes' || key === 'real') && typeof value[key] === 'string';
}
