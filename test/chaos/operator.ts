import { setTimeout as pause } from 'node:timers/promises';
import { Client, HoldpointError, type Approval } from 'holdpoint';
import { randomOf } from './random.js';

/**
 * The operators of the chaos run: approve, settle, reject and cancel at random, until told to stop.
 *
 * Arguments: the store, the seed.
 */
const [store = '', seed = '0'] = process.argv.slice(2);
const EXPECTED = new Set(['NOT_PENDING', 'RUN_STATE', 'APPROVAL_CHANGED']);

const random = randomOf(Number(seed));
const client = await Client.open({ store });

const stop = new AbortController();
process.once('message', () => {
  stop.abort();
});
process.once('disconnect', () => process.exit());

while (!stop.signal.aborted) {
  for (const approval of await client.approvals.list({ status: 'pending', limit: 1000 })) {
    if (random() < 0.5) await tolerate(() => decide(approval));
  }
  if (random() < 0.03) await tolerate(cancelOne);
  await pause(10 + random() * 40);
}
await client.close();
process.disconnect();

function decide({ id, hash, kind }: Approval): Promise<unknown> {
  const decision = { hash, by: 'chaos' };
  const dice = random();
  if (dice < 0.1) return client.approvals.reject(id, decision);
  if (dice < 0.5 && kind !== 'tool_call') return client.approvals.settle(id, { ...decision, result: 'settled' });
  return client.approvals.approve(id, decision);
}

async function cancelOne(): Promise<void> {
  const running = await client.runs.list({ status: 'RUNNING', limit: 1000 });
  const run = running[Math.floor(random() * running.length)];
  if (run) await client.cancel(run.id, { by: 'chaos' });
}

async function tolerate(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const code = error instanceof HoldpointError ? error.code : null;
    if (code === null || !EXPECTED.has(code)) process.send?.({ unexpected: String(error) });
  }
}
