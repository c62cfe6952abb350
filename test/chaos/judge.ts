import type { Approval, Client, Run, Step } from 'holdpoint';
import type { Effect } from './ledger.js';

/** What a chaos run came to. */
export interface Verdict {
  readonly runs: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly effects: number;
  readonly takeovers: number;
  readonly rerunsApproved: number;
  readonly violations: readonly string[];
}

const UNKNOWN = ['interrupted_side_effect', 'unknown_outcome'];

/** Holds the store against the outside world, once nobody moves any more. */
export async function judge(client: Client, effects: readonly Effect[]): Promise<Verdict> {
  const runs = await all((after) => client.runs.list({ after, limit: 1000 }));
  const approvals = await all((after) => client.approvals.list({ after, limit: 1000 }));
  const made = counted(effects.map(({ operationId }) => operationId));
  const asked = byRun(approvals);
  const violations: string[] = [];
  const known = new Set<string>();
  let takeovers = 0;
  let reruns = 0;
  for (const run of runs) {
    const mine = asked.get(run.id) ?? [];
    violations.push(...standing(run, mine), ...faulty(run));
    for (const step of await all((after) => client.runs.steps(run.id, { after, limit: 1000 }), 'index')) {
      const allowed = approvedReruns(mine, step);
      reruns += allowed;
      const times = made[step.operationId] ?? 0;
      known.add(step.operationId);
      if (times > 1 + allowed)
        violations.push(`run ${run.id} step ${step.index}: ${times} effects, ${allowed} approved re-runs`);
      if (times > 0 && step.attempt === 0)
        violations.push(`run ${run.id} step ${step.index}: an effect that is not recorded as started`);
    }
    const events = await all((after) => client.runs.events(run.id, { after, limit: 1000 }), 'index');
    takeovers += events.filter(({ type }) => type === 'lease.taken_over').length;
  }
  for (const operation of Object.keys(made)) {
    if (!known.has(operation)) violations.push(`operation ${operation}: an effect of no step`);
  }
  const chain = await client.verify();
  if (!chain.ok) violations.push(`the chain is broken: ${JSON.stringify(chain.fault)}`);
  return {
    runs: runs.length,
    statuses: counted(runs.map(({ status, reason }) => reason ?? status)),
    effects: effects.length,
    takeovers,
    rerunsApproved: reruns,
    violations,
  };
}

function byRun(approvals: readonly Approval[]): Map<string, Approval[]> {
  const found = new Map<string, Approval[]>();
  for (const approval of approvals) found.set(approval.runId, [...(found.get(approval.runId) ?? []), approval]);
  return found;
}

/** Every run has ended, or waits for a person. */
function standing(run: Run, approvals: readonly Approval[]): string[] {
  if (run.lease) return [`run ${run.id} is ${run.status} and leased`];
  if (['COMPLETED', 'FAILED', 'CANCELLED'].includes(run.status)) return [];
  const pending = approvals.filter(({ status }) => status === 'pending');
  return run.status === 'WAITING' && pending.length === 1 ? [] : [`run ${run.id} is left ${run.status}`];
}

/** Neither the agent nor the policy of a chaos run throws: what ends one in that way is a fault of the machine. */
function faulty({ id, reason, message }: Run): string[] {
  return reason === 'agent_error' || reason === 'internal_error' ? [`run ${id} ended in ${reason}: ${message}`] : [];
}

function approvedReruns(approvals: readonly Approval[], step: Step): number {
  return approvals.filter(
    ({ stepId, kind, status }) =>
      stepId === step.id && UNKNOWN.includes(kind) && ['approved', 'spent'].includes(status),
  ).length;
}

function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

async function all<T>(page: (after: number) => Promise<T[]>, by: 'seq' | 'index' = 'seq'): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const last = found.at(-1) as Record<string, number> | undefined;
    const more = await page(last?.[by] ?? 0);
    found.push(...more);
    if (more.length < 1000) return found;
  }
}
