import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Runtime, requireApproval } from 'holdpoint';
import { Child } from '../../support/child.js';
import { mailer, outside } from '../../support/crash.js';
import { TTL_MS, World } from '../../support/world.js';

const RACER = new URL('./racer.js', import.meta.url);

describe('two processes', () => {
  let world: World;
  let effects: string;

  beforeEach(() => {
    world = new World();
    effects = join(world.dir, 'effects.log');
  });

  afterEach(() => world.close());

  function effectCount(): number {
    return existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n').length : 0;
  }

  /** Both are ready before either may act; `order` says who is told first. */
  async function race(order: readonly [number, number], racers: readonly [string[], string[]]): Promise<string[]> {
    const given = [world.file, effects, `${TTL_MS}`];
    const children = racers.map(([act = '', ...rest]) => new Child(RACER, [act, ...given, ...rest]));
    for (const child of children) await child.next();
    for (const place of order) children[place]?.say({ go: true });
    const outcomes = await Promise.all(children.map((child) => child.next<{ outcome: string }>()));
    await Promise.all(children.map((child) => child.exited));
    return outcomes.map(({ outcome }) => outcome);
  }

  async function waiting(): Promise<{ runId: string; approvalId: string; hash: string }> {
    const runtime = await Runtime.open({
      store: world.file,
      agents: [mailer(outside())],
      policy: () => requireApproval(),
    });
    try {
      const run = await runtime.start('mailer', { goal: 'g' });
      const [approval] = await runtime.client.approvals.list({ runId: run.id });
      return { runId: run.id, approvalId: approval?.id ?? '', hash: approval?.hash ?? '' };
    } finally {
      await runtime.close();
    }
  }

  async function dead(runId: string, ttlMs = 1_500): Promise<void> {
    const child = new Child(RACER, ['hang', world.file, effects, `${ttlMs}`, runId]);
    await child.next();
    child.say({ go: true });
    expect(await child.next()).to.deep.equal({ inTool: true });
    await child.kill();
  }

  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const who = order[0] === 0 ? 'the first is told first' : 'the second is told first';

    it(`F11, S5: decide one approval: one wins, the other is refused (${who})`, async () => {
      const { approvalId, hash, runId } = await waiting();
      const outcomes = await race(order, [
        ['approve', approvalId, hash],
        ['reject', approvalId, hash],
      ]);
      expect(outcomes.filter((outcome) => outcome === 'NOT_PENDING')).to.have.length(1);
      const client = await world.client();
      const decided = (await client.runs.events(runId)).filter(({ type }) => type === 'approval.decided');
      expect(decided).to.have.length(1);
      expect(outcomes).to.include((await client.approvals.get(approvalId)).status);
    });

    it(`F11, A4: resume one approved run: the effect once, the other a typed error (${who})`, async () => {
      const { approvalId, hash, runId } = await waiting();
      const client = await world.client();
      await client.approvals.approve(approvalId, { hash, by: 'ann' });
      const outcomes = await race(order, [
        ['resume', runId],
        ['resume', runId],
      ]);
      expect(outcomes).to.include('COMPLETED');
      expect(outcomes.filter((outcome) => ['RUN_LEASED', 'RUN_STATE'].includes(outcome))).to.have.length(1);
      expect(effectCount()).to.equal(1);
      expect((await client.verify()).ok).to.equal(true);
    });

    it(`L7, I5: take over one run whose process was killed: one does, and calls nothing (${who})`, async () => {
      await dead('killed');
      const client = await world.client();
      const { lease } = await client.runs.get('killed');
      while (Date.now() <= (lease?.expiresAt ?? 0)) await client.runs.get('killed');
      const outcomes = await race(order, [
        ['resume', 'killed'],
        ['resume', 'killed'],
      ]);
      expect(outcomes).to.include('WAITING');
      const types = (await client.runs.events('killed')).map(({ type }) => type);
      expect(types.filter((type) => type === 'lease.taken_over')).to.have.length(1);
      expect(effectCount()).to.equal(1);
      expect((await client.verify()).ok).to.equal(true);
    });
  }

  it('L2, L6: a process that was killed is waited out by its successor of the same name', async () => {
    await dead('killed', TTL_MS);
    const outcomes = await race(
      [0, 1],
      [
        ['resume', 'killed'],
        ['resume', 'killed'],
      ],
    );
    expect(outcomes).to.deep.equal(['RUN_LEASED', 'RUN_LEASED']);
    expect(effectCount()).to.equal(1);
  });
});
