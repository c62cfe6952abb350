import type { Approval, Json, JsonObject, Observation, PolicyDecision, Run, RunEvent, Step } from 'holdpoint';
import { json } from '../model/record.js';

/** The record of the store as lines of text, in the words of the model. Ids are made readable afterwards. */

export function runLine({ status, reason, result, lease, activeMs }: Run): string {
  const leased = lease ? `${lease.owner} until ${lease.expiresAt}` : 'nobody';
  return `${status} ${reason ?? '-'} ${json(result)}; leased to ${leased}; ${activeMs} ms active`;
}

/** A step as an agent sees it. */
export function stepLine({ status, observation }: Step): string {
  return `${status} ${observation ? observationLine(observation) : '-'}`;
}

export function stepDetails(step: Step): string {
  const { tool, args, attempt, cause, decision, rawDecision } = step;
  const call = tool === null ? 'no call' : `${tool} ${json(args)}`;
  return `${stepLine(step)}; ${call}, attempt ${attempt}, ${cause ?? '-'}; ${json(decision)} ${json(rawDecision)}`;
}

/** An approval as an agent sees it. */
export function approvalLine({ kind, status }: Approval): string {
  return `${kind} ${status}`;
}

export function approvalDetails(approval: Approval): string {
  const { stepId, kind, presentation, status, expiresAt, decidedAt, grantTtlMs } = approval;
  const embedded = presentation.embedded as JsonObject | null | undefined;
  const wanted = embedded === undefined ? kind : (embedded?.kind ?? '-');
  const granted = decidedAt === null || grantTtlMs === null ? null : decidedAt + grantTtlMs;
  const ends = { pending: expiresAt, approved: granted }[status as string];
  return `${approvalLine(approval)}, of step ${stepId}, wanted ${json(wanted)}, ends ${json(ends ?? null)}; ${shown(presentation)}`;
}

/** What a person is shown: as the policy asked, or what is known of a call whose outcome is not. */
function shown(presentation: JsonObject): string {
  const { summary, attempt, cause, reconciliation, policy, receipt } = presentation;
  if (summary === undefined) return json(presentation);
  const failed = reconciliation === null ? '' : ', its reconciliation failed';
  const { error } = policy as JsonObject;
  const says = error === undefined ? ruling(policy as unknown as PolicyDecision) : 'nothing';
  return `attempt ${json(attempt)}: ${text(cause)}${failed}; the policy says ${says}${receipt === undefined ? '' : `, ${text(receipt)}`}`;
}

export function observationLine(observation: Observation): string {
  switch (observation.kind) {
    case 'result': {
      const recovered = observation.recovered ? ' recovered' : '';
      const settled = observation.settledBy === undefined ? '' : ` settled by ${observation.settledBy}`;
      return `result ${json(observation.result)}${recovered}${settled}`;
    }
    case 'error':
      return `error ${observation.name}${observation.tookEffect ? ' took effect' : ''}`;
    case 'denied':
      return `denied${observation.outcomeUnknown ? ' outcome unknown' : ''}`;
    case 'interrupted':
      return `interrupted ${observation.cause}`;
    case 'run_ended':
      return `run_ended ${observation.reason}`;
    case 'invalid_decision':
      return 'invalid_decision';
  }
}

/** What an event says, in a line. */
export function eventLine({ type, payload }: RunEvent): string {
  const facts = LINES[type]?.(payload as Payload) ?? '';
  return facts === '' ? type : `${type} ${facts}`;
}

/** The members of the payloads that the lines use; each type of event has some of them. */
interface Payload {
  readonly [member: string]: Json;
  readonly owner: string;
  readonly step: number;
  readonly attempt: number;
  readonly approval: string;
  readonly kind: string;
}

const LINES: Readonly<Record<string, (payload: Payload) => string>> = {
  'run.started': ({ owner }) => owner,
  'run.resumed': ({ owner, approval }) => `${owner}${by(approval)}`,
  'run.finished': ({ status, reason, result }) => `${text(status)} ${text(reason)} ${json(result)}`,
  'step.started': ({ step }) => `${step}`,
  'step.decided': ({ step, decision, raw }) =>
    `${step} ${json(decision)}${raw === undefined ? '' : ` raw ${text(raw)}`}`,
  'step.policy': ({ step, decision }) => `${step} ${ruling(decision as unknown as PolicyDecision)}`,
  'step.tool_started': ({ step, tool, args, attempt, approval }) =>
    `${step} ${text(tool)} ${json(args)} attempt ${attempt}${by(approval)}`,
  'step.tool_finished': (payload) => `${payload.step} attempt ${payload.attempt} ${finished(payload)}`,
  'step.failed': ({ step, observation }) => `${step} ${observationLine(observation as unknown as Observation)}`,
  'step.interrupted': ({ step, cause, during, settled }) =>
    `${step} ${text(cause)} during ${text(during)} ${settled === true ? 'settled' : 'open'}`,
  'step.reconciled': ({ step, by: who, answer }) => `${step} ${text(who)} ${text(answer)}`,
  'approval.requested': ({ step, approval, kind }) => `${approval} of step ${step}: ${kind}`,
  'approval.decided': ({ approval, decision, result }) =>
    `${approval} ${text(decision)}${result === undefined ? '' : ` ${json(result)}`}`,
  'lease.taken_over': ({ from, to }) => `${text(from)} to ${text(to)}`,
  'limit.exceeded': ({ limit, value, max }) => `${text(limit)} ${json(value)} of ${json(max)}`,
  'loop.detected': ({ times, max }) => `${json(times)} of ${json(max)}`,
};

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : json(value);
}

function by(approval: string | undefined): string {
  return approval === undefined ? '' : ` by approval ${approval}`;
}

function ruling(decision: PolicyDecision): string {
  if (decision.kind !== 'require_approval') return decision.kind;
  return decision.approval.kind === undefined ? 'ask' : 'ask otherwise';
}

function finished({ result, error, aborted, late }: Payload): string {
  const suffix = late === true ? ' late' : '';
  if (aborted !== undefined) return `aborted${suffix}`;
  const came = result === undefined ? observationLine(error as unknown as Observation) : `result ${json(result)}`;
  return `${came}${suffix}`;
}
