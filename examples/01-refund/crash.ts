/** What both acts begin with: an agent dies in the middle of a charge, and another process finds its run. */
import type { Client } from 'holdpoint';
import { count, type Screen } from './screen.js';
import type { AgentProcess, Shop } from './shop.js';

/** Two agent processes that are up and have nothing to do yet. */
export interface Agents {
  readonly first: AgentProcess;
  /** It stands by, so that it can resume the run of the first while that one's lease still lives. */
  readonly second: AgentProcess;
}

export async function enter(shop: Shop): Promise<Agents> {
  const [first, second] = [shop.agent('agent-1'), shop.agent('agent-2')];
  await Promise.all([first.next('ready'), second.next('ready')]);
  return { first, second };
}

/** Kills agent-1 after the service has booked its charge and before any answer reached it. */
export async function killInTheMiddle({ first }: Agents, shop: Shop, screen: Screen): Promise<void> {
  first.send('start');
  await shop.service.next('booked');
  await first.kill();
  screen.say(
    'agent-1 looked the order up and asked for a charge of 64.00, which its policy allows. The payment service booked ' +
      'the charge. Before its answer arrived, agent-1 was killed with SIGKILL.',
  );
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
export async function resumeTooEarly({ second }: Agents, screen: Screen): Promise<void> {
  second.send('resume');
  const { owner, expiresAt } = await second.next('refused');
  screen.say('agent-2, a process that stood by, resumes the run at once and is refused with a RunLeasedError:');
  screen.facts([
    ['owner', owner],
    ['expires at', expiresAt],
  ]);
}

/** It resumes again once that lease has expired, takes the run over, and executes it until it pauses or ends. */
export async function takeOver({ second }: Agents): Promise<void> {
  await second.next('stopped');
  await second.stop();
}
