import { storedJson } from './canonical-json.js';
import type { Json } from './json.js';
import type { Step } from './step.js';

/** How many of the last steps failed, without one between them that did not. An interrupted step is neither. */
export function failuresInRow(steps: readonly Step[]): number {
  let count = 0;
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const status = steps[index]?.status;
    if (status === 'failed') count += 1;
    else if (status !== 'interrupted') break;
  }
  return count;
}

/** How many of the last steps made the same call and got the same result; 1 if the last one differs from its predecessor. */
export function repeatsInRow(steps: readonly Step[]): number {
  const last = signature(steps.at(-1));
  if (last === null) return 0;
  let count = 1;
  while (signature(steps.at(-1 - count)) === last) count += 1;
  return count;
}

function signature(step: Step | undefined): string | null {
  if (step?.tool == null || step.observation?.kind !== 'result') return null;
  return storedJson([step.tool, step.args, step.observation.result] satisfies Json);
}
