import { json, type RunRecord, type StepRecord } from './record.js';

/** The limits, as the contract has them (P5). */

/** The limit that forbids the next act, as its event and its reason; null if none does. */
export function limitReached(
  record: RunRecord,
  activeMs: number,
  beginsStep: boolean,
): readonly [string, string] | null {
  const { limits } = record.config;
  const usage: readonly [string, number, number | null, string][] = [
    ['maxSteps', beginsStep ? record.steps.length : 0, limits.maxSteps, 'limit_steps'],
    ['maxActiveMs', activeMs, limits.maxActiveMs, 'limit_active_time'],
    ['maxElapsedMs', record.now - record.createdAt, limits.maxElapsedMs, 'limit_elapsed_time'],
  ];
  for (const [limit, value, max, reason] of usage) {
    if (max !== null && value >= max) return [`limit.exceeded ${limit} ${value} of ${max}`, reason];
  }
  return null;
}

/** Ends the run if too many steps in a row failed, the last one included. */
export function endIfFailing(record: RunRecord): void {
  const { maxFailures } = record.config.limits;
  const failures = failuresInRow(record.steps);
  if (maxFailures === null || failures < maxFailures) return;
  record.log(`limit.exceeded maxFailures ${failures} of ${maxFailures}`);
  record.finish({ status: 'FAILED', reason: 'repeated_tool_failures' });
}

/** An interrupted step is neither a failure nor a success. */
export function failuresInRow(steps: readonly StepRecord[]): number {
  const judged = steps.filter(({ status }) => status !== 'interrupted');
  return judged.length - 1 - judged.findLastIndex(({ status }) => status !== 'failed');
}

/** Ends the run if the last calls were the same and had the same result. */
export function endIfLooping(record: RunRecord): void {
  const { maxRepeats } = record.config.limits;
  const last = signature(record.steps.at(-1));
  const repeats = record.steps.length - 1 - record.steps.findLastIndex((step) => signature(step) !== last);
  if (maxRepeats === null || repeats < maxRepeats) return;
  record.log(`loop.detected ${repeats} of ${maxRepeats}`);
  record.finish({ status: 'FAILED', reason: 'loop_detected' });
}

function signature(step: StepRecord | undefined): string | null {
  return step?.result === undefined ? null : json([step.tool, step.x, step.result]);
}
