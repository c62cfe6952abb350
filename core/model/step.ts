import type { InterruptionCause } from './interruption.js';
import type { Json } from './json.js';
import type { PolicyDecision } from './policy.js';
import type { TerminalReason } from './run.js';

export type StepStatus = 'deciding' | 'awaiting_approval' | 'executing' | 'done' | 'failed' | 'interrupted';

/**
 * Every legal move. `done` and `failed` are final.
 *
 * An `interrupted` step without an observation is still open: whether its call took effect is not settled. One with an
 * observation is final too.
 */
export const STEP_MOVES = {
  deciding: ['awaiting_approval', 'executing', 'done', 'failed', 'interrupted'],
  awaiting_approval: ['executing', 'done', 'failed'],
  executing: ['done', 'failed', 'interrupted'],
  interrupted: ['awaiting_approval', 'done', 'failed'],
  done: [],
  failed: [],
} as const satisfies Record<StepStatus, readonly StepStatus[]>;

export const STEP_STATUSES = Object.keys(STEP_MOVES) as StepStatus[];

/** One thing wrong with a decision. */
export interface Problem {
  /** Where, e.g. `args.lines[0].amount`. */
  readonly path: string;
  readonly message: string;
}

/** What came of a step, as the agent sees it. */
export type Observation =
  | {
      readonly kind: 'result';
      readonly result: Json;
      /** Set if a reconciliation found the result after an interruption. */
      readonly recovered?: true;
      /** Set if a person entered the result (contract I6). */
      readonly settledBy?: string;
    }
  | {
      readonly kind: 'error';
      readonly name: string;
      readonly message: string;
      /** Set if the tool ran to its end and only its result could not be recorded: do not call it again. */
      readonly tookEffect?: true;
      /** The part of such a result that is JSON. */
      readonly partial?: Json;
      /** Where and why the rest is not. */
      readonly omitted?: readonly Problem[];
    }
  | { readonly kind: 'invalid_decision'; readonly message: string; readonly problems: readonly Problem[] }
  | {
      readonly kind: 'denied';
      readonly message: string;
      /** Set if an earlier attempt of the call was interrupted: it may have taken effect. */
      readonly outcomeUnknown?: true;
    }
  | { readonly kind: 'interrupted'; readonly cause: InterruptionCause; readonly message: string }
  | { readonly kind: 'run_ended'; readonly reason: TerminalReason };

/** One decision and what came of it. Times are epoch milliseconds. */
export interface Step {
  readonly id: string;
  readonly runId: string;
  /** 1 for the run's first. */
  readonly index: number;
  readonly status: StepStatus;
  /** What the agent answered, before any check (contract S7); null if it is not JSON, see `rawDecision`. */
  readonly decision: Json;
  /** The text of an answer, or of arguments, that could not be parsed; byte for byte. */
  readonly rawDecision: string | null;
  /** Set from here on once the decision is a valid tool call. */
  readonly tool: string | null;
  /** The JSON of the validated arguments. */
  readonly args: Json;
  /** Hash of the tool's spec when it was last put to the policy. */
  readonly specHash: string | null;
  readonly operationId: string;
  /** Calls begun. */
  readonly attempt: number;
  /** The policy's last answer. */
  readonly policy: PolicyDecision | null;
  readonly cause: InterruptionCause | null;
  readonly observation: Observation | null;
  readonly startedAt: number;
  /** When the last attempt was committed as started. */
  readonly toolStartedAt: number | null;
  readonly interruptedAt: number | null;
  readonly finishedAt: number | null;
  readonly decodeError: string | null;
}

/** Whether something of this step is still to be settled. */
export function isOpen(step: Step): boolean {
  return step.status !== 'done' && step.status !== 'failed' && step.observation === null;
}

/** Whether the machine allows the move; staying put is allowed in a status that is not final. */
export function canMoveStep(from: StepStatus, to: StepStatus): boolean {
  const moves = movesFrom(from);
  return from === to ? moves.length > 0 : moves.includes(to);
}

/** A step in a status that this version does not know can still be closed when its run is cancelled (S9). */
function movesFrom(status: StepStatus): readonly StepStatus[] {
  return STEP_STATUSES.includes(status) ? STEP_MOVES[status] : ['interrupted'];
}
