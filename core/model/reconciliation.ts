import type { Json, JsonObject } from './json.js';

/** What a person should be shown and decide. */
export interface WaitRequest {
  readonly capability?: string;
  readonly presentation?: JsonObject;
}

/** A tool's own answer to "did it take effect?" (contract I4). */
export type Reconciliation =
  | { readonly kind: 'continue'; readonly detail: string | null }
  | { readonly kind: 'complete'; readonly result: Json }
  | { readonly kind: 'wait'; readonly approval: WaitRequest }
  | { readonly kind: 'conflict'; readonly detail: string };

export const Reconciliation = {
  /** It did not take effect, or need not be known: the agent sees that and decides next. */
  continue: (detail?: string): Reconciliation => ({ kind: 'continue', detail: detail ?? null }),
  /** It took effect: this is the step's result. */
  complete: (result?: unknown): Reconciliation => ({ kind: 'complete', result: (result ?? null) as Json }),
  /** A person decides. */
  wait: (approval: WaitRequest = {}): Reconciliation => ({ kind: 'wait', approval }),
  /** The outside world contradicts the record: the run fails as `reconcile_conflict`. */
  conflict: (detail: string): Reconciliation => ({ kind: 'conflict', detail }),
} as const;
