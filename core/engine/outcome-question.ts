import type { ApprovalSubject } from '../model/approval.js';
import type { Json, JsonObject } from '../model/json.js';
import type { ReadPolicy } from '../model/policy.js';
import type { WaitRequest } from '../model/reconciliation.js';
import type { Step } from '../model/step.js';
import { timeText } from '../model/time.js';
import type { CheckedCall } from './ask.js';
import type { Session } from './session.js';
import { requestOf, wanted } from './subject.js';

/** What is known when a person is asked about a call whose outcome is not. */
export interface Known {
  /** What the policy says of the call now. */
  readonly policy: ReadPolicy;
  /** What the reconciliation wants shown, if it answered `wait`. */
  readonly wait?: WaitRequest;
  /** Why no reconciliation settled it, if one was asked. */
  readonly reconciliation?: string;
}

/**
 * The question about a call whose outcome nobody knows (contract I5, I9).
 *
 * It says that the call started, that its outcome was not recorded, and that whether it took effect is unknown. An
 * approval that the policy wants for the call is embedded, so one decision answers both.
 */
export function outcomeSubject(session: Session, call: CheckedCall, known: Known): ApprovalSubject {
  const { step } = session;
  const { policy, wait, reconciliation } = known;
  const embedded =
    policy.ok && policy.decision.kind === 'require_approval' ? wanted(call, policy.decision.approval) : null;
  const presentation: JsonObject = {
    ...(wait?.presentation ?? {}),
    summary: summaryOf(step, call.tool.spec.name),
    operationId: step.operationId,
    attempt: step.attempt,
    cause: step.cause,
    startedAt: isoOf(step.toolStartedAt),
    interruptedAt: isoOf(step.interruptedAt),
    reconciliation: reconciliation ?? null,
    policy: policy.ok ? (policy.decision as unknown as Json) : { error: policy.message },
    embedded: embedded,
  };
  return {
    kind: step.cause === 'crash' ? 'interrupted_side_effect' : 'unknown_outcome',
    capability: wait?.capability ?? embedded?.capability ?? call.tool.spec.name,
    presentation,
    request: requestOf(session, call),
  };
}

function summaryOf({ cause, attempt }: Step, tool: string): string {
  const what = `call ${attempt} of ${tool} started`;
  const unknown = 'whether it took effect is unknown';
  if (cause === 'crash') return `${what} and the process stopped before its outcome was recorded; ${unknown}`;
  if (cause === 'timeout') return `${what} and did not answer within its timeout; ${unknown}`;
  return `${what} and the tool could not tell its outcome; ${unknown}`;
}

function isoOf(at: number | null): string | null {
  return at === null ? null : timeText(new Date(at));
}
