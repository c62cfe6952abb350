import { join } from 'node:path';
import { expect } from 'chai';
import {
  callTool,
  complete,
  requireApproval,
  Runtime,
  type Class,
  type Policy,
  type RunEvent,
  type StepInput,
} from 'holdpoint';
import { ManualClock } from '../../core/clock.js';
import { resume } from '../../core/engine/resume.js';
import { start } from '../../core/engine/start.js';
import { DEFAULT_LIMITS } from '../../core/model/limits.js';
import { openEngine } from '../../sdk/runtime-options.js';
import { mailer, outside, type Outside } from '../support/crash.js';
import { World } from '../support/world.js';
import { Recorder, type Copy } from './recorder.js';

const TTL_MS = 60_000;
const RUN = 'powerless';

/** Two calls with an effect; then it is done. Whatever became of a call, it is not asked for again. */
const decide = ({ steps }: StepInput) =>
  steps.length < 2 ? callTool('send', { text: `${steps.length}` }) : complete();

describe('the power goes', () => {
  let world: World;
  let seen: Outside;
  let agent: Class;
  const policy: Policy = ({ args }) =>
    (args as { text: string }).text === '1' ? requireApproval() : { kind: 'allow' };

  beforeEach(() => {
    world = new World();
    seen = outside();
    agent = mailer(seen, { decide });
  });

  afterEach(() => world.close());

  /** Runs the scenario to its end, and copies the disk at every commit and every frame. */
  async function recorded(): Promise<Copy[]> {
    const recorder = new Recorder(world.file, join(world.dir, 'copies'));
    const options = { store: world.file, agents: [agent], policy, clock: world.clock, lease: { ttlMs: TTL_MS } };
    const { engine } = await openEngine(options, {
      ownerSuffix: '1',
      probe: (names) => {
        // Points between two commits add nothing to the disk.
        if (names.some((name) => name !== 'policy.allowed' && name !== 'tool.effect')) {
          recorder.committed(seen.calls.length, names.join(' '));
        }
      },
    });
    try {
      await start(engine, { id: RUN, agent: 'mailer', goal: 'g', limits: DEFAULT_LIMITS });
      const client = await world.client();
      const [approval] = await client.approvals.list({ runId: RUN });
      await client.approvals.approve(approval?.id ?? '', { hash: approval?.hash ?? '', by: 'ann' });
      recorder.committed(seen.calls.length, 'approval.decided');
      await resume(engine, RUN);
      return recorder.copies;
    } finally {
      await engine.close();
      await engine.options.heartbeat.close();
      await engine.store.close();
    }
  }

  /** Opens a copy as a machine that has its power again would, and lets the run go on; returns the starts that it knew. */
  async function revived(copy: Copy): Promise<number> {
    const clock = new ManualClock(world.clock.now() + TTL_MS + 1);
    const runtime = await Runtime.open({ store: copy.file, agents: [agent], policy, clock, lease: { ttlMs: TTL_MS } });
    try {
      const { client } = runtime;
      const runs = await client.runs.list();
      if (runs.length === 0) return 0;
      const started = startsIn(await client.runs.events(RUN));
      for (let round = 0; round < 5; round += 1) {
        const run = await runtime.resume(RUN).catch(() => null);
        if (run?.status !== 'WAITING') break;
        const [pending] = await client.approvals.list({ runId: RUN, status: 'pending' });
        if (!pending) continue;
        const decision = { hash: pending.hash, by: 'ann' };
        if (pending.kind === 'tool_call') await client.approvals.approve(pending.id, decision);
        else await client.approvals.settle(pending.id, { ...decision, result: 'as the outbox says' });
      }
      expect(await client.verify(), copy.moment).to.include({ ok: true });
      expect((await client.runs.get(RUN)).status, copy.moment).to.equal('COMPLETED');
      return started;
    } finally {
      await runtime.close();
    }
  }

  it('I1, I2, S2: no effect had happened that the disk does not know as started, and none happens twice', async () => {
    const copies = await recorded();
    expect(copies.length).to.be.greaterThan(15);
    for (const copy of copies) {
      const revivedFrom = seen.calls.length;
      const started = await revived(copy);
      expect(started, copy.moment).to.be.at.least(copy.calls);
      const happened = [...seen.calls.slice(0, copy.calls), ...seen.calls.slice(revivedFrom)];
      const operations = happened.map(({ operationId }) => operationId);
      expect(operations, copy.moment).to.have.length(new Set(operations).size);
    }
  }).timeout(60_000);
});

function startsIn(events: readonly RunEvent[]): number {
  return events.filter(({ type }) => type === 'step.tool_started').length;
}
