/** What both acts begin with: an agent dies in the middle of a charge, and another process finds its run. */
import type { Client } from 'holdpoint';
import { count, type Screen } from './screen.js';
import type { AgentProcess, Shop } from './shop.js';

/**
 * Kills agent-1 after the service has booked its charge and before any answer reached it.
 *
 * @returns agent-2, which was up before the kill: the lease of the dead agent still lives when it resumes the run
 */
export async function killInTheMiddle(shop: Shop, screen: Screen): Promise<AgentProcess> {
  const first = shop.agent('agent-1');
  await first.next('ready');
  const second = shop.agent('agent-2');
  first.send('start');
  await Promise.all([shop.service.next('booked'), second.next('ready')]);
  await first.kill();
  screen.say(
    'agent-1 looked the order up and asked for a charge of 64.00, which its policy allows. The payment service booked ' +
      'the charge. Before its answer arrived, agent-1 was killed with SIGKILL.',
  );
  return second;
}

/** What each side knows after the kill. */
export async function showBothSides(shop: Shop, client: Client, screen: Screen): Promise<void> {
  const run = await client.runs.get(shop.runId);
  const step = (await client.runs.steps(run.id)).at(-1);
  screen.facts([
    ['the ledger', count(await shop.payments.count(), 'charge')],
    ['the record', `run ${run.status}; step ${step?.index}, ${step?.tool}: ${step?.status}, no outcome recorded`],
    ['the lease', `${run.lease?.owner}`],
  ]);
}

/** A second process resumes the run, and is refused while the lease of the dead one lives. */
export async function resumeTooEarly(second: AgentProcess, screen: Screen): Promise<void> {
  second.send('resume');
  const { owner, expiresAt } = await second.next('refused');
  screen.say('agent-2, a process that stood by, resumes the run at once and is refused with a RunLeasedError:');
  screen.facts([
    ['owner', owner],
    ['expires at', expiresAt],
  ]);
}

/** It resumes again once that lease has expired, takes the run over, and executes it until it pauses or ends. */
export async function takeOver(second: AgentProcess): Promise<void> {
  await second.next('stopped');
  await second.stop();
}
