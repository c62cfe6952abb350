import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Json } from '../../core/model/json.js';
import type { Reached } from './crash-point.js';

/** One call that a tool really got. */
export interface RecordedCall {
  /** 1 for the first process. */
  readonly life: number;
  readonly tool: string;
  readonly stepId: string;
  readonly operationId: string;
  readonly attempt: number;
  readonly args: Json;
}

type Line = { readonly reached: Reached } | { readonly call: RecordedCall };

/** What happened in every life of a scenario. A file, written at once: a killed process leaves it behind. */
export class Trace {
  constructor(private readonly file: string) {}

  reached(point: Reached): void {
    this.#add({ reached: point });
  }

  called(call: RecordedCall): void {
    this.#add({ call });
  }

  read(): { readonly points: Reached[]; readonly calls: RecordedCall[] } {
    const text = existsSync(this.file) ? readFileSync(this.file, 'utf8') : '';
    const lines = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    return {
      points: lines.flatMap((line) => ('reached' in line ? [line.reached] : [])),
      calls: lines.flatMap((line) => ('call' in line ? [line.call] : [])),
    };
  }

  #add(line: Line): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}
