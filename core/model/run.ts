import type { Json } from './json.js';
import type { Limits } from './limits.js';

export type RunStatus = 'PENDING' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';

/** Every legal move. A status with no moves is terminal. */
export const RUN_MOVES = {
  PENDING: ['RUNNING', 'CANCELLED'],
  RUNNING: ['WAITING', 'COMPLETED', 'FAILED', 'CANCELLED'],
  WAITING: ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
} as const satisfies Record<RunStatus, readonly RunStatus[]>;

export const RUN_STATUSES = Object.keys(RUN_MOVES) as RunStatus[];

/** Why a run ended. */
export const TERMINAL_REASONS = [
  'goal_completed',
  'goal_failed',
  'limit_steps',
  'limit_model_calls',
  'limit_tokens',
  'limit_cost',
  'limit_active_time',
  'limit_elapsed_time',
  'repeated_tool_failures',
  'loop_detected',
  'approval_rejected',
  'approval_expired',
  'policy_abort',
  'tool_abort',
  'operator_cancelled',
  'reconcile_conflict',
  'model_unavailable',
  'agent_error',
  'internal_error',
] as const;

export type TerminalReason = (typeof TERMINAL_REASONS)[number];

/** Who is executing a run, until when (contract L1). */
export interface Lease {
  /** The runtime's configured name plus its random suffix. */
  readonly owner: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** One execution of an agent toward a goal. Times are epoch milliseconds. */
export interface Run {
  readonly id: string;
  /** Place in the order of insertion (contract S10); also the cursor of a list. */
  readonly seq: number;
  readonly agent: string;
  readonly goal: string;
  readonly status: RunStatus;
  /** Why it ended; null before. */
  readonly reason: TerminalReason | null;
  /** The same in words, where there is more to say. */
  readonly message: string | null;
  /** What it came to; null until it completed. */
  readonly result: Json;
  readonly limits: Limits;
  /** Steps begun. */
  readonly stepCount: number;
  /** Milliseconds spent executing, up to the last commit. */
  readonly activeMs: number;
  readonly lease: Lease | null;
  /** Events recorded; the last one's place in the run. */
  readonly eventCount: number;
  /** The last event's hash: keep it elsewhere to notice a chain cut short (contract S11). */
  readonly headHash: string;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** What of the stored row does not decode, if something does not (contract S9). */
  readonly decodeError: string | null;
}

/** Whether a run in this status has ended. One in a status that this version does not know can still be cancelled (S9). */
export function isTerminal(status: RunStatus): boolean {
  return movesFrom(status).length === 0;
}

/** Whether the machine allows the move; staying put is allowed in a status that is not terminal. */
export function canMoveRun(from: RunStatus, to: RunStatus): boolean {
  return from === to ? !isTerminal(from) : movesFrom(from).includes(to);
}

function movesFrom(status: RunStatus): readonly RunStatus[] {
  return RUN_STATUSES.includes(status) ? RUN_MOVES[status] : ['CANCELLED'];
}
