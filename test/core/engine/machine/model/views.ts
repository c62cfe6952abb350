import { RECEIPT, type Finding, type Ruling, type ToolName } from '../vocabulary.js';
import type { ApprovalRecord, RunRecord, StepRecord } from './record.js';

/** What the program is shown at each question: copies of the record as it is then (P4). */

/** An agent sees every step before the one that it decides, and every approval. */
export function agentSees({ status, steps, approvals }: RunRecord): string {
  return `${status}; ${steps.slice(0, -1).map(stepLine).join(', ')}; ${approvals.map(approvalLine).join(', ')}`;
}

/** A policy is asked while a run that waited for a person still waits (A3). */
export function policySees({ status, step }: RunRecord, tool: ToolName, x: number): string {
  return `${status}; ${tool} ${x}; ${step.attempt} calls before, interrupted: ${step.cause ?? 'no'}`;
}

/** Every call of a step has one operation id (I10); here it is the step's place. */
export function toolSees({ step, steps }: RunRecord): string {
  return `${step.tool ?? ''} ${step.x ?? ''}; step ${steps.length}, attempt ${step.attempt}${grantLine(step)}`;
}

export function reconciliationSees(record: RunRecord, by: 'tool' | 'agent'): string {
  return `${by}; ${toolSees(record)}; ${record.step.cause ?? ''}`;
}

/** A person is told what is known of a call whose outcome is not, and what the policy says of it now (I5). */
export function personSees({ step }: RunRecord, ruling: Ruling | null, finding: Finding | 'nothing' | null): string {
  const failed = finding === null || finding === 'wait' ? '' : ', its reconciliation failed';
  const receipt = finding === 'wait' ? `, ${RECEIPT}` : '';
  return `attempt ${step.attempt}: ${step.cause ?? ''}${failed}; the policy says ${ruling ?? 'nothing'}${receipt}`;
}

function stepLine({ status, observation }: StepRecord): string {
  return `${status} ${observation ?? '-'}`;
}

function approvalLine({ kind, status }: ApprovalRecord): string {
  return `${kind} ${status}`;
}

function grantLine({ grant }: StepRecord): string {
  return grant === null ? '' : `, by approval ${grant + 1}`;
}
