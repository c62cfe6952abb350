/** How far a run may go (contract P5). `null` is no limit. */
export interface Limits {
  /** Steps of the run. Default 50. */
  readonly maxSteps: number | null;
  /** Failed steps in a row. Default 3. */
  readonly maxFailures: number | null;
  /** Identical calls with identical results in a row, at least 2. Default 3. */
  readonly maxRepeats: number | null;
  /** Milliseconds that the run was executing; waiting for a person does not count. Default none. */
  readonly maxActiveMs: number | null;
  /** Milliseconds since the run was created, waiting included. Default none. */
  readonly maxElapsedMs: number | null;
}

export const DEFAULT_LIMITS: Limits = {
  maxSteps: 50,
  maxFailures: 3,
  maxRepeats: 3,
  maxActiveMs: null,
  maxElapsedMs: null,
};

/** A limit that was reached. */
export interface LimitReached {
  readonly reason: 'limit_steps' | 'limit_active_time' | 'limit_elapsed_time';
  readonly limit: keyof Limits;
  readonly max: number;
  readonly value: number;
}

/** What the limits that are checked before an act are measured against. */
export interface Usage {
  readonly steps: number;
  readonly activeMs: number;
  readonly elapsedMs: number;
}

/** The first limit that forbids the next act, if one does. `steps` counts those that have begun. */
export function limitReached(limits: Limits, usage: Usage, beginsStep: boolean): LimitReached | null {
  if (beginsStep && isReached(usage.steps, limits.maxSteps)) {
    return { reason: 'limit_steps', limit: 'maxSteps', max: limits.maxSteps, value: usage.steps };
  }
  if (isReached(usage.activeMs, limits.maxActiveMs)) {
    return { reason: 'limit_active_time', limit: 'maxActiveMs', max: limits.maxActiveMs, value: usage.activeMs };
  }
  if (isReached(usage.elapsedMs, limits.maxElapsedMs)) {
    return { reason: 'limit_elapsed_time', limit: 'maxElapsedMs', max: limits.maxElapsedMs, value: usage.elapsedMs };
  }
  return null;
}

function isReached(value: number, max: number | null): max is number {
  return max !== null && value >= max;
}
