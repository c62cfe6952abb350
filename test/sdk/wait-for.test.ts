import { expect } from 'chai';
import { ClosedError, InvalidArgumentError, NotFoundError, type Client } from 'holdpoint';
import { approve, waitingRun, type Waiting } from '../core/store/waiting.js';
import { rejection, World } from '../support/world.js';

describe('waiting for a run', () => {
  let world: World;
  let waiting: Waiting;
  let client: Client;
  beforeEach(async () => {
    world = new World();
    waiting = await waitingRun(world);
    client = await world.client();
  });
  afterEach(() => world.close());

  it('A6: ends where a person is asked', async () => {
    expect(await client.waitFor('waiting')).to.include({ id: 'waiting', status: 'WAITING' });
  });

  it('ends where the run has ended', async () => {
    await client.cancel('waiting', { by: 'ann' });
    expect(await client.waitFor('waiting')).to.include({ status: 'CANCELLED' });
  });

  it('goes on while the run is decided and not resumed yet, until another process has ended it', async () => {
    await approve(waiting);
    const ended = client.waitFor('waiting');
    const first = await Promise.race([ended.then(() => 'ended'), polled(client).then(() => 'polled')]);
    expect(first).to.equal('polled');
    await waiting.mortal.runtime.resume('waiting');
    expect(await ended).to.include({ status: 'COMPLETED', result: 'sent' });
  });

  it('A6: gives no run that was decided and taken on before it was read', async () => {
    const { get } = client.runs;
    client.runs.get = async (id) => {
      client.runs.get = get;
      await approve(waiting);
      world.sql().exec(`UPDATE holdpoint_runs SET status = 'RUNNING' WHERE id = 'waiting'`);
      const run = await get.call(client.runs, id);
      world.sql().exec(`UPDATE holdpoint_runs SET status = 'WAITING' WHERE id = 'waiting'`);
      await waiting.mortal.runtime.resume('waiting');
      return run;
    };
    expect(await client.waitFor('waiting')).to.include({ status: 'COMPLETED' });
  });

  it('goes on while nobody has started the run', async () => {
    await client.start('clerk', { goal: 'later', id: 'later' });
    const paused = client.waitFor('later');
    await waiting.mortal.runtime.resume('later');
    expect(await paused).to.include({ status: 'WAITING' });
  });

  it('rejects with the reason of its signal, before or while it waits', async () => {
    await client.start('clerk', { goal: 'never', id: 'never' });
    const reason = new Error('the operator went home');
    expect(await rejection(client.waitFor('never', { signal: AbortSignal.abort(reason) }))).to.equal(reason);
    const stop = new AbortController();
    const waited = client.waitFor('never', { signal: stop.signal });
    await polled(client);
    stop.abort(reason);
    expect(await rejection(waited)).to.equal(reason);
  });

  it('rejects where there is no such run, where the client is closed, and what is no signal', async () => {
    expect(await rejection(client.waitFor('nobody'))).to.be.instanceOf(NotFoundError);
    expect(await rejection(client.waitFor('waiting', { signal: 5 } as never))).to.be.instanceOf(InvalidArgumentError);
    await client.start('clerk', { goal: 'never', id: 'never' });
    const waited = rejection(client.waitFor('never'));
    await client.close();
    expect(await waited).to.be.instanceOf(ClosedError);
  });
});

/** Resolves once the client's store has been looked at a few times more. */
async function polled(client: Client): Promise<void> {
  const { store } = client as unknown as { store: { read(work: unknown): Promise<unknown> } };
  const read = store.read.bind(store);
  await new Promise<void>((resolve) => {
    let looks = 0;
    store.read = (work) => {
      looks += 1;
      if (looks === 3) resolve();
      return read(work);
    };
  });
  store.read = read;
}
