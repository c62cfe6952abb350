import { subjectText } from '../approval.js';
import { sha256 } from '../hash.js';
import { Chain } from './chain.js';
import { firstMisplaced, shown, type StoredRow } from './column.js';
import { rowFault, type ChainFault } from './fault.js';
import { ReplayedState, type RunColumns } from './state.js';

/** The parts of a run's record, in their order. The first is one row, the others any number. */
export const RECORD_PARTS = ['run', 'event', 'step', 'approval', 'spec'] as const;

export type RecordPart = (typeof RECORD_PARTS)[number];

/** One row of a run's record. */
export interface RecordRow {
  readonly part: RecordPart;
  readonly row: StoredRow;
}

/**
 * Checks a run's whole record, row by row in the order of its parts: the chain of its events, and that each other row
 * holds what the events lead to (contract S11). Where the rows come from makes no difference.
 *
 * What it has found is of the rows so far; a caller stops at the first fault.
 */
export class RecordCheck {
  readonly #run: StoredRow;
  readonly #state: ReplayedState;
  readonly #chain: Chain;
  /** Specs that steps name, and that were not met yet. */
  readonly #specs = new Set<string>();
  #part: RecordPart | 'end' = 'event';
  #steps = 0;

  /**
   * @param run the run's row
   * @param head a hash that was kept elsewhere; null for none
   */
  constructor(run: StoredRow, head: string | null) {
    this.#run = run;
    this.#state = new ReplayedState(typeof run.id === 'string' ? run.id : shown('id', run.id));
    this.#chain = new Chain(this.#state, head);
  }

  /** Events that were checked and fit. */
  get events(): number {
    return this.#chain.length;
  }

  get runId(): string {
    return this.#state.runId;
  }

  add({ part, row }: RecordRow): ChainFault | null {
    if (part === 'run') return this.#fault('run', 'this run has two rows', 'one row', 'two');
    return this.#reach(part) ?? this.#check(part, row);
  }

  /** There are no more rows. */
  end(): ChainFault | null {
    return this.#reach('end');
  }

  #check(part: Exclude<RecordPart, 'run'>, row: StoredRow): ChainFault | null {
    switch (part) {
      case 'event':
        return this.#chain.add(row);
      case 'step':
        return this.#step(row);
      case 'approval':
        return this.#approval(row);
      case 'spec':
        return this.#spec(row);
    }
  }

  /** The parts before this one are complete. */
  #reach(part: RecordPart | 'end'): ChainFault | null {
    while (this.#part !== part) {
      const fault = this.#endOf(this.#part);
      if (fault) return fault;
      this.#part = partAfter(this.#part);
    }
    return null;
  }

  #endOf(part: RecordPart | 'end'): ChainFault | null {
    if (part === 'event') return this.#chain.end(this.#run) ?? this.#runRow();
    const missing = part === 'step' ? this.#missingStep() : part === 'approval' ? this.#missingApproval() : null;
    if (missing !== null) return this.#missing(missing);
    const [spec] = this.#specs;
    return part === 'spec' && spec !== undefined ? this.#missing(`spec ${spec}`) : null;
  }

  #missingStep(): string | null {
    const step = this.#state.steps[this.#steps];
    return step ? `step ${step.idx}` : null;
  }

  #missingApproval(): string | null {
    const [id] = this.#state.approvals.keys();
    return id === undefined ? null : `approval ${id}`;
  }

  #runRow(): ChainFault | null {
    return this.#compare('run', this.#run, runColumns(this.#state.run, this.#run)) ?? this.#lease();
  }

  /** A lease is an owner and a time (contract L1); the time itself is a heartbeat's, which no event tells. */
  #lease(): ChainFault | null {
    const { lease_owner: owner = null, lease_expires_at: expiresAt = null } = this.#run;
    if (owner === null ? expiresAt === null : typeof expiresAt === 'number') return null;
    const expected = owner === null ? 'null' : 'a time';
    return this.#fault('run', CHANGED, expected, shown('lease_expires_at', expiresAt), 'lease_expires_at');
  }

  #step(row: StoredRow): ChainFault | null {
    const where = `step ${shown('idx', row.idx)}`;
    const expected = this.#state.steps[this.#steps];
    if (!expected || typeof row.idx !== 'number' || row.idx < expected.idx) return this.#unexplained(where);
    if (row.idx > expected.idx) return this.#missing(`step ${expected.idx}`);
    this.#steps += 1;
    if (typeof row.spec_hash === 'string') this.#specs.add(row.spec_hash);
    return this.#compare(where, row, expected);
  }

  #approval(row: StoredRow): ChainFault | null {
    const { approvals } = this.#state;
    const id = typeof row.id === 'string' ? row.id : '';
    const where = `approval ${shown('id', row.id)}`;
    const expected = approvals.get(id);
    if (!expected) return this.#unexplained(where);
    // The last one of a step is the one that counts: in another order it would be another.
    const [first] = approvals.keys();
    if (id !== first) return this.#missing(`approval ${first}`);
    approvals.delete(id);
    return this.#compare(where, row, expected) ?? this.#subject(where, row);
  }

  /** The request, which no event holds, is what the hash was made of (contract A1). */
  #subject(where: string, row: StoredRow): ChainFault | null {
    const text = subjectText(row);
    if (text !== null && sha256(text) === row.hash) return null;
    const found = shown('request', row.request);
    return this.#fault(where, CHANGED, `the request of the hash ${shown('hash', row.hash)}`, found, 'request');
  }

  #spec({ hash, spec }: StoredRow): ChainFault | null {
    const where = `spec ${shown('hash', hash)}`;
    if (typeof hash !== 'string' || !this.#specs.delete(hash)) {
      return this.#fault(where, 'no step names this spec', 'no row', 'a row');
    }
    if (typeof spec === 'string' && sha256(spec) === hash) return null;
    return this.#fault(where, CHANGED, shown('hash', hash), shown('spec', spec), 'spec');
  }

  #compare(where: string, row: StoredRow, columns: Parameters<typeof firstMisplaced>[1]): ChainFault | null {
    const wrong = firstMisplaced(row, columns);
    return wrong && this.#fault(where, CHANGED, wrong.expected, wrong.found, wrong.field);
  }

  #missing(where: string): ChainFault {
    return this.#fault(where, 'the events lead to a row that is not there', 'a row', 'none');
  }

  #unexplained(where: string): ChainFault {
    return this.#fault(where, 'no event leads to this row', 'no row', 'a row');
  }

  #fault(where: string, message: string, expected: string, found: string, field?: string): ChainFault {
    return rowFault(this.runId, where, { message, expected, found, ...(field === undefined ? {} : { field }) });
  }
}

const CHANGED = 'this row does not hold what its events lead to';

/** A clean stop gives the lease back in a commit without an event, which leaves its own time on the row. */
function runColumns(run: RunColumns, row: StoredRow): RunColumns {
  const released = run.status === 'RUNNING' && (row.lease_owner ?? null) === null;
  return released ? { ...run, updated_at: undefined } : run;
}

function partAfter(part: RecordPart | 'end'): RecordPart | 'end' {
  return RECORD_PARTS[RECORD_PARTS.indexOf(part as RecordPart) + 1] ?? 'end';
}
