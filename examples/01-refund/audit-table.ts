import type { EventType, Json, RunEvent } from 'holdpoint';
import type { Screen } from './screen.js';

const MAX_LENGTH = 60;

type Payload = Readonly<Record<string, Json>>;

/** What an event says, in short. Those that do not occur in this demo are shown as their JSON. */
const IN_SHORT: Partial<Record<EventType, (payload: Payload) => string>> = {
  'run.created': ({ agent, goal }) => `${text(agent)}: ${text(goal)}`,
  'run.started': ({ owner }) => `by ${text(owner)}`,
  'run.resumed': ({ owner }) => `by ${text(owner)}`,
  'run.finished': ({ status, reason }) => `${text(status)}, ${text(reason)}`,
  'step.started': ({ step }) => `step ${text(step)}`,
  'step.decided': ({ step, decision }) => `step ${text(step)}: ${decided(members(decision))}`,
  'step.policy': ({ step, decision }) => `step ${text(step)}: ${text(members(decision).kind)}`,
  'step.tool_started': ({ step, attempt, tool }) => `step ${text(step)}: call ${text(attempt)} of ${text(tool)}`,
  'step.tool_finished': ({ step, result, error }) => `step ${text(step)}: ${text(error ?? result)}`,
  'step.failed': ({ step, observation }) => `step ${text(step)}: ${text(observation)}`,
  'step.interrupted': ({ step, during, tool }) => `step ${text(step)} while ${text(during)} ${text(tool)}`,
  'step.reconciled': ({ step, answer, result }) => `step ${text(step)}: ${text(answer)} ${text(result)}`,
  'approval.requested': ({ step, kind }) => `step ${text(step)}: ${text(kind)}`,
  'approval.decided': ({ decision, by, note }) => `${text(decision)} by ${text(by)}: ${text(note)}`,
  'lease.taken_over': ({ from, to }) => `${text(from)} to ${text(to)}`,
};

/** The audit trail of a run, one event a line. */
export function showAuditTrail(screen: Screen, events: readonly RunEvent[]): void {
  const start = events[0]?.at ?? 0;
  const rows = events.map(({ index, at, type, payload }) => [
    String(index).padStart(2),
    `+${((at - start) / 1_000).toFixed(3)} s`.padStart(10),
    type,
    clipped((IN_SHORT[type] ?? text)(members(payload))),
  ]);
  screen.table([' #', 'time'.padStart(10), 'event', 'what'], rows);
}

function decided({ kind, tool, args, result, message }: Payload): string {
  if (kind === 'tool') return `${text(tool)} ${text(args)}`;
  return kind === 'complete' ? `complete ${text(result)}` : `fail ${text(message)}`;
}

function members(value: Json | undefined): Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {};
}

/** A text as it is, any other value as its JSON. */
function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function clipped(line: string): string {
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
