import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** One effect in the outside world. */
export interface Effect {
  readonly operationId: string;
  readonly runId: string;
  readonly attempt: number;
}

/** The outside world: a file to which every effect is appended, with an fsync of its own. */
export class Ledger {
  constructor(private readonly file: string) {}

  book(effect: Effect): void {
    const fd = openSync(this.file, 'a');
    writeSync(fd, `${JSON.stringify(effect)}\n`);
    fsyncSync(fd);
    closeSync(fd);
  }

  read(): Effect[] {
    if (!existsSync(this.file)) return [];
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Effect);
  }
}
