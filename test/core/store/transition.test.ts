import { expect } from 'chai';
import { InvalidJsonError, RunExistsError, RunStateError } from 'holdpoint';
import { event, type Change, type State } from '../../../core/model/moves/change.js';
import { loadState } from '../../../core/store/reads.js';
import type { Store } from '../../../core/store/store.js';
import { transition, write, type Committed } from '../../../core/store/transition.js';
import { rejection, World } from '../../support/world.js';
import { dump } from './driver.js';
import { approve, waitingRun, type Waiting } from './waiting.js';

const note = (text: unknown): Change => ({ run: {}, events: [event('model.failed', { text })] });

describe('a write of a run', () => {
  let world: World;
  let waiting: Waiting;
  let store: Store;
  beforeEach(async () => {
    world = new World();
    waiting = await waitingRun(world);
    ({ store } = waiting.mortal);
  });
  afterEach(() => world.close());

  const state = (): Promise<State> => store.read((sql) => loadState(store, sql, waiting.run.id));

  function commit(from: State, change: Change): Promise<Committed> {
    return store.transaction((sql) => write(store, sql, from, change, store.clock.now()));
  }

  /** What the change is refused with; fails the test if anything of it was written. */
  async function refused(from: State, change: Change): Promise<Error> {
    const before = dump(world.sql());
    const error = await rejection(commit(from, change));
    expect(dump(world.sql())).to.deep.equal(before);
    return error;
  }

  it('S2: commits the changed rows and the events that explain them in one transaction', async () => {
    const from = await state();
    const committed = await commit(from, note('a'));
    const fresh = await state();
    expect(fresh.run).to.deep.equal(committed.state.run);
    expect(fresh.run).to.include({ eventCount: from.run.eventCount + 1, headHash: committed.events[0]?.hash });
    const [last] = (await waiting.mortal.runtime.client.runs.events(fresh.run.id)).slice(-1);
    expect(last).to.deep.equal(committed.events[0]);
  });

  it('S5, F8: is refused, and writes nothing, if the run has got an event since it was read', async () => {
    const stale = await state();
    await commit(stale, note('first'));
    const error = await refused(stale, note('second'));
    expect(error).to.be.instanceOf(RunStateError);
    expect(error.message).to.match(/cannot record model\.failed on run waiting: .*nothing was changed/);
  });

  it('S5, F8: is refused, and writes nothing, if the run is in another status', async () => {
    const from = await state();
    const stale: State = { ...from, run: { ...from.run, status: 'RUNNING' } };
    expect(await refused(stale, note('a'))).to.be.instanceOf(RunStateError);
  });

  it('S5, F8: is refused, and writes nothing, if there is no such run', async () => {
    const from = await state();
    expect(await refused({ ...from, run: { ...from.run, id: 'gone' } }, note('a'))).to.be.instanceOf(RunStateError);
  });

  it('S5, F8: is refused as a whole if its step is in another status', async () => {
    const from = await state();
    const set = { status: 'failed', observation: { kind: 'run_ended', reason: 'tool_abort' } } as const;
    const change: Change = { ...note('a'), step: { kind: 'update', id: from.step!.id, from: 'executing', set } };
    expect(await refused(from, change)).to.be.instanceOf(RunStateError);
  });

  it('S5, F8: is refused as a whole if its approval is in another status', async () => {
    const from = await state();
    const spend = { kind: 'update', id: from.approval!.id, from: 'approved', set: { status: 'spent' } } as const;
    expect(await refused(from, { ...note('a'), approvals: [spend] })).to.be.instanceOf(RunStateError);
  });

  it('S5: of two writers that read the same state exactly one wins', async () => {
    const from = await state();
    const both = await Promise.allSettled([commit(from, note('one')), commit(from, note('other'))]);
    expect(both.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected']);
    expect((await state()).run.eventCount).to.equal(from.run.eventCount + 1);
  });

  it('S8: is refused as a whole if an event of it is not JSON', async () => {
    const from = await state();
    const set = { status: 'awaiting_approval' } as const;
    const change: Change = {
      ...note(NaN),
      step: { kind: 'update', id: from.step!.id, from: 'awaiting_approval', set },
    };
    const error = await refused(from, change);
    expect(error).to.be.instanceOf(InvalidJsonError);
    expect(error).to.have.property('path', 'model.failed.text');
  });

  it('S5: an error of the move rolls back, and is the caller’s own', async () => {
    const before = dump(world.sql());
    const failure = new Error('not now');
    const move = (): never => {
      throw failure;
    };
    expect(await rejection(transition(store, waiting.run.id, move))).to.equal(failure);
    expect(dump(world.sql())).to.deep.equal(before);
  });

  it('S5: a run whose id is taken is refused, and the one that has it is not touched', async () => {
    const before = dump(world.sql());
    const { runtime } = waiting.mortal;
    const starts = [
      runtime.start('clerk', { goal: 'x', id: 'waiting' }),
      runtime.client.start('clerk', { goal: 'x', id: 'waiting' }),
    ];
    for (const error of await Promise.all(starts.map(rejection))) expect(error).to.be.instanceOf(RunExistsError);
    expect(dump(world.sql())).to.deep.equal(before);
  });

  it('S3: does not read the events: with all of them gone, the run goes on just the same', async () => {
    const control = { ...(await waitingRun(world, {}, 'control')), mortal: waiting.mortal };
    world.sql().prepare('DELETE FROM holdpoint_events WHERE run_id = ?').run(waiting.run.id);
    const outcomes = [];
    for (const one of [waiting, control]) {
      await approve(one);
      const { status, reason, result, stepCount, eventCount } = await one.mortal.runtime.resume(one.run.id);
      outcomes.push({ status, reason, result, stepCount, eventCount });
    }
    expect(outcomes[0]).to.deep.equal(outcomes[1]);
    expect(outcomes[0]).to.include({ status: 'COMPLETED', result: 'sent' });
    expect(waiting.sent).to.deep.equal(['a letter', 'a letter']);
  });
});

describe('lists', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  it('S10: follow insertion, though ids and times run backwards', async () => {
    const ids = ['c', 'a', 'd', 'b'];
    const approvals = [];
    for (const id of ids) {
      const { mortal, approval } = await waitingRun(world, { ids: countingDown(id) }, id);
      approvals.push(approval.id);
      await mortal.runtime.close();
      world.clock.setWall(world.clock.now() - 60_000);
    }
    expect(approvals).not.to.deep.equal(approvals.toSorted());
    const client = await world.client();
    expect((await client.runs.list()).map((run) => run.id)).to.deep.equal(ids);
    expect((await client.approvals.list()).map((approval) => approval.id)).to.deep.equal(approvals);
    const seqs = (await client.runs.list()).map((run) => run.seq);
    expect(seqs).to.deep.equal(seqs.toSorted((a, b) => a - b));
  });

  it('S10: are paged by the place of insertion, filtered or not', async () => {
    const { mortal } = await waitingRun(world, {}, 'first');
    const { client } = mortal.runtime;
    for (const id of ['z', 'y', 'x', 'w']) await client.start(id === 'y' ? 'other' : 'clerk', { goal: 'later', id });
    const paged = async (filter: object): Promise<string[]> => {
      const pages: string[] = [];
      let after = 0;
      for (;;) {
        const page = await client.runs.list({ ...filter, after, limit: 2 });
        if (page.length === 0) return pages;
        pages.push(page.map(({ id }) => id).join('+'));
        after = page.at(-1)!.seq;
      }
    };
    expect(await paged({})).to.deep.equal(['first+z', 'y+x', 'w']);
    expect(await paged({ status: 'PENDING', agent: 'clerk' })).to.deep.equal(['z+x', 'w']);
  });

  it('S10: the events of a run are in its order, and their places in the store rise with it', async () => {
    const { mortal, run } = await waitingRun(world);
    const events = await mortal.runtime.client.runs.events(run.id);
    expect(events.map(({ index }) => index)).to.deep.equal(events.map((_, at) => at + 1));
    expect(events.map(({ seq }) => seq)).to.deep.equal(events.map(({ seq }) => seq).toSorted((a, b) => a - b));
    const later = await mortal.runtime.client.runs.events(run.id, { after: 3, limit: 2 });
    expect(later).to.deep.equal(events.slice(3, 5));
  });
});

/** Ids of one runtime, each of which sorts before the one before it. */
function countingDown(prefix: string): () => string {
  let left = 1000;
  return () => {
    left -= 1;
    return `${prefix}-${left}`;
  };
}
