import { expect } from 'chai';
import { Client, ClosedError, DEFAULT_LIMITS, InvalidArgumentError, NotFoundError, RunStateError } from 'holdpoint';
import { rejection, World } from '../support/world.js';
import { dump } from '../core/store/driver.js';
import { waitingRun, type Waiting } from '../core/store/waiting.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const HASH = '0'.repeat(64);
const BY = { hash: HASH, by: 'ann' };

/** One call of everything that a client can do. */
const CALLS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  start: (client) => client.start('clerk', { goal: 'g' }),
  cancel: (client) => client.cancel('nobody', { by: 'ann' }),
  waitFor: (client) => client.waitFor('nobody'),
  verify: (client) => client.verify(),
  'verify of one run': (client) => client.verify({ runId: 'nobody' }),
  'runs.get': (client) => client.runs.get('nobody'),
  'runs.list': (client) => client.runs.list(),
  'runs.steps': (client) => client.runs.steps('nobody'),
  'runs.events': (client) => client.runs.events('nobody'),
  'runs.export': (client) => client.runs.export('nobody').next(),
  'approvals.get': (client) => client.approvals.get('nobody'),
  'approvals.list': (client) => client.approvals.list(),
  'approvals.approve': (client) => client.approvals.approve('nobody', BY),
  'approvals.reject': (client) => client.approvals.reject('nobody', BY),
  'approvals.settle': (client) => client.approvals.settle('nobody', { ...BY, result: 1 }),
};

/** Those of them that name something. */
const NAMING = Object.entries(CALLS).filter(([, call]) => call.toString().includes('nobody'));

describe('a client', () => {
  let world: World;
  let waiting: Waiting;
  let client: Client;
  beforeEach(async () => {
    world = new World();
    waiting = await waitingRun(world);
    client = await world.client();
  });
  afterEach(() => world.close());

  it('creates a run that nobody executes yet', async () => {
    const run = await client.start('clerk', { goal: 'later' });
    expect(run).to.include({ agent: 'clerk', goal: 'later', status: 'PENDING', lease: null, stepCount: 0 });
    expect(run.id).to.match(UUID_V7);
    expect(run.limits).to.deep.equal(DEFAULT_LIMITS);
    expect(await client.runs.get(run.id)).to.deep.equal(run);
    expect((await waiting.mortal.runtime.resume(run.id)).status).to.equal('WAITING');
  });

  it('P5: creates it with the limits that it is given, over those of its runtime', async () => {
    const given = { maxSteps: 7, maxRepeats: null };
    expect((await client.start('clerk', { goal: 'g', limits: given })).limits).to.deep.equal({
      ...DEFAULT_LIMITS,
      ...given,
    });
    const { runtime } = await world.open([], { limits: { maxSteps: 9, maxElapsedMs: 5 } });
    const run = await runtime.client.start('clerk', {
      goal: 'g',
      limits: { maxSteps: 7, maxFailures: undefined as never },
    });
    expect(run.limits).to.deep.equal({ ...DEFAULT_LIMITS, maxSteps: 7, maxElapsedMs: 5 });
  });

  it('lists runs by status and agent, and approvals by status and run', async () => {
    await client.start('other', { goal: 'g', id: 'pending' });
    const ids = async (filter: Parameters<Client['runs']['list']>[0]): Promise<string[]> =>
      (await client.runs.list(filter)).map(({ id }) => id);
    expect(await ids({})).to.deep.equal(['waiting', 'pending']);
    expect(await ids({ status: 'WAITING' })).to.deep.equal(['waiting']);
    expect(await ids({ agent: 'other' })).to.deep.equal(['pending']);
    expect(await ids({ agent: 'other', status: 'WAITING' })).to.deep.equal([]);
    const approvals = async (filter: Parameters<Client['approvals']['list']>[0]): Promise<number> =>
      (await client.approvals.list(filter)).length;
    expect(await approvals({ status: 'pending', runId: 'waiting' })).to.equal(1);
    expect(await approvals({ status: 'spent' })).to.equal(0);
    expect(await approvals({ runId: 'pending' })).to.equal(0);
  });

  it('S10: lists a hundred entries unless told otherwise, and a thousand at most', async () => {
    for (let n = 0; n < 105; n += 1) await client.start('clerk', { goal: 'g' });
    expect(await client.runs.list()).to.have.length(100);
    expect(await client.runs.list({ limit: 1000 })).to.have.length(106);
    expect(await client.runs.events('waiting', { limit: 3 })).to.have.length(3);
  });

  it('cancels with who and why, and only what has not ended', async () => {
    const run = await client.cancel('waiting', { by: 'ann', reason: 'a mistake' });
    expect(run).to.include({ status: 'CANCELLED', reason: 'operator_cancelled', message: 'ann: a mistake' });
    const before = dump(world.sql());
    const error = await rejection(client.cancel('waiting', { by: 'bob' }));
    expect(error).to.be.instanceOf(RunStateError);
    expect(error.message).to.match(
      /cannot cancel run waiting: it is CANCELLED \(operator_cancelled\); nothing was changed/,
    );
    expect(dump(world.sql())).to.deep.equal(before);
  });

  for (const [name, call] of NAMING) {
    it(`${name}: says what is not there, and changes nothing`, async () => {
      const before = dump(world.sql());
      const error = await rejection(call(client));
      expect(error).to.be.instanceOf(NotFoundError);
      expect(error).to.include({
        code: 'NOT_FOUND',
        kind: name.startsWith('approvals') ? 'approval' : 'run',
        id: 'nobody',
      });
      expect(dump(world.sql())).to.deep.equal(before);
    });
  }

  it('is closed for good: every call rejects with ClosedError, and closing again is no error', async () => {
    await Promise.all([client.close(), client.close()]);
    await client.close();
    for (const [name, call] of Object.entries(CALLS)) {
      expect(await rejection(call(client)), name).to.be.instanceOf(ClosedError);
    }
  });

  it('is closed at the end of its block', async () => {
    let inside: Client;
    {
      await using opened = await Client.open({ store: world.file });
      inside = opened;
      expect(await inside.runs.list()).to.have.length(1);
    }
    expect(await rejection(inside.runs.list())).to.be.instanceOf(ClosedError);
  });

  it('of a runtime closes with it, and does not close it', async () => {
    const { runtime } = waiting.mortal;
    await runtime.client.close();
    expect((await runtime.client.runs.get('waiting')).status).to.equal('WAITING');
    expect((await runtime.resume('waiting')).status).to.equal('WAITING');
    await runtime.close();
    for (const [name, call] of Object.entries(CALLS)) {
      expect(await rejection(call(runtime.client)), name).to.be.instanceOf(ClosedError);
    }
  });
});

describe('opening a client', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  const WRONG: readonly (readonly [name: string, options: unknown])[] = [
    ['options', undefined],
    ['options', null],
    ['options', 'runs.db'],
    ['options', []],
    ['options.agents', { store: 'runs.db', agents: [] }],
    ['store:', {}],
    ['store:', { store: null }],
    ['clock', { store: 'runs.db', clock: 5 }],
    ['clock', { store: 'runs.db', clock: null }],
    ['clock', { store: 'runs.db', clock: { now: () => 0 } }],
  ];

  it('rejects with the name of the option that is wrong', async () => {
    for (const [name, options] of WRONG) {
      const error = await rejection(Client.open(options as never));
      expect(error, name).to.be.instanceOf(InvalidArgumentError);
      expect(error.message.startsWith(`${name} `), error.message).to.be.true;
    }
  });

  it('takes TypeORM’s options as well as a path', async () => {
    await (await world.open([])).runtime.close();
    await using client = await Client.open({ store: { type: 'better-sqlite3', database: world.file } });
    expect(await client.runs.list()).to.deep.equal([]);
  });
});
