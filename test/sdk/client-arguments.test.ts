import { expect } from 'chai';
import { InvalidArgumentError, InvalidJsonError, type Client } from 'holdpoint';
import { rejection, World } from '../support/world.js';
import { dump } from '../core/store/driver.js';
import { waitingRun } from '../core/store/waiting.js';

const HASH = '0'.repeat(64);
const BY = { hash: HASH, by: 'ann' };
const LONG = 'x'.repeat(1001);

/** A call that is wrong in one argument, and that argument as its error names it. */
interface Wrong {
  readonly name: string;
  readonly value: unknown;
  readonly call: (client: Client) => Promise<unknown>;
}

/** The same call with each of these in the place of one argument. */
function each(
  name: string,
  values: readonly unknown[],
  call: (client: Client, value: never) => Promise<unknown>,
): Wrong[] {
  return values.map((value) => ({ name, value, call: (client) => call(client, value as never) }));
}

const NO_OBJECT = [undefined, null, 'text', 5, []];
const NO_OPTIONS = NO_OBJECT.slice(1);
const NO_ID = [undefined, null, '', 5, 'a b', 'a/b', 'é', 'x'.repeat(129)];
const NO_OPTIONAL_ID = NO_ID.slice(1);
const NO_HASH = [undefined, null, '', HASH.slice(1), `${HASH}0`, HASH.replace(/^0/, 'A'), 5];
const NO_TEXT = [undefined, null, '', '  ', 5, LONG, '\ud800'];
const NO_OPTIONAL_TEXT = ['', '  ', 5, LONG, '\ud800', {}];
const NO_LIMIT = [0, -1, 1.5, 1001, NaN, Infinity, '10', null];
const NO_CURSOR = [-1, 1.5, NaN, '3', null, Number.MAX_SAFE_INTEGER + 1];
const NO_MAX = [0, -1, 1.5, NaN, '5', true];
const LIMITS = ['maxSteps', 'maxFailures', 'maxRepeats', 'maxActiveMs', 'maxElapsedMs'];

function decisions(act: 'approve' | 'reject' | 'settle'): Wrong[] {
  const good = (act === 'settle' ? { ...BY, result: null } : BY) as typeof BY & { result: null };
  return [
    ...each('approvalId', NO_ID, (client, id) => client.approvals[act](id, good)),
    ...each('options', NO_OBJECT, (client, value) => client.approvals[act]('some', value)),
    ...each('options.who', ['ann'], (client, who) => client.approvals[act]('some', { ...good, who } as never)),
    ...each('hash', NO_HASH, (client, hash) => client.approvals[act]('some', { ...good, hash })),
    ...each('by', NO_TEXT, (client, by) => client.approvals[act]('some', { ...good, by })),
    ...each('note', NO_OPTIONAL_TEXT, (client, note) => client.approvals[act]('some', { ...good, note })),
  ];
}

const WRONG: Readonly<Record<string, readonly Wrong[]>> = {
  start: [
    ...each('agent', NO_TEXT, (client, value) => client.start(value, { goal: 'g' })),
    ...each('options', NO_OBJECT, (client, value) => client.start('clerk', value)),
    ...each('options.gaol', ['g'], (client, gaol) => client.start('clerk', { gaol } as never)),
    ...each('goal', [undefined, null, '', ' \n', 5, '\udc00'], (client, goal) => client.start('clerk', { goal })),
    ...each('id', NO_OPTIONAL_ID, (client, id) => client.start('clerk', { goal: 'g', id })),
    ...each('limits', NO_OPTIONS, (client, limits) => client.start('clerk', { goal: 'g', limits })),
    ...each('limits.max', [5], (client, max) => client.start('clerk', { goal: 'g', limits: { max } as never })),
    ...LIMITS.flatMap((name) =>
      each(`limits.${name}`, NO_MAX, (client, max) => client.start('clerk', { goal: 'g', limits: { [name]: max } })),
    ),
  ],
  cancel: [
    ...each('runId', NO_ID, (client, id) => client.cancel(id, { by: 'ann' })),
    ...each('options', NO_OBJECT, (client, value) => client.cancel('waiting', value)),
    ...each('by', NO_TEXT, (client, by) => client.cancel('waiting', { by })),
    ...each('reason', NO_OPTIONAL_TEXT, (client, reason) => client.cancel('waiting', { by: 'ann', reason })),
  ],
  verify: [
    ...each('options', NO_OPTIONS, (client, value) => client.verify(value)),
    ...each('options.run', ['waiting'], (client, run) => client.verify({ run } as never)),
    ...each('runId', NO_OPTIONAL_ID, (client, runId) => client.verify({ runId })),
    ...each('head', NO_HASH.slice(1), (client, head) => client.verify({ runId: 'waiting', head })),
    ...each('runId', [undefined], (client) => client.verify({ head: HASH })),
  ],
  'runs.get': each('runId', NO_ID, (client, id) => client.runs.get(id)),
  'runs.export': each('runId', NO_ID, (client, id) => client.runs.export(id).next()),
  'runs.steps': each('runId', NO_ID, (client, id) => client.runs.steps(id)),
  'runs.events': [
    ...each('runId', NO_ID, (client, id) => client.runs.events(id)),
    ...each('options', NO_OPTIONS, (client, value) => client.runs.events('waiting', value)),
    ...each('options.before', [1], (client, before) => client.runs.events('waiting', { before } as never)),
    ...each('after', NO_CURSOR, (client, after) => client.runs.events('waiting', { after })),
    ...each('limit', NO_LIMIT, (client, limit) => client.runs.events('waiting', { limit })),
  ],
  'runs.list': [
    ...each('options', NO_OPTIONS, (client, value) => client.runs.list(value)),
    ...each('options.state', ['WAITING'], (client, state) => client.runs.list({ state } as never)),
    ...each('status', ['waiting', '', 5, null, 'constructor'], (client, status) => client.runs.list({ status })),
    ...each('agent', ['', 5, null, LONG], (client, agent) => client.runs.list({ agent })),
    ...each('after', NO_CURSOR, (client, after) => client.runs.list({ after })),
    ...each('limit', NO_LIMIT, (client, limit) => client.runs.list({ limit })),
  ],
  'approvals.get': each('approvalId', NO_ID, (client, id) => client.approvals.get(id)),
  'approvals.list': [
    ...each('options', NO_OPTIONS, (client, value) => client.approvals.list(value)),
    ...each('options.agent', ['clerk'], (client, agent) => client.approvals.list({ agent } as never)),
    ...each('status', ['PENDING', 5, null], (client, status) => client.approvals.list({ status })),
    ...each('runId', NO_OPTIONAL_ID, (client, runId) => client.approvals.list({ runId })),
    ...each('after', NO_CURSOR, (client, after) => client.approvals.list({ after })),
    ...each('limit', NO_LIMIT, (client, limit) => client.approvals.list({ limit })),
  ],
  'approvals.approve': [
    ...decisions('approve'),
    ...each('options.result', [1], (client, result) => client.approvals.approve('some', { ...BY, result } as never)),
  ],
  'approvals.reject': decisions('reject'),
  'approvals.settle': decisions('settle'),
};

describe('a client, asked wrongly', () => {
  let world: World;
  let client: Client;
  beforeEach(async () => {
    world = new World();
    await (await waitingRun(world)).mortal.runtime.close();
    client = await world.client();
  });
  afterEach(() => world.close());

  for (const [method, wrong] of Object.entries(WRONG)) {
    it(`${method}: rejects with the name of the argument that is wrong, and changes nothing`, async () => {
      const before = dump(world.sql());
      for (const { name, value, call } of wrong) {
        const title = `${name} = ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
        const error = await rejection(call(client));
        expect(error, title).to.be.instanceOf(InvalidArgumentError);
        expect(error.message.startsWith(`${name} `), `${title}: ${error.message}`).to.be.true;
      }
      expect(dump(world.sql())).to.deep.equal(before);
    });
  }

  it('S8: approvals.settle: refuses a result that JSON cannot hold, by its path', async () => {
    const result = { paid: { at: new Date(0) } } as never;
    const error = await rejection(client.approvals.settle('some', { ...BY, result }));
    expect(error).to.be.instanceOf(InvalidJsonError);
    expect(error).to.have.property('path', 'result.paid.at');
  });

  it('a short text may have a thousand characters, an id 128', async () => {
    const id = 'a.B-1_:'.padEnd(128, 'x');
    const run = await client.start('clerk', { goal: LONG.repeat(10), id });
    expect([run.id, run.goal.length]).to.deep.equal([id, 10_010]);
    const cancelled = await client.cancel(id, { by: LONG.slice(1), reason: LONG.slice(1) });
    expect(cancelled.message).to.equal(`${LONG.slice(1)}: ${LONG.slice(1)}`);
  });
});
