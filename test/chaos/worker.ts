import { setTimeout as pause } from 'node:timers/promises';
import { HoldpointError, Runtime, type Client, type Run } from 'holdpoint';
import { Chaotic, chaoticPolicy, provideWith } from './agent.js';
import { Ledger } from './ledger.js';
import { randomOf } from './random.js';

/**
 * A worker of the chaos run: resumes whatever can go on, in an order of its own, until it is told to stop or is killed.
 *
 * Arguments: the store, the ledger, its seed, its lease length.
 */
const [store = '', ledger = '', seed = '0', ttlMs = '0'] = process.argv.slice(2);

/** What another process was first to, or what an operator did meanwhile. */
const EXPECTED = new Set(['RUN_LEASED', 'RUN_STATE', 'LEASE_LOST', 'CLOSED']);

const random = randomOf(Number(seed));
const runtime = await Runtime.open({
  store,
  agents: [Chaotic],
  provide: provideWith(new Ledger(ledger)),
  policy: chaoticPolicy,
  lease: { ttlMs: Number(ttlMs), owner: 'chaos' },
});

const stop = new AbortController();
process.once('message', () => {
  stop.abort();
});
// Its director is gone: nobody would stop it.
process.once('disconnect', () => process.exit());

while (!stop.signal.aborted) {
  const open = await resumable(runtime.client);
  const some = shuffled(open).slice(0, 8);
  await Promise.all(some.map(goOn));
  await pause(5 + random() * 20);
}
await runtime.close();
process.disconnect();

async function resumable({ runs }: Client): Promise<Run[]> {
  const now = Date.now();
  const lists = await Promise.all(
    (['PENDING', 'RUNNING', 'WAITING'] as const).map((status) => runs.list({ status, limit: 1000 })),
  );
  return lists.flat().filter(({ lease }) => !lease || lease.expiresAt <= now);
}

/** In an order of this worker's own, so that no run waits for another. */
function shuffled<T>(items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

async function goOn({ id }: Run): Promise<void> {
  try {
    await runtime.resume(id);
  } catch (error) {
    const code = error instanceof HoldpointError ? error.code : null;
    if (code === null || !EXPECTED.has(code)) process.send?.({ unexpected: String(error) });
  }
}
