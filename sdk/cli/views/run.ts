import { isExpired, type Approval } from '../../../core/model/approval.js';
import type { Bounded } from '../../../core/model/bounded.js';
import { isTerminal, type Run } from '../../../core/model/run.js';
import type { Step } from '../../../core/model/step.js';
import { absolute, isDate, plain, relative, short, time, tooLongOf } from '../format.js';
import type { Cell, Fact, Styled, Terminal } from '../terminal.js';
import { showFields } from './fields.js';

/** A map: a status that somebody wrote may be the name of anything that an object has. */
const STYLES: ReadonlyMap<string, Styled['style']> = new Map([
  ['WAITING', 'yellow'],
  ['RUNNING', 'cyan'],
  ['COMPLETED', 'green'],
  ['FAILED', 'red'],
]);

/** A status in its colour. */
export function statusOf({ status }: Pick<Run, 'status'>): Cell {
  const style = STYLES.get(status);
  return style ? { text: plain(status), style } : plain(status);
}

export const RUN_COLUMNS = ['RUN', 'STATUS', 'REASON', 'AGENT', 'CHANGED', 'GOAL'];

/** A run as one line of a table. */
export function runRow(run: Bounded<Run>, now: number): Cell[] {
  return [
    plain(run.id),
    statusOf(run),
    run.decodeError === null ? short(run.reason, 24) : { text: 'does not decode', style: 'red' },
    short(run.agent, 24),
    time(run.updatedAt, now),
    short(run.goal, 60),
  ];
}

/** A run in full. */
export function showRun(terminal: Terminal, run: Bounded<Run>, now: number): void {
  terminal.line({ text: `Run ${run.id}`, style: 'bold' });
  terminal.facts(factsOf(run, now), 1);
  if (run.result !== null) showFields(terminal, 'result', run.result, false);
}

function factsOf(run: Bounded<Run>, now: number): Fact[] {
  const { lease } = run;
  const facts: Fact[] = [
    ['status', statusOf(run)],
    ['agent', plain(run.agent)],
    ['goal', plain(run.goal)],
    ['created', time(run.createdAt, now)],
    ['changed', time(run.updatedAt, now)],
    ['steps', plain(run.stepCount)],
    ['events', `${plain(run.eventCount)}, the last with the hash ${plain(run.headHash)}`],
  ];
  if (run.reason !== null) facts.splice(1, 0, ['reason', plain(run.reason)]);
  if (run.message !== null) facts.splice(2, 0, ['message', plain(run.message)]);
  if (lease) facts.push(['lease', `${plain(lease.owner)}, ends ${time(lease.expiresAt, now)}`]);
  if (run.tooLong !== undefined) facts.push(['too long', { text: tooLongOf(run.tooLong), style: 'yellow' }]);
  if (run.decodeError !== null) facts.push(['damaged', { text: plain(run.decodeError), style: 'red' }]);
  return facts;
}

/** What happens to a run next, and who has to do something for it. */
export function whatIsNext(run: Run, pending: Approval | null, now: number): string {
  if (isTerminal(run.status)) return 'It has ended.';
  if (run.decodeError !== null)
    return 'It holds a row that does not decode: it can be shown and cancelled, not continued.';
  if (run.status === 'WAITING') {
    if (pending === null) return 'It was decided, and goes on at its next resume.';
    if (isExpired(pending, now)) return 'Nobody decided in time: it ends as approval_expired when it is resumed.';
    return `It waits for a person: holdpoint approve, reject or settle ${pending.id}`;
  }
  if (run.status === 'PENDING') return 'Nobody has started it; it begins at its first resume.';
  if (!run.lease) return 'It was stopped cleanly, and goes on at its next resume.';
  const { expiresAt } = run.lease;
  if (expiresAt > now) {
    if (!isDate(expiresAt))
      return 'Its lease ends at no date, so it is not known when its process has died; it can be cancelled.';
    return `It is being executed; should its process have died, that is known ${relative(expiresAt, now)}.`;
  }
  return 'Its process is dead: the lease has run out. It goes on at its next resume.';
}

export const STEP_COLUMNS = ['STEP', 'STATUS', 'TOOL', 'CALLS', 'STARTED', 'OUTCOME'];

/** A step as one line of a table. */
export function stepRow(step: Bounded<Step>): Cell[] {
  return [
    plain(step.index),
    plain(step.status),
    short(step.tool, 40),
    plain(step.attempt),
    absolute(step.startedAt),
    short(outcomeOf(step), 80),
  ];
}

function outcomeOf({ observation, decodeError, tooLong }: Bounded<Step>): string {
  if (decodeError !== null) return `damaged: ${decodeError}`;
  if (observation === null) return tooLong === undefined ? '-' : tooLongOf(tooLong);
  switch (observation.kind) {
    case 'result': {
      const origin = observation.settledBy
        ? ` (settled by ${plain(observation.settledBy)})`
        : observation.recovered
          ? ' (recovered)'
          : '';
      return `${JSON.stringify(observation.result)}${origin}`;
    }
    case 'run_ended':
      return `run ended: ${plain(observation.reason)}`;
    case 'error':
      return `${plain(observation.name)}: ${plain(observation.message)}`;
    default:
      return `${plain(observation.kind)}: ${plain(observation.message)}`;
  }
}
