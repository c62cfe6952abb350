import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import {
  Agent,
  ClosedError,
  DEFAULT_LIMITS,
  DefinitionError,
  InvalidArgumentError,
  NotFoundError,
  Runtime,
  type Class,
} from 'holdpoint';
import { agentClass, Gate, scripted, toolClass } from '../support/agents.js';
import { rejection, World } from '../support/world.js';
import { dump } from '../core/store/driver.js';

const AGENT = scripted('noop', [], [{ kind: 'complete', result: 1 }]);

class Undeclared {
  decide(): null {
    return null;
  }
}

class Undecided {
  readonly nothing = null;
}
// As JavaScript may: TypeScript refuses it.
(Agent({ name: 'undecided', tools: [] }) as (cls: unknown) => void)(Undecided);

/** Options that are wrong in one place, and that place as the error names it. */
const WRONG: readonly (readonly [name: string, options: Readonly<Record<string, unknown>>])[] = [
  ['options.agent', { agent: AGENT }],
  ['options.worker', { worker: true }],
  ...[undefined, null, AGENT, { 0: AGENT }].map((agents) => ['agents', { agents }] as const),
  ...(['provide', 'policy', 'observer', 'ids'] as const).flatMap((name) =>
    [null, 5, 'x', {}].map((value) => [name, { [name]: value }] as const),
  ),
  ...[null, 5, [], 'x'].map((limits) => ['limits', { limits }] as const),
  ['limits.maxStep', { limits: { maxStep: 1 } }],
  ...Object.keys(DEFAULT_LIMITS).flatMap((name) =>
    [0, -1, 1.5, '5', NaN].map((max) => [`limits.${name}`, { limits: { [name]: max } }] as const),
  ),
  ...[null, 5, [], 'web'].map((lease) => ['lease', { lease }] as const),
  ['lease.ttl', { lease: { ttl: 5000 } }],
  ...[null, 5, 'x', {}].map((clock) => ['clock', { clock }] as const),
  ...[99, 86_400_001, 100.5, '5000', null, NaN].map((ttlMs) => ['lease.ttlMs', { lease: { ttlMs } }] as const),
  ...['', 'a b', 5, null, 'x'.repeat(129)].map((owner) => ['lease.owner', { lease: { owner } }] as const),
  ...(['approvalTtlMs', 'grantTtlMs'] as const).flatMap((name) =>
    [0, -1, 1.5, '5', NaN, Infinity].map((value) => [name, { [name]: value }] as const),
  ),
  ...[undefined, null, '', 5].map((store) => ['store:', { store }] as const),
];

describe('opening a runtime', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  it('rejects with the name of the option that is wrong, and creates nothing', async () => {
    for (const [name, options] of WRONG) {
      const error = await rejection(Runtime.open({ store: world.file, agents: [AGENT], ...options }));
      expect(error, `${name}: ${error.message}`).to.be.instanceOf(InvalidArgumentError);
      expect(error.message.startsWith(`${name} `), error.message).to.be.true;
    }
    for (const options of [undefined, null, 'runs.db', [AGENT]]) {
      const error = await rejection(Runtime.open(options as never));
      expect(error.message).to.match(/^options must be an object with store, agents/);
    }
    expect(readdirSync(world.dir)).to.deep.equal([]);
  });

  const DECLARED_WRONGLY: readonly (readonly [title: string, agents: unknown[], says: RegExp])[] = [
    ['a class that is no agent', [AGENT, Undeclared], /Undeclared/],
    ['an agent that does not decide', [Undecided], /Undecided/],
    ['what is no class', [AGENT, { name: 'x' }], /agents/],
    ['two agents of one name', [AGENT, scripted('noop', [], [])], /noop/],
    ['a tool that is no tool', [scripted('a', [Undeclared], [])], /Undeclared/],
  ];

  for (const [title, agents, says] of DECLARED_WRONGLY) {
    it(`refuses ${title} before anything is opened`, async () => {
      const error = await rejection(Runtime.open({ store: world.file, agents: agents as Class[] }));
      expect(error).to.be.instanceOf(DefinitionError);
      expect(error.message).to.match(says);
      expect(readdirSync(world.dir)).to.deep.equal([]);
    });
  }

  it('takes the longest and the shortest of what it takes', async () => {
    const big = Number.MAX_SAFE_INTEGER;
    const lease = { ttlMs: 86_400_000, owner: 'x'.repeat(128) };
    const limits = { maxSteps: 1, maxActiveMs: big, maxElapsedMs: null };
    const { runtime } = await world.open([AGENT], { lease, limits, approvalTtlMs: big, grantTtlMs: 1 });
    expect((await runtime.start(AGENT, { goal: 'g' })).limits).to.deep.equal({ ...DEFAULT_LIMITS, ...limits });
    await world.open([AGENT], { lease: { ttlMs: 100 } });
  });

  it('closes the store again if the tools cannot be recorded', async () => {
    await (await world.open([AGENT])).runtime.close();
    world.sql().exec('DROP TABLE holdpoint_tool_specs');
    const look = toolClass(true, { name: 'look' }, () => null);
    const error = await rejection(world.open([scripted('looker', [look], [])]));
    expect(error.message).to.match(/cannot write to .*no such table: holdpoint_tool_specs/);
  });
});

describe('a runtime, asked wrongly', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  it('rejects with the name of the argument that is wrong, and creates nothing', async () => {
    const { runtime } = await world.open([AGENT]);
    const before = dump(world.sql());
    const wrong: readonly (readonly [name: string, call: () => Promise<unknown>])[] = [
      ['options', () => runtime.start(AGENT, undefined as never)],
      ['options.limit', () => runtime.start(AGENT, { goal: 'g', limit: 1 } as never)],
      ['goal', () => runtime.start(AGENT, { goal: '' })],
      ['id', () => runtime.start(AGENT, { goal: 'g', id: 'a b' })],
      ['limits.maxSteps', () => runtime.start(AGENT, { goal: 'g', limits: { maxSteps: 0 } })],
      ['runId', () => runtime.resume('')],
      ['runId', () => runtime.resume(undefined as never)],
    ];
    for (const [name, call] of wrong) {
      const error = await rejection(call());
      expect(error, name).to.be.instanceOf(InvalidArgumentError);
      expect(error.message.startsWith(`${name} `), error.message).to.be.true;
    }
    expect(dump(world.sql())).to.deep.equal(before);
  });

  it('starts no agent that it was not opened with, and says which those are', async () => {
    const { runtime } = await world.open([AGENT]);
    const before = dump(world.sql());
    for (const agent of ['other', '', Undeclared, scripted('noop', [], []), undefined, 5]) {
      const error = await rejection(runtime.start(agent as never, { goal: 'g' }));
      expect(error).to.be.instanceOf(NotFoundError);
      expect(error).to.have.property('kind', 'agent');
    }
    expect((await rejection(runtime.start('other', { goal: 'g' }))).message).to.match(/opened with noop/);
    expect(dump(world.sql())).to.deep.equal(before);
  });

  it('resumes no run that is not there, and none of an agent that it was not opened with', async () => {
    const { runtime } = await world.open([AGENT]);
    expect(await rejection(runtime.resume('nobody'))).to.include({ code: 'NOT_FOUND', kind: 'run', id: 'nobody' });
    await runtime.client.start('other', { goal: 'g', id: 'others' });
    const before = dump(world.sql());
    expect(await rejection(runtime.resume('others'))).to.include({ code: 'NOT_FOUND', kind: 'agent', id: 'other' });
    expect(dump(world.sql())).to.deep.equal(before);
  });

  it('starts an agent by its class or by its name', async () => {
    const { runtime } = await world.open([AGENT]);
    const runs = [await runtime.start(AGENT, { goal: 'g' }), await runtime.start('noop', { goal: 'g' })];
    expect(runs.map(({ agent, status, result }) => [agent, status, result])).to.deep.equal([
      ['noop', 'COMPLETED', 1],
      ['noop', 'COMPLETED', 1],
    ]);
  });
});

describe('closing a runtime', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  it('is for good: it starts and resumes nothing more, and closing again is no error', async () => {
    const { runtime } = await world.open([AGENT]);
    await Promise.all([runtime.close(), runtime.close()]);
    await runtime.close();
    expect(await rejection(runtime.start(AGENT, { goal: 'g' }))).to.be.instanceOf(ClosedError);
    expect(await rejection(runtime.resume('some'))).to.be.instanceOf(ClosedError);
  });

  it('is done at the end of its block', async () => {
    let inside: Runtime;
    {
      await using runtime = await Runtime.open({ store: world.file, agents: [AGENT] });
      inside = runtime;
      expect((await runtime.start(AGENT, { goal: 'g' })).status).to.equal('COMPLETED');
    }
    expect(await rejection(inside.start(AGENT, { goal: 'g' }))).to.be.instanceOf(ClosedError);
  });

  it('refuses what is asked while it closes, and waits for what it was asked before', async () => {
    const asked = new Gate();
    const answer = new Gate<unknown>();
    const slow = agentClass('slow', [], () => {
      asked.open();
      return answer.promise;
    });
    const { runtime } = await world.open([slow]);
    const running = runtime.start('slow', { goal: 'g' });
    await asked.promise;
    const closing = runtime.close();
    expect(await rejection(runtime.start('slow', { goal: 'g' }))).to.be.instanceOf(ClosedError);
    answer.open({ kind: 'complete' });
    expect((await running).status).to.equal('COMPLETED');
    await closing;
    expect(await (await world.client()).runs.list()).to.have.length(1);
  });
});
