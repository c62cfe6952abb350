import type { ApprovalSubject } from '../model/approval.js';
import type { Question } from '../model/moves/pause.js';
import type { ApprovalRequest } from '../model/policy.js';
import type { ToolRequest } from '../model/tool.js';
import type { CheckedCall } from './ask.js';
import type { Session } from './session.js';

/** The exact request of the session's step. */
export function requestOf(session: Session, call: CheckedCall): ToolRequest {
  return { runId: session.run.id, stepId: session.step.id, tool: call.tool.spec, args: call.args };
}

/** What a policy asked for, with its defaults. */
export function wanted(call: CheckedCall, approval: ApprovalRequest): Omit<ApprovalSubject, 'request'> {
  return {
    kind: approval.kind ?? 'tool_call',
    capability: approval.capability ?? call.tool.spec.name,
    presentation: approval.presentation ?? {},
  };
}

/** The subject of the approval that a policy asked for. */
export function wantedSubject(session: Session, call: CheckedCall, approval: ApprovalRequest): ApprovalSubject {
  return { ...wanted(call, approval), request: requestOf(session, call) };
}

/** A new question, with the runtime's times. */
export function questionAbout(session: Session, subject: ApprovalSubject): Question {
  const { store, options } = session.engine;
  return { id: store.ids(), subject, approvalTtlMs: options.approvalTtlMs, grantTtlMs: options.grantTtlMs };
}
