import type { Revision } from '../vocabulary.js';
import { isOpen, json, type ApprovalRecord, type RunRecord, type StepRecord } from './record.js';
import { Runner } from './runner.js';

/** The most processes that are alive at once. */
const MAX_PROCESSES = 3;

/** What a record holds, as lines. */
export interface Snapshot {
  readonly run: string;
  readonly steps: readonly string[];
  readonly approvals: readonly string[];
  readonly events: readonly string[];
  readonly calls: readonly string[];
}

/** The model of one test: the record, and the processes that are alive. */
export class Model {
  /** Newest first. */
  readonly runners: Runner[] = [];
  /** What was done, for the report of a failure. */
  readonly done: string[] = [];
  /** Commands since the run ended. */
  afterwards = 0;
  #opened = 0;

  constructor(readonly record: RunRecord) {}

  get hasRoom(): boolean {
    return this.runners.length < MAX_PROCESSES;
  }

  open(revision: Revision): Runner {
    this.#opened += 1;
    const runner = new Runner(`p${this.#opened}`, revision, this.record);
    this.runners.unshift(runner);
    return runner;
  }

  remove(runner: Runner): void {
    this.runners.splice(this.runners.indexOf(runner), 1);
  }

  snapshot(): Snapshot {
    const { status, reason, result, lease, activeMs, steps, approvals, events, calls } = this.record;
    const leased = lease ? `${lease.owner} until ${lease.expiresAt}` : 'nobody';
    return {
      run: `${status} ${reason ?? '-'} ${json(result)}; leased to ${leased}; ${activeMs} ms active`,
      steps: steps.map(stepDetails),
      approvals: approvals.map(approvalDetails),
      events: [...events],
      calls: [...calls],
    };
  }
}

function stepDetails({ status, observation, tool, x, attempt, cause, decision, raw }: StepRecord): string {
  const call = tool === null ? 'no call' : `${tool} ${json({ x })}`;
  return `${status} ${observation ?? '-'}; ${call}, attempt ${attempt}, ${cause ?? '-'}; ${json(decision)} ${json(raw)}`;
}

function approvalDetails(approval: ApprovalRecord): string {
  const { step, kind, wanted, status, expiresAt, shows } = approval;
  const asked = { ask: 'tool_call', 'ask otherwise': 'second_look' }[wanted as string] ?? '-';
  const ends = isOpen(approval) ? expiresAt : null;
  return `${kind} ${status}, of step ${step}, wanted ${json(asked)}, ends ${json(ends)}; ${shows}`;
}
