import { copyFileSync, existsSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** What a disk would hold if the power went at some moment, and what had happened in the world by then. */
export interface Copy {
  readonly file: string;
  /** The calls that tools had got. */
  readonly calls: number;
  /** After a commit, or with so many bytes of the next commit's frames. */
  readonly moment: string;
}

const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/** Copies a database and its WAL at every commit, and at every WAL frame between two of them. */
export class Recorder {
  readonly copies: Copy[] = [];
  #pageSize = 0;
  #walBefore = 0;
  #taken = 0;

  constructor(
    private readonly file: string,
    private readonly dir: string,
  ) {
    mkdirSync(dir);
  }

  /** Called right after a commit; `calls` is what tools have got by now. */
  committed(calls: number, what: string): void {
    const length = this.#walLength();
    if (length < this.#walBefore)
      throw new Error('the WAL was checkpointed: the scenario is too long for this recorder');
    for (let at = this.#walBefore + this.#frame(); at < length; at += this.#frame()) {
      this.#copy(calls, `${what}, the power went ${at - this.#walBefore} bytes into its commit`, at);
    }
    this.#copy(calls, `after ${what}`, length);
    this.#walBefore = length;
  }

  #copy(calls: number, moment: string, walLength: number): void {
    const file = join(this.dir, `${(this.#taken += 1)}.db`);
    copyFileSync(this.file, file);
    copyFileSync(`${this.file}-wal`, `${file}-wal`);
    truncateSync(`${file}-wal`, walLength);
    this.copies.push({ file, calls, moment });
  }

  #walLength(): number {
    const wal = `${this.file}-wal`;
    return existsSync(wal) ? Math.max(statSync(wal).size, WAL_HEADER) : WAL_HEADER;
  }

  #frame(): number {
    this.#pageSize ||= pageSizeOf(this.file);
    return this.#pageSize + FRAME_HEADER;
  }
}

function pageSizeOf(file: string): number {
  const db = new Database(file, { readonly: true });
  try {
    return db.pragma('page_size', { simple: true }) as number;
  } finally {
    db.close();
  }
}
