import { asksForOutcome, isExpired, type Approval } from '../../../core/model/approval.js';
import type { Bounded } from '../../../core/model/bounded.js';
import type { Json, JsonObject } from '../../../core/model/json.js';
import type { Run } from '../../../core/model/run.js';
import { abbreviated, plain, short, time, tooLongOf } from '../format.js';
import type { Cell, Fact, Terminal } from '../terminal.js';
import { showFields } from './fields.js';

/** How much of a request is read to be shown; the rest is in an export. */
export const READ_TO_SHOW = { maxText: 16 * 1024 * 1024 };

export const APPROVAL_COLUMNS = ['APPROVAL', 'STATUS', 'KIND', 'TOOL', 'RUN', 'ASKED', 'DECIDED'];

/** An approval as one line of a table. */
export function approvalRow(approval: Bounded<Approval>, now: number): Cell[] {
  const { decidedAt, decidedBy } = approval;
  return [
    plain(approval.id),
    statusOf(approval, now),
    { text: short(approval.kind, 30), style: asksForOutcome(approval.kind) ? 'yellow' : 'reset' },
    short(toolOf(approval), 40),
    plain(approval.runId),
    time(approval.requestedAt, now),
    decidedAt === null ? '-' : `${short(decidedBy, 24)}, ${time(decidedAt, now)}`,
  ];
}

function statusOf(approval: Approval, now: number): string {
  return isExpired(approval, now) ? `${plain(approval.status)}, expired` : plain(approval.status);
}

function expiryOf({ expiresAt }: Approval, now: number): string {
  if (expiresAt === null) return 'never';
  return expiresAt > now ? time(expiresAt, now) : `expired ${time(expiresAt, now)}`;
}

/** The tool's name; a damaged request may have none. */
export function toolOf({ request }: Approval): string {
  const { tool } = request as Partial<Approval['request']>;
  return plain(tool?.name);
}

/** Everything that a person has to know to decide. */
export function showApproval(
  terminal: Terminal,
  approval: Bounded<Approval>,
  run: Bounded<Run>,
  { now, full }: { readonly now: number; readonly full: boolean },
): void {
  terminal.line({ text: `Approval ${approval.id}`, style: 'bold' });
  terminal.facts(factsOf(approval, run, now), 1);
  showFields(terminal, 'presentation', summaryFirst(approval.presentation), full);
  showFields(terminal, 'arguments', (approval.request as Partial<Approval['request']>).args ?? null, full);
  if (approval.result !== null) showFields(terminal, 'result, as entered', approval.result, full);
  if (approval.cut) {
    const warning = `Too long to be read here in full: ${approval.cut.join(', ')}. \`holdpoint runs export\` writes all of it.`;
    terminal.line({ text: warning, style: 'yellow' }, 1);
  }
}

/** Members are stored in the order of their names; what a person reads first is the summary, if there is one. */
function summaryFirst(presentation: JsonObject): JsonObject {
  const { summary, ...rest } = presentation;
  return summary === undefined ? rest : { summary, ...rest };
}

function factsOf(approval: Bounded<Approval>, run: Bounded<Run>, now: number): Fact[] {
  const { tool } = approval.request as Partial<Approval['request']>;
  const facts: Fact[] = [
    ['status', statusOf(approval, now)],
    ['run', `${plain(run.id)} (${plain(run.status)})`],
    ['agent', plain(run.agent)],
    ['goal', plain(run.goal)],
    ['kind', plain(approval.kind)],
    ['capability', plain(approval.capability)],
    ['tool', `${toolOf(approval)} (${tool?.readOnly ? 'read only' : plain(tool?.effect)})`],
    ['description', tool?.description ? plain(tool.description) : '-'],
    ['asked', time(approval.requestedAt, now)],
    ['expires', expiryOf(approval, now)],
    ['hash', plain(approval.hash)],
  ];
  if (approval.decidedAt !== null) {
    facts.push(['decided', `by ${plain(approval.decidedBy)} ${time(approval.decidedAt, now)}`]);
    // Who decided is what they said; who signed is what they could prove (contract A7).
    facts.push(['signed', approval.signer === null ? 'no' : `with the key ${plain(approval.signer)}`]);
  }
  if (approval.note !== null) facts.push(['note', plain(approval.note)]);
  if (approval.tooLong !== undefined) facts.push(['too long', { text: tooLongOf(approval.tooLong), style: 'yellow' }]);
  if (approval.decodeError !== null) facts.push(['damaged', { text: plain(approval.decodeError), style: 'red' }]);
  return facts;
}

/** What an answer does, in words of our own. */
export function consequenceOf(
  answer: 'approve' | 'reject' | 'settle',
  approval: Approval,
  { result, now }: { readonly result: Json; readonly now: number },
): string {
  const tool = toolOf(approval);
  const again = asksForOutcome(approval.kind);
  if (isExpired(approval, now)) return 'It has expired: whatever is answered now, the run ends as approval_expired.';
  if (answer === 'settle') {
    return `Settling: the step is done with the result ${abbreviated(JSON.stringify(result))}, and ${tool} is not called again.`;
  }
  if (answer === 'reject') {
    return `Rejecting: the run ends as CANCELLED (approval_rejected), and ${tool} is not called${again ? ' again' : ''}.`;
  }
  const calls = `Approving: ${tool} is called${again ? ' once more' : ''}, with exactly these arguments, when the run is resumed.`;
  return again ? `${calls} The first call may have taken effect: what it does may then be done twice.` : calls;
}
