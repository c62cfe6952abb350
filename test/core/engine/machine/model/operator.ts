import { FOUND, traitOf } from '../vocabulary.js';
import { isAboutOutcome, json, type ApprovalRecord, type RunRecord } from './record.js';

/** What people do from outside: none of it needs a lease, or the program (A2, A5, A6, I6, L9). */

export type Answer = 'approve' | 'reject' | 'settle';

/** The hash that a decision carries. */
export type Shown = 'right' | 'wrong' | 'none';

/** Who decides, in every test. */
export const PERSON = 'ann';

/** What a decision comes to: the approval's new status, or the name of the error, after which nothing has changed. */
export function decide(record: RunRecord, place: number, answer: Answer, shown: Shown): string {
  const approval = record.approvals[place];
  if (!approval) throw new Error('the model has no such approval');
  if (shown === 'none') return 'InvalidArgumentError';
  if (approval.status !== 'pending') return 'NotPendingError';
  if (shown === 'wrong') return 'ApprovalChangedError';
  if (record.hasExpired(approval)) {
    record.expire();
    return 'ApprovalExpiredError';
  }
  if (answer === 'settle' && !isAboutOutcome(approval.kind)) return 'InvalidArgumentError';
  const line = `approval.decided ${place + 1}`;
  if (answer === 'approve') approve(record, approval, line);
  else if (answer === 'reject') reject(record, approval, line);
  else settle(record, approval, line);
  return approval.status;
}

/** The next resume runs it (A3); the grant has a time of its own (A5). */
function approve({ config, now, events }: RunRecord, approval: ApprovalRecord, line: string): void {
  approval.status = 'approved';
  approval.expiresAt = config.grantTtlMs === null ? null : now + config.grantTtlMs;
  events.push(`${line} approved`);
}

function reject(record: RunRecord, approval: ApprovalRecord, line: string): void {
  approval.status = 'rejected';
  record.log(`${line} rejected`);
  record.failRun({ status: 'CANCELLED', reason: 'approval_rejected' });
}

/** It took effect: the step has the person's result, and the run goes on at the next resume (I6). */
function settle(record: RunRecord, approval: ApprovalRecord, line: string): void {
  approval.status = 'settled';
  record.log(`${line} settled ${json(FOUND)}`);
  record.observe('done', `result ${json(FOUND)} settled by ${PERSON}`, FOUND);
  const { tool } = record.step;
  if (tool && traitOf(tool).terminal) {
    record.finish({ status: 'COMPLETED', reason: 'goal_completed', result: FOUND });
  }
}

/** Ends the run whoever holds it (L9); gives its status, or the name of the error. */
export function cancel(record: RunRecord): string {
  if (record.isTerminal) return 'RunStateError';
  const reason = 'operator_cancelled';
  if (record.hasOpenStep) {
    const { status } = record.step;
    if (status === 'awaiting_approval') {
      record.failStep(`run_ended ${reason}`);
    } else {
      record.logStep('interrupted', 'cancelled', 'during', status, 'settled');
      record.observe('interrupted', `run_ended ${reason}`);
    }
  }
  record.closeApproval();
  record.finish({ status: 'CANCELLED', reason });
  return record.status;
}
