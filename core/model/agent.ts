import type { Approval } from './approval.js';
import type { Run } from './run.js';
import type { Step } from './step.js';
import type { ToolSpec } from './tool.js';

/** What an agent is shown when asked for its next decision. All of it is a copy (contract P4). */
export interface StepInput {
  readonly run: Run;
  /** Every recorded step before this one, oldest first. */
  readonly steps: readonly Step[];
  /** Every approval of the run, oldest first. */
  readonly approvals: readonly Approval[];
  /** The tools that it may ask for. */
  readonly tools: readonly ToolSpec[];
  /** Aborted when the run is cancelled or its lease is lost. */
  readonly signal: AbortSignal;
}
