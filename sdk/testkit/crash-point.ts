import { InvalidArgumentError } from '../../core/errors.js';
import * as check from '../arguments.js';

/** Where a process can die: right after a commit, or between two of them. */
export const CrashPoint = {
  /** The run was created and leased; step 0. */
  RunStarted: 'run.started',
  StepStarted: 'step.started',
  StepDecided: 'step.decided',
  /** The policy has allowed the call, and nothing of it is recorded yet. */
  PolicyAllowed: 'policy.allowed',
  ToolStarted: 'step.tool_started',
  /** The tool has returned or thrown, and nothing of it is recorded yet. */
  ToolEffect: 'tool.effect',
  /** The call exceeded its timeout, and nothing of it is recorded yet. */
  ToolTimedOut: 'tool.timed_out',
  ToolFinished: 'step.tool_finished',
  StepFailed: 'step.failed',
  RunResumed: 'run.resumed',
  TakenOver: 'lease.taken_over',
  StepInterrupted: 'step.interrupted',
  /** The reconciliation has answered or thrown, and nothing of it is recorded yet. */
  ReconciliationAnswered: 'reconciliation.answered',
  StepReconciled: 'step.reconciled',
  /** The run has paused on a question to a person. */
  ApprovalRequested: 'approval.requested',
  RunFinished: 'run.finished',
} as const;

export type CrashPoint = (typeof CrashPoint)[keyof typeof CrashPoint];

/** One death. */
export interface Crash {
  /** Index of the step; 0 before the first. */
  readonly step: number;
  readonly at: CrashPoint;
  /** Which time, since the start or the crash before, that the point is reached; default 1. */
  readonly occurrence?: number;
}

/** A point that was reached, in the order of reaching. */
export interface Reached {
  /** 1 for the first process. */
  readonly life: number;
  readonly step: number;
  /** Every name of the point: a commit has one for each of its events. */
  readonly names: readonly string[];
}

const NAMES: readonly string[] = Object.values(CrashPoint);

/** The crash that stops exactly at this point: named by the last of its names, which tells commits apart best. */
export function crashAt({ step, names }: Reached): Crash | null {
  const at = names.filter((name) => NAMES.includes(name)).at(-1);
  return at === undefined ? null : { step, at: at as CrashPoint };
}

/** @throws InvalidArgumentError if it names no point */
export function assertCrash(crash: unknown): asserts crash is Crash {
  const { step, at, occurrence = 1 } = check.members(crash, 'a crash', ['step', 'at', 'occurrence']);
  check.integer(step, 'the step of a crash', 0, Number.MAX_SAFE_INTEGER);
  check.integer(occurrence, 'the occurrence of a crash', 1, Number.MAX_SAFE_INTEGER);
  if (!NAMES.includes(at as string)) throw new InvalidArgumentError(`a crash must be at one of ${NAMES.join(', ')}`);
}

/** `step 2, step.tool_started`. */
export function describeCrash({ step, at, occurrence = 1 }: Crash): string {
  return `step ${step}, ${at}${occurrence > 1 ? ` (time ${occurrence})` : ''}`;
}

/** Whether a point is where the crash happens, were it the first time that it is reached. */
export function isAt(crash: Crash, { step, names }: Pick<Reached, 'step' | 'names'>): boolean {
  return crash.step === step && names.includes(crash.at);
}

/** Every crash that the lives of a scenario offer, in the order of reaching. */
export function crashesOf(points: readonly Reached[]): Crash[] {
  return points.flatMap((point, place) => {
    const crash = crashAt(point);
    if (!crash) return [];
    const occurrence = points.slice(0, place + 1).filter((earlier) => isAt(crash, earlier)).length;
    return [occurrence === 1 ? crash : { ...crash, occurrence }];
  });
}
