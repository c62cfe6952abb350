import type { InterruptionCause } from './interruption.js';
import type { Run } from './run.js';

/** The grant under which a call runs. */
export interface CallApproval {
  readonly id: string;
  readonly decidedBy: string;
  readonly note: string | null;
}

/** What a tool is told about the call besides its input. */
export interface ToolCall {
  readonly runId: string;
  readonly stepId: string;
  /** The same for every attempt of this step, in every process (contract I10): an idempotency key. */
  readonly operationId: string;
  /** 1 for the first call, one more for each approved re-run. */
  readonly attempt: number;
  /** The agent's name. */
  readonly agent: string;
  /** Aborted when the call times out, the run is cancelled or its lease is lost. */
  readonly signal: AbortSignal;
  /** When the call times out. */
  readonly deadline: Date;
  /** The person's grant, if the call needed one. */
  readonly approval?: CallApproval;
}

/** What a reconciliation is told about the call whose outcome is not known. */
export interface InterruptedCall {
  readonly runId: string;
  readonly stepId: string;
  /** The key that the interrupted call carried; look the operation up by it. */
  readonly operationId: string;
  /** The attempt whose outcome is unknown. */
  readonly attempt: number;
  readonly agent: string;
  readonly approval?: CallApproval;
  readonly startedAt: Date;
  readonly interruptedAt: Date;
  readonly cause: InterruptionCause;
  /** A copy of the run as it stands. */
  readonly run: Run;
}
