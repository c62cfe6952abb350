import { defaultPolicy, type Approval, type Class, type Run, type RuntimeOptions } from 'holdpoint';
import { scripted, toolClass } from '../../support/agents.js';
import type { Mortal, World } from '../../support/world.js';

/** A run that has looked something up, wants to send something, and waits for a person. */
export interface Waiting {
  readonly mortal: Mortal;
  readonly run: Run;
  readonly approval: Approval;
  /** What was sent. */
  readonly sent: string[];
}

/** An agent `clerk`: it looks, sends what needs an approval, and completes. */
export function clerk(sent: string[]): Class {
  const look = toolClass(true, { name: 'look' }, ({ text }) => ({ found: text }));
  const send = toolClass(false, { name: 'send', effect: 'remote' }, ({ text }) => {
    sent.push(text);
    return { sent: text };
  });
  return scripted(
    'clerk',
    [look, send],
    [
      { kind: 'tool', tool: 'look', args: { text: 'a letter' } },
      { kind: 'tool', tool: 'send', args: { text: 'a letter' } },
      { kind: 'complete', result: 'sent' },
    ],
  );
}

/** The clerk waits; its runtime has the default policy. */
export async function waitingRun(
  world: World,
  options: Partial<RuntimeOptions> = {},
  id = 'waiting',
): Promise<Waiting> {
  const sent: string[] = [];
  const mortal = await world.open([clerk(sent)], { policy: defaultPolicy, ...options });
  return waitingOn(mortal, sent, id);
}

/** One more run of a clerk that waits. */
export async function waitingOn(mortal: Mortal, sent: string[], id: string): Promise<Waiting> {
  const run = await mortal.runtime.start('clerk', { goal: 'send a letter', id });
  const [approval] = await mortal.runtime.client.approvals.list({ runId: id, status: 'pending' });
  if (!approval) throw new Error(`run ${id} is ${run.status}, and waits for nobody`);
  return { mortal, run, approval, sent };
}

/** A person approves what a run waits for. */
export async function approve({ mortal, approval }: Waiting): Promise<void> {
  await mortal.runtime.client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
}
