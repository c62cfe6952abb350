import { appendFileSync } from 'node:fs';
import { Client, HoldpointError, RunLeasedError, Runtime } from 'holdpoint';
import { mailer, outside } from '../../support/crash.js';

/**
 * One of the processes of a race: it opens the store, says that it is ready, waits for the word, and acts.
 *
 * Arguments: what to do, the store, the file to which each effect is appended, and what else the act takes.
 */
const [act = '', store = '', effects = '', ttlMs = '', id = '', hash = ''] = process.argv.slice(2);

const acts: Record<string, () => Promise<{ go: () => Promise<string>; close: () => Promise<void> }>> = {
  resume: async () => {
    const runtime = await open(() => 'sent');
    return { go: async () => (await runtime.resume(id)).status, close: () => runtime.close() };
  },
  /** Takes the run over as soon as its lease lets it. */
  takeOver: async () => {
    const runtime = await open(() => 'sent');
    const go = async (): Promise<string> => {
      for (;;) {
        try {
          return (await runtime.resume(id)).status;
        } catch (error) {
          if (!(error instanceof RunLeasedError)) throw error;
        }
      }
    };
    return { go, close: () => runtime.close() };
  },
  /** Starts, and then resumes, as many runs as `id` says, all at once. */
  startMany: async () => {
    const runtime = await open(() => 'sent');
    const ids = Array.from({ length: Number(id) }, (_, n) => `many-${n}`);
    const codes = new Set<string>();
    const note = (error: unknown): void => {
      codes.add(error instanceof HoldpointError ? error.code : String(error));
    };
    const go = async (): Promise<string> => {
      await Promise.all(ids.map((run) => runtime.start('mailer', { goal: 'g', id: run }).catch(note)));
      await Promise.all(ids.map((run) => runtime.resume(run).catch(note)));
      return [...codes].sort().join(' ');
    };
    return { go, close: () => runtime.close() };
  },
  hang: async () => {
    const runtime = await open(() => {
      process.send?.({ inTool: true });
      return new Promise(() => setInterval(() => undefined, 1_000));
    });
    return { go: async () => (await runtime.start('mailer', { goal: 'g', id })).status, close: () => runtime.close() };
  },
  approve: () => deciding((client) => client.approvals.approve(id, { hash, by: `${process.pid}` })),
  reject: () => deciding((client) => client.approvals.reject(id, { hash, by: `${process.pid}` })),
};

function open(tool: () => unknown): Promise<Runtime> {
  const act = () => {
    appendFileSync(effects, `${process.pid}\n`);
    return tool();
  };
  return Runtime.open({
    store,
    agents: [mailer(outside(), { act })],
    policy: () => ({ kind: 'allow' }),
    lease: { ttlMs: Number(ttlMs), owner: 'racer' },
  });
}

async function deciding(decide: (client: Client) => Promise<{ status: string }>) {
  const client = await Client.open({ store });
  return { go: async () => (await decide(client)).status, close: () => client.close() };
}

const racer = await acts[act]?.();
process.send?.({ ready: true });
process.once('message', () => {
  void (racer?.go() ?? Promise.resolve('nothing'))
    .catch((error: unknown) => (error instanceof HoldpointError ? error.code : String(error)))
    .then(async (outcome) => {
      await racer?.close();
      process.send?.({ outcome });
      process.disconnect();
    });
});
