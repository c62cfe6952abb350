import type { World } from '../../../support/world.js';
import type Database from 'better-sqlite3';

/** One column of one row of a run. */
export interface Cell {
  readonly runId: string;
  readonly table: string;
  readonly rowid: number;
  readonly column: string;
  readonly value: unknown;
  readonly isText: boolean;
  /** The row, as a fault names it. */
  readonly where: string;
  /** Whether the column is one by which a fault names the row, or finds it. */
  readonly names: boolean;
  /** The status of the run. */
  readonly status: string;
  readonly isReleased: boolean;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

type Row = Readonly<Record<string, unknown>>;

const WHERE: Readonly<Record<string, (row: Row) => string>> = {
  holdpoint_runs: () => 'run',
  holdpoint_steps: ({ idx }) => `step ${String(idx)}`,
  holdpoint_approvals: ({ id }) => `approval ${String(id)}`,
  holdpoint_events: ({ idx }) => `event ${String(idx)}`,
};

/** Every column of every row of every run, as the database has them: one that is added to a table is among them. */
export function cellsOf(db: Database.Database): Cell[] {
  const runs = db.prepare('SELECT * FROM holdpoint_runs').all() as Row[];
  return runs.flatMap((run) =>
    Object.keys(WHERE).flatMap((table) => {
      const id = table === 'holdpoint_runs' ? 'id' : 'run_id';
      const rows = db.prepare(`SELECT rowid AS "at", * FROM ${table} WHERE ${id} = ?`).all(run.id) as Row[];
      const columns = db.prepare(`PRAGMA table_info(${table})`).all() as Column[];
      // The order of insertion over all runs is the one thing of a row that its run's events do not tell.
      const ofRun = columns.filter(({ name }) => name !== 'seq');
      return rows.flatMap((row) => ofRun.map((column) => cell(run, table, row, column)));
    }),
  );
}

export function set(db: Database.Database, { table, column, rowid }: Cell, value: unknown): void {
  db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(value, rowid);
}

/** Another value of the same kind. */
export function changed({ value, isText }: Cell): unknown {
  if (value === null) return isText ? 'x' : 7;
  return typeof value === 'number' ? value + 1000 : `${value as string} `;
}

/** What no event tells: how long a run was executing, and what a heartbeat and a clean stop move. */
export function undetermined({ column, status, isReleased }: Cell): boolean {
  if (column === 'active_ms') return true;
  if (column === 'lease_expires_at') return status === 'RUNNING' && !isReleased;
  return column === 'updated_at' && isReleased;
}

function cell(run: Row, table: string, row: Row, { name, type }: Column): Cell {
  return {
    runId: String(run.id),
    table,
    rowid: Number(row.at),
    column: name,
    value: row[name],
    isText: /text|char/i.test(type),
    where: WHERE[table]?.(row) ?? '',
    names: ['id', 'idx', 'run_id', 'event_count', 'head_hash'].includes(name),
    status: String(run.status),
    isReleased: run.status === 'RUNNING' && run.lease_owner === null,
  };
}

/** A connection on which a row may be given anything, and which waits for no disk. */
export function tamperer(world: World): Database.Database {
  const db = world.sql();
  db.pragma('ignore_check_constraints = ON');
  db.pragma('synchronous = OFF');
  return db;
}
