import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { ChangeRequest, NewChangeRequest } from './change-requests.js';

/** The change requests of the forge: a file with one a line. It shares nothing with Holdpoint's store. */
export class Ledger {
  constructor(private readonly file: string) {}

  /** Nothing is compared with what is there: the same request twice is two change requests. */
  add(asked: NewChangeRequest): ChangeRequest {
    const added = { number: this.all().length + 1, ...asked };
    appendFileSync(this.file, `${JSON.stringify(added)}\n`);
    return added;
  }

  all(): ChangeRequest[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as ChangeRequest);
  }
}
