import type { Ids } from '../../core/ids.js';

/** Ids that count: `id-1`, `id-2`, … For one store at a time: two processes that count alike would collide. */
export function sequentialIds(prefix = 'id'): Ids {
  let drawn = 0;
  return () => `${prefix}-${(drawn += 1)}`;
}
