import { asksForOutcome } from './approval.js';
import { canonicalJson } from './canonical-json.js';
import { isPlainObject, type Json, type JsonObject } from './json.js';
import { describeThrown } from './text.js';
import type { InterruptionCause } from './interruption.js';
import type { ToolSpec } from './tool.js';
import type { Run } from './run.js';

/** What a policy wants a person to decide. */
export interface ApprovalRequest {
  /** What sort of question this is, e.g. `refund`. Default `tool_call`. */
  readonly kind?: string;
  /** What the grant would allow, e.g. `payments.charge`. Default the tool's name. */
  readonly capability?: string;
  /** What the person is shown besides the exact request. */
  readonly presentation?: JsonObject;
}

/** A policy's answer (contract P1). */
export type PolicyDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'require_approval'; readonly approval: ApprovalRequest }
  | { readonly kind: 'abort'; readonly reason: string };

/** What a policy is asked about: a copy, its arguments valid (contract P3, P4). */
export interface PolicyRequest {
  readonly stepId: string;
  readonly operationId: string;
  readonly tool: ToolSpec;
  readonly args: Json;
  /** Why the agent wants it, in its own words. */
  readonly reason: string | null;
  /** Calls of this step begun before. */
  readonly attempt: number;
  /** Set if an earlier attempt's outcome is unknown. */
  readonly interrupted: InterruptionCause | null;
}

/** Code outside the model that decides whether a request runs (contract P1). */
export type Policy = (request: PolicyRequest, run: Run) => PolicyDecision | Promise<PolicyDecision>;

/** Run it. */
export function allow(): PolicyDecision {
  return { kind: 'allow' };
}

/** Do not run it; the agent is told the reason and decides again. */
export function deny(reason: string): PolicyDecision {
  return { kind: 'deny', reason };
}

/** Pause the run until a person has decided on exactly this request. */
export function requireApproval(approval: ApprovalRequest = {}): PolicyDecision {
  return { kind: 'require_approval', approval };
}

/** End the run as `policy_abort`. */
export function abort(reason: string): PolicyDecision {
  return { kind: 'abort', reason };
}

/** Read-only and local tools run, remote ones need a person, all others are denied (contract P2). */
export const defaultPolicy: Policy = ({ tool }) => {
  if (tool.readOnly || tool.effect === 'local') return allow();
  if (tool.effect === 'remote') return requireApproval();
  return deny(`the default policy denies ${tool.effect} tools; give the runtime a policy of your own`);
};

/** A policy's answer, or what is wrong with it. */
export type ReadPolicy =
  { readonly ok: true; readonly decision: PolicyDecision } | { readonly ok: false; readonly message: string };

/** Reads whatever a policy answered; anything but one of its four answers is refused (contract P1). Nothing is thrown. */
export function readPolicyDecision(answer: unknown): ReadPolicy {
  try {
    const decision = isPlainObject(answer) ? decisionOf(copied(answer)) : null;
    if (!decision)
      return { ok: false, message: 'the policy must answer allow(), deny(), requireApproval() or abort()' };
    return { ok: true, decision };
  } catch (error) {
    return { ok: false, message: `the policy's answer is not JSON: ${describeThrown(error).message}` };
  }
}

/** What is judged is a copy: an object may answer otherwise when it is asked again. */
function copied({ kind, reason, approval }: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(canonicalJson({ kind, reason, approval }, 'policy')) as Record<string, unknown>;
}

function decisionOf({ kind, reason, approval }: Record<string, unknown>): PolicyDecision | null {
  if (kind === 'allow') return allow();
  if ((kind === 'deny' || kind === 'abort') && typeof reason === 'string') return { kind, reason };
  return kind === 'require_approval' && isApprovalRequest(approval) ? { kind, approval } : null;
}

function isApprovalRequest(value: unknown): value is ApprovalRequest {
  if (!isPlainObject(value)) return false;
  const { kind, capability, presentation, ...misspelt } = value;
  if (Object.keys(misspelt).length > 0) return false;
  const text = (member: unknown): boolean => member === undefined || (typeof member === 'string' && member !== '');
  if (typeof kind === 'string' && asksForOutcome(kind)) return false;
  return text(kind) && text(capability) && (presentation === undefined || isPlainObject(presentation));
}
