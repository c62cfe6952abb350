import type { ApprovalStatus } from '../approval.js';
import type { StepStatus } from '../step.js';
import type { Expected } from './column.js';
import { Misfit, stored, type Payload } from './payload.js';

type Columns<Name extends string> = Record<Name, Expected>;

export type RunColumns = Columns<
  | 'id'
  | 'agent'
  | 'goal'
  | 'status'
  | 'reason'
  | 'message'
  | 'result'
  | 'limits'
  | 'step_count'
  | 'lease_owner'
  | 'lease_expires_at'
  | 'created_at'
  | 'started_at'
  | 'updated_at'
  | 'finished_at'
>;

export type StepColumns = { readonly idx: number; readonly id: string } & Columns<
  | 'run_id'
  | 'status'
  | 'decision'
  | 'raw_decision'
  | 'tool'
  | 'args'
  | 'spec_hash'
  | 'operation_id'
  | 'attempt'
  | 'policy'
  | 'cause'
  | 'observation'
  | 'started_at'
  | 'tool_started_at'
  | 'interrupted_at'
  | 'finished_at'
>;

export type ApprovalColumns = { readonly id: string } & Columns<
  | 'run_id'
  | 'step_id'
  | 'kind'
  | 'capability'
  | 'presentation'
  | 'hash'
  | 'status'
  | 'requested_at'
  | 'expires_at'
  | 'grant_ttl_ms'
  | 'decided_at'
  | 'decided_by'
  | 'note'
  | 'result'
  | 'signature'
  | 'signer'
>;

/** What the rows of a run must hold after the events that were replayed so far. Large values are kept by their hash. */
export class ReplayedState {
  readonly run: RunColumns;
  /** In the order of their places. */
  readonly steps: StepColumns[] = [];
  /** By id, in the order in which they were requested. */
  readonly approvals = new Map<string, ApprovalColumns>();
  /** The approval that waits for a person, or for a resume. A run has at most one. */
  open: ApprovalColumns | null = null;

  constructor(readonly runId: string) {
    this.run = {
      id: runId,
      agent: null,
      goal: null,
      status: null,
      reason: null,
      message: null,
      result: null,
      limits: null,
      step_count: 0,
      lease_owner: null,
      lease_expires_at: null,
      created_at: null,
      started_at: null,
      updated_at: null,
      finished_at: null,
    };
  }

  /** The run is executed by this owner, who may give its lease back without an event: on a clean stop (contract L11). */
  lease(owner: string): void {
    this.run.status = 'RUNNING';
    this.run.lease_owner = { either: [owner, null] };
    // A heartbeat moves it without an event.
    this.run.lease_expires_at = undefined;
  }

  release(status: string): void {
    this.run.status = status;
    this.run.lease_owner = null;
    this.run.lease_expires_at = null;
  }

  /** The step that an event is about: every event but a late one is about the last. */
  stepOf(payload: Payload): StepColumns {
    const step = this.steps.at(-1);
    if (step && payload.is('step', step.idx)) return step;
    const found = `step ${payload.number('step')}`;
    throw new Misfit('this event is about another step than the last', step ? `step ${step.idx}` : 'no step', found);
  }

  /** The step ends with what the agent sees of it. */
  observe(step: StepColumns, status: StepStatus, observation: unknown, at: number): void {
    step.status = status;
    step.observation = stored(observation);
    step.finished_at = at;
  }

  /** The open approval that an event is about. */
  approvalOf(payload: Payload): ApprovalColumns {
    const id = payload.text('approval');
    if (this.open?.id === id) return this.open;
    const open = this.open ? `approval ${this.open.id}` : 'no approval';
    throw new Misfit('this event is about an approval that is not open', open, `approval ${id}`);
  }

  /** The open approval, if there is one, is open no more. */
  close(status: ApprovalStatus): void {
    if (this.open) this.open.status = status;
    this.open = null;
  }
}
