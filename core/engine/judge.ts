import { approvalHash, asksForOutcome, type Approval, type ApprovalSubject } from '../model/approval.js';
import { storedJson } from '../model/canonical-json.js';
import { isPlainObject } from '../model/json.js';
import { requestApproval, type Question } from '../model/moves/pause.js';
import { denyTool, endByPolicy, type JudgedCall, type Resumption } from '../model/moves/tool.js';
import type { ApprovalRequest, PolicyDecision, ReadPolicy } from '../model/policy.js';
import type { Lease } from '../model/run.js';
import { askPolicy, type CheckedCall } from './ask.js';
import { outcomeSubject } from './outcome-question.js';
import type { Session } from './session.js';
import { questionAbout, wantedSubject } from './subject.js';

/**
 * Asks the policy about a call and commits its answer, unless the call may run (contract P1, A3).
 *
 * @param grant what a person has allowed, if the run waited for that
 * @returns the call as it may be started now; null if the answer was another and is committed
 */
export async function judge(session: Session, call: CheckedCall, grant: Approval | null): Promise<JudgedCall | null> {
  const read = await askPolicy(session, call);
  if (!read.ok) return endRun(session, 'internal_error', read.message, null);
  const policy = read.decision;
  const judged: JudgedCall = { spec: call.tool.spec, specHash: call.tool.specHash, args: call.args, policy };
  if (policy.kind === 'abort') return endRun(session, 'policy_abort', policy.reason, policy);
  if (policy.kind === 'deny') {
    const denied = { ...judged, reason: policy.reason };
    await session.commit((state, at, lease) => denyTool(state, denied, resumption(grant, lease), at));
    return null;
  }
  if (policy.kind === 'allow' || (grant && covers(grant, wantedSubject(session, call, policy.approval)))) return judged;
  const question = questionOf(session, call, policy.approval, read);
  await session.commit((state, at) => requestApproval(state, judged, question, grant, at));
  return null;
}

/** The lease and the grant of a resume, if it is one. */
export function resumption(grant: Approval | null, lease: Lease): Resumption | null {
  return grant ? { grant, lease } : null;
}

/** While an attempt's outcome is unknown, that is what a person is asked about, whatever else the policy wants (I5). */
function questionOf(session: Session, call: CheckedCall, approval: ApprovalRequest, policy: ReadPolicy): Question {
  const unknown = session.step.cause !== null;
  const subject = unknown ? outcomeSubject(session, call, { policy }) : wantedSubject(session, call, approval);
  return questionAbout(session, subject);
}

/** Whether the grant is for exactly this, or embeds exactly this (contract A3, I5). */
function covers(grant: Approval, subject: ApprovalSubject): boolean {
  if (!asksForOutcome(grant.kind)) return approvalHash(subject) === grant.hash;
  const { embedded } = grant.presentation;
  if (!isPlainObject(embedded)) return false;
  return storedJson({ ...embedded, request: grant.request }) === storedJson(subject);
}

async function endRun(
  session: Session,
  reason: 'internal_error' | 'policy_abort',
  message: string,
  policy: PolicyDecision | null,
): Promise<null> {
  await session.commit((state, at) => endByPolicy(state, { status: 'FAILED', reason, message }, policy, at));
  return null;
}
