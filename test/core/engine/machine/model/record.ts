import canonicalize from 'canonicalize';
import type { Json, Limits } from 'holdpoint';
import type { Ruling, ToolName } from '../vocabulary.js';

/**
 * The model: what the contract says that the record of one run holds.
 *
 * It is written from the contract, in fewer words than the product, and shares no code with it. Events, observations and
 * calls are lines of text, so that a difference can be read.
 */

/** How the runtimes of one test are opened. */
export interface Config {
  /** Whether the run is created by a client and resumed, or started. */
  readonly created: boolean;
  readonly agentReconciles: boolean;
  readonly limits: Limits;
  readonly approvalTtlMs: number | null;
  readonly grantTtlMs: number | null;
}

/** The lease length of every process. */
export const TTL_MS = 600_000;
/** How long a call and a reconciliation may take, where nothing else is declared. */
export const TIMEOUT_MS = 60_000;

export type Status = 'PENDING' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';

export interface StepRecord {
  status: 'deciding' | 'awaiting_approval' | 'executing' | 'done' | 'failed' | 'interrupted';
  decision: Json;
  raw: string | null;
  tool: ToolName | null;
  x: number | null;
  attempt: number;
  /** Why the outcome of the last call is not known. */
  cause: 'crash' | 'timeout' | 'unknown' | null;
  /** The grant under which the last call was started; its place. */
  grant: number | null;
  observation: string | null;
  /** Set if the observation is a result. */
  result?: Json;
}

/** What a person is asked about the last step. */
export interface Question {
  readonly kind: string;
  /** What the policy asked for: itself, or within a question about an outcome. */
  readonly wanted: Ruling | null;
  /** The spec of the tool that was asked about. */
  readonly spec: string;
  /** What the person is shown besides the exact request. */
  readonly shows: string;
}

export interface ApprovalRecord extends Question {
  readonly step: number;
  status: 'pending' | 'approved' | 'rejected' | 'settled' | 'expired' | 'spent' | 'cancelled';
  /** When it expires, as a question and then as a grant; null never. */
  expiresAt: number | null;
}

export interface Ending {
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly reason: string;
  readonly result?: Json;
}

/** The canonical JSON of a value, by another implementation than the product's. */
export function json(value: unknown): string {
  return canonicalize(value) ?? 'undefined';
}

export class RunRecord {
  status: Status = 'PENDING';
  reason: string | null = null;
  result: Json = null;
  lease: { readonly owner: string; readonly expiresAt: number } | null = null;
  activeMs = 0;
  readonly steps: StepRecord[] = [];
  readonly approvals: ApprovalRecord[] = [];
  readonly events: string[] = ['run.created'];
  /** Calls of tools, in the order in which they were made. */
  readonly calls: string[] = [];
  /** Steps, with their attempt, that were in flight when their process was taken for dead. */
  readonly takenOver = new Set<string>();

  /** @param now the time, as the clock of the test tells it */
  constructor(
    readonly config: Config,
    readonly createdAt: number,
    public now: number = createdAt,
  ) {}

  get isTerminal(): boolean {
    return this.status === 'COMPLETED' || this.status === 'FAILED' || this.status === 'CANCELLED';
  }

  get isLeased(): boolean {
    return this.lease !== null && this.lease.expiresAt > this.now;
  }

  /** The last step. */
  get step(): StepRecord {
    const step = this.steps.at(-1);
    if (!step) throw new Error('the model has no step');
    return step;
  }

  /** Whether the last step is still to be settled. */
  get hasOpenStep(): boolean {
    return this.steps.at(-1)?.observation === null;
  }

  /** The place of the last step's last approval; -1 if it has none. */
  get approvalPlace(): number {
    return this.approvals.findLastIndex(({ step }) => step === this.steps.length);
  }

  /** The last step's last approval. */
  get approval(): ApprovalRecord | null {
    return this.approvals[this.approvalPlace] ?? null;
  }

  /** What a resume that does not hold the run yet relies on (S5). */
  get standing(): string {
    const last = this.steps.at(-1);
    const step = last && [this.steps.length, last.status, last.attempt];
    return json([
      this.status,
      this.lease?.owner ?? null,
      step ?? null,
      this.approvalPlace,
      this.approval?.status ?? null,
    ]);
  }

  log(...events: readonly string[]): void {
    this.events.push(...events);
  }

  /** An event of the last step. */
  logStep(type: string, ...rest: readonly string[]): void {
    this.log([`step.${type} ${this.steps.length}`, ...rest].join(' '));
  }

  leaseTo(owner: string): void {
    this.status = 'RUNNING';
    this.lease = { owner, expiresAt: this.now + TTL_MS };
  }

  /** What came of the last step. */
  observe(status: StepRecord['status'], observation: string, result?: Json): void {
    Object.assign(this.step, { status, observation }, result === undefined ? {} : { result });
  }

  /** The last step is over without a result. */
  failStep(observation: string): void {
    this.observe('failed', observation);
    this.logStep('failed', observation);
  }

  finish({ status, reason, result = null }: Ending): void {
    Object.assign(this, { status, reason, result, lease: null });
    this.log(`run.finished ${status} ${reason} ${json(result)}`);
  }

  /** The run ends around its open step and what was asked about it: nothing is left in flight. */
  failRun(ending: Ending): void {
    this.closeApproval();
    this.failStep(`run_ended ${ending.reason}`);
    this.finish(ending);
  }

  closeApproval(): void {
    const { approval } = this;
    if (approval && isOpen(approval)) approval.status = 'cancelled';
  }

  /** Nobody decided in time, or nobody used the grant in time (A5). */
  expire(): void {
    const { approval } = this;
    if (!approval) throw new Error('the model has nothing that expires');
    approval.status = 'expired';
    this.log(`approval.decided ${this.approvalPlace + 1} expired`);
    this.failRun({ status: 'CANCELLED', reason: 'approval_expired' });
  }

  /** The run pauses on a question about its last step (A6). */
  ask(question: Question): void {
    const { approvalTtlMs } = this.config;
    this.status = 'WAITING';
    this.lease = null;
    this.step.status = 'awaiting_approval';
    const expiresAt = approvalTtlMs === null ? null : this.now + approvalTtlMs;
    this.approvals.push({ ...question, step: this.steps.length, status: 'pending', expiresAt });
    this.log(`approval.requested ${this.approvals.length} of step ${this.steps.length}: ${question.kind}`);
  }

  hasExpired(approval: ApprovalRecord): boolean {
    return isOpen(approval) && approval.expiresAt !== null && approval.expiresAt <= this.now;
  }
}

export function isOpen({ status }: ApprovalRecord): boolean {
  return status === 'pending' || status === 'approved';
}

/** Whether the question is whether a call took effect. */
export function isAboutOutcome(kind: string): boolean {
  return kind === 'interrupted_side_effect' || kind === 'unknown_outcome';
}
