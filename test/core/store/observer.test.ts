import { expect } from 'chai';
import { StoreError, type Observer, type RunEvent } from 'holdpoint';
import { rejection, World } from '../../support/world.js';
import { approve, waitingRun, type Waiting } from './waiting.js';

describe('an observer', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  /** A run that waits, is approved and completes. */
  async function completed(observer?: Observer): Promise<Waiting> {
    const waiting = await waitingRun(world, observer ? { observer } : {});
    await approve(waiting);
    const { status, result } = await waiting.mortal.runtime.resume(waiting.run.id);
    expect([status, result, waiting.sent]).to.deep.equal(['COMPLETED', 'sent', ['a letter']]);
    return waiting;
  }

  const recorded = ({ mortal, run }: Waiting): Promise<RunEvent[]> => mortal.runtime.client.runs.events(run.id);

  it('S4: is told of every event as it is recorded, in order', async () => {
    const waiting = await completed();
    expect(waiting.mortal.events).to.deep.equal(await recorded(waiting));
  });

  it('S4: is told of it after its commit: another connection sees it by then', async () => {
    const seen: unknown[] = [];
    await (await waitingRun(world, {}, 'first')).mortal.runtime.close();
    const other = world.sql();
    const find = other.prepare('SELECT hash FROM holdpoint_events WHERE seq = ?').pluck();
    const waiting = await completed(({ seq, hash }) => seen.push(find.get(seq) === hash));
    expect(seen).to.deep.equal((await recorded(waiting)).map(() => true));
  });

  const FAULTS: readonly (readonly [title: string, observer: Observer])[] = [
    [
      'throws',
      () => {
        throw new Error('observer');
      },
    ],
    ['rejects', () => Promise.reject(new Error('observer'))],
    ['never resolves', () => new Promise(() => undefined)],
    [
      'answers what fails when it is awaited',
      () => ({
        then: () => {
          throw new Error('observer');
        },
      }),
    ],
    [
      'answers what cannot even be looked at',
      () => ({
        get then() {
          throw new Error('observer');
        },
      }),
    ],
    [
      'changes what it is given',
      (event) => {
        Object.assign(event, { seq: 0, payload: null, runId: 'x' });
      },
    ],
    [
      'changes the inside of what it is given',
      ({ payload }) => {
        Object.assign(payload as object, { args: 1, result: 'changed', step: 99 });
      },
    ],
  ];

  for (const [title, observer] of FAULTS) {
    it(`S4: that ${title} changes nothing in the run`, async () => {
      let told = 0;
      const waiting = await completed((event) => {
        told += 1;
        return observer(event);
      });
      const events = await recorded(waiting);
      expect(told).to.equal(events.length);
      expect((await waiting.mortal.runtime.client.verify()).ok).to.be.true;
      const steps = await waiting.mortal.runtime.client.runs.steps(waiting.run.id);
      expect(steps.map(({ observation }) => observation)).to.deep.equal([
        { kind: 'result', result: { found: 'a letter' } },
        { kind: 'result', result: { sent: 'a letter' } },
        { kind: 'run_ended', reason: 'goal_completed' },
      ]);
    });
  }

  it('S4: is told of a person’s decision through its own runtime, and not of one through another program', async () => {
    const { mortal, run, approval } = await waitingRun(world);
    mortal.events.length = 0;
    const other = await world.client();
    await other.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    expect(mortal.events).to.deep.equal([]);
    await mortal.runtime.client.cancel(run.id, { by: 'bob' });
    expect(mortal.events.map(({ type }) => type)).to.deep.equal(['step.failed', 'run.finished']);
  });

  for (const [answer, more] of Object.entries({ approve: {}, reject: {}, settle: { result: 1 } })) {
    it(`S4, A5: is told of the expiry that ${answer} finds`, async () => {
      const { mortal, approval } = await waitingRun(world, { approvalTtlMs: 1_000 });
      mortal.events.length = 0;
      world.clock.advance(1_000);
      const { approvals } = mortal.runtime.client;
      const decide = approvals[answer as 'settle'].bind(approvals);
      const late = decide(approval.id, { hash: approval.hash, by: 'ann', ...more } as never);
      expect(await rejection(late)).to.include({ code: 'APPROVAL_EXPIRED' });
      expect(mortal.events.map(({ type }) => type)).to.deep.equal(['approval.decided', 'step.failed', 'run.finished']);
    });
  }

  it('S4: is not told of what was rolled back', async () => {
    const { mortal, run, approval } = await waitingRun(world);
    mortal.events.length = 0;
    world.sql().exec(`CREATE TRIGGER no BEFORE UPDATE ON holdpoint_approvals BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const decided = mortal.runtime.client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    expect(await rejection(decided)).to.be.instanceOf(StoreError);
    expect(mortal.events).to.deep.equal([]);
    expect((await recorded({ mortal, run, approval, sent: [] })).length).to.equal(run.eventCount);
  });
});
