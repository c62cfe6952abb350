import { canonicalJson } from './canonical-json.js';
import { isPlainObject, type Json, type JsonObject } from './json.js';
import { describeThrown } from './text.js';

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

/** A reconciliation's answer, or why it is none (contract I5). */
export type ReadReconciliation =
  { readonly ok: true; readonly answer: Reconciliation } | { readonly ok: false; readonly message: string };

/** Reads whatever a reconciliation answered. Nothing is thrown. */
export function readReconciliation(answer: unknown): ReadReconciliation {
  try {
    // What is judged is the copy: an object may answer otherwise when it is asked again.
    const copy: unknown = isPlainObject(answer) ? JSON.parse(canonicalJson(answer, 'reconciliation')) : null;
    if (!isPlainObject(copy) || !isReconciliation(copy)) {
      return { ok: false, message: 'it must answer Reconciliation.continue, complete, wait or conflict' };
    }
    return { ok: true, answer: copy as unknown as Reconciliation };
  } catch (error) {
    return { ok: false, message: describeThrown(error).message };
  }
}

function isReconciliation({ kind, detail, result, approval }: Record<string, unknown>): boolean {
  if (kind === 'continue') return detail === null || typeof detail === 'string';
  if (kind === 'conflict') return typeof detail === 'string';
  if (kind === 'complete') return result !== undefined;
  if (kind !== 'wait' || !isPlainObject(approval)) return false;
  const { capability, presentation } = approval;
  return (
    (capability === undefined || typeof capability === 'string') &&
    (presentation === undefined || isPlainObject(presentation))
  );
}
