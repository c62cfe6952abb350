import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { LeaseLostError, requireApproval, StoreError, type HoldpointError } from 'holdpoint';
import { systemClock } from '../../../core/clock.js';
import { hangingCall } from '../../support/agents.js';
import { Child } from '../../support/child.js';
import { crashInTool, mailer, outside, waitingApproval, type Outside } from '../../support/crash.js';
import { rejection, trail, World } from '../../support/world.js';

const RACER = new URL('./racer.js', import.meta.url);
const DAY_MS = 86_400_000;

describe('cases from the field', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  it('F1: what happens to other runs leaves a call in flight alone', async () => {
    const { started, hang, act } = hangingCall();
    const busy = await world.open([mailer(seen, { act })]);
    const running = busy.runtime.start('mailer', { goal: 'g', id: 'busy' });
    await started.promise;
    const other = await world.open([mailer(outside())], { policy: () => requireApproval() });
    const paused = await other.runtime.start('mailer', { goal: 'g', id: 'other' });
    const { id, hash } = await waitingApproval(other, paused);
    await other.runtime.client.approvals.approve(id, { hash, by: 'ann' });
    await other.runtime.resume('other');
    await other.runtime.client.start('mailer', { goal: 'g', id: 'third' });
    await other.runtime.client.cancel('third', { by: 'ann' });
    await rejection(other.runtime.resume('busy'));
    hang.open('sent');
    expect((await running).status).to.equal('COMPLETED');
    const starts = (await trail(busy.runtime.client, 'busy')).filter((type) => type === 'step.tool_started');
    expect([starts.length, seen.calls.length]).to.deep.equal([1, 1]);
  });

  it('F4: two processes that start and resume the same 200 runs at once have each effect once', async () => {
    const effects = join(world.dir, 'effects.log');
    const runs = 200;
    const children = [0, 1].map(() => new Child(RACER, ['startMany', world.file, effects, '30000', `${runs}`]));
    for (const child of children) await child.next();
    for (const child of children) child.say({ go: true });
    const outcomes = await Promise.all(children.map((child) => child.next<{ outcome: string }>()));
    await Promise.all(children.map((child) => child.exited));
    for (const { outcome } of outcomes) expect(outcome).to.match(/^(RUN_EXISTS|RUN_LEASED|RUN_STATE| )+$/);
    const client = await world.client();
    expect(await client.runs.list({ status: 'COMPLETED', limit: 1000 })).to.have.length(runs);
    expect(existsSync(effects) && readFileSync(effects, 'utf8').trim().split('\n')).to.have.length(runs);
    expect(await client.verify()).to.include({ ok: true, runs });
  }).timeout(60_000);

  it('F5: a database that goes away during a takeover and comes back leaves no run RUNNING for ever', async () => {
    const { runId } = await crashInTool(world, seen);
    for (const writes of [0, 1]) {
      const next = await world.open([mailer(seen)]);
      const { transaction } = next.store;
      let left = writes;
      next.store.transaction = (work) => {
        left -= 1;
        return left >= 0 ? transaction(work) : Promise.reject(new StoreError('the database is gone'));
      };
      expect(await rejection(next.runtime.resume(runId))).to.include({ code: 'STORE' });
      world.expireLeases();
    }
    const last = await world.open([mailer(seen)]);
    expect((await last.runtime.resume(runId)).status).to.equal('WAITING');
    expect(seen.calls).to.have.length(1);
  });

  it('F6: a sweep over all runs leaves alone what its own process executes, and takes what dead ones left', async () => {
    const { runId: left } = await crashInTool(world, outside());
    const { started, hang, act } = hangingCall();
    const { runtime } = await world.open([mailer(seen, { act })]);
    const running = runtime.start('mailer', { goal: 'g', id: 'busy' });
    await started.promise;
    // Not even a lease that has run out meanwhile makes a run of one's own fair game.
    for (const pass of ['leased', 'lapsed']) {
      if (pass === 'lapsed') world.expireLeases();
      const before = await runtime.client.runs.events('busy');
      for (const { id, status } of await runtime.client.runs.list()) {
        const code = await runtime.resume(id).then(
          (run) => run.status,
          (error: unknown) => (error as HoldpointError).code,
        );
        expect([id, status, code]).to.deep.equal(
          {
            busy: ['busy', 'RUNNING', 'RUN_LEASED'],
            [left]: [left, pass === 'leased' ? 'RUNNING' : 'WAITING', 'WAITING'],
          }[id],
        );
      }
      expect(await runtime.client.runs.events('busy')).to.deep.equal(before);
    }
    hang.open('sent');
    // Its lease has lapsed: what came of the call is recorded, and nothing begun until it is resumed.
    expect(await rejection(running)).to.be.instanceOf(LeaseLostError);
    expect((await runtime.resume('busy')).status).to.equal('COMPLETED');
    expect(seen.calls).to.have.length(1);
  });

  it('F18: an approvalTtlMs of 30 days does not fire early', async () => {
    const options = { policy: () => requireApproval(), approvalTtlMs: 30 * DAY_MS };
    const { runtime } = await world.open([mailer(seen)], options);
    const { id } = await runtime.start('mailer', { goal: 'g' });
    world.clock.advance(30 * DAY_MS - 1);
    expect((await runtime.resume(id)).status).to.equal('WAITING');
    world.clock.advance(1);
    expect((await runtime.resume(id)).reason).to.equal('approval_expired');
  });

  it('L3: a database handle that somebody holds for two beats costs no lease', async () => {
    const ttlMs = 5_000;
    const act = () => {
      const sql = world.sql();
      const expiry = (): number => sql.prepare('SELECT lease_expires_at FROM holdpoint_runs').pluck().get() as number;
      const first = expiry();
      sql.exec('BEGIN IMMEDIATE');
      while (Date.now() < first - 0.3 * ttlMs);
      sql.exec('COMMIT');
      while (expiry() === first && Date.now() < first);
      return expiry() > first;
    };
    const options = { clock: systemClock, lease: { ttlMs } };
    const { runtime } = await world.open([mailer(seen, { act })], options);
    const run = await runtime.start('mailer', { goal: 'g' });
    expect(run.result).to.deep.equal({ kind: 'result', result: true });
  });

  it('L12, L8: a process that hangs past timeout and lease is taken over, and its result is not recorded', async () => {
    const ttlMs = 2_000;
    const effects = join(world.dir, 'effects.log');
    const successor = new Child(RACER, ['takeOver', world.file, effects, `${ttlMs}`, 'r']);
    await successor.next();
    const act = () => {
      successor.say({ go: true });
      const sql = world.sql();
      const status = () => sql.prepare('SELECT status FROM holdpoint_runs').pluck().get();
      const giveUp = Date.now() + 15 * ttlMs;
      // The event loop is blocked: only the other process can move the run.
      while (status() === 'RUNNING' && Date.now() < giveUp);
      return 'too late';
    };
    const build = { act, options: { timeoutMs: 200 } };
    const { runtime } = await world.open([mailer(seen, build)], { clock: systemClock, lease: { ttlMs } });
    const lost = await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }));
    expect(lost).to.be.instanceOf(LeaseLostError);
    expect(await successor.next()).to.deep.equal({ outcome: 'WAITING' });
    await successor.exited;
    expect(await trail(runtime.client, 'r')).to.not.include('step.tool_finished');
  });
});
