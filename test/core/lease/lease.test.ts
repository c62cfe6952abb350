import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { LeaseLostError, requireApproval, type Class, type Run, type ToolCall } from 'holdpoint';
import { systemClock } from '../../../core/clock.js';
import { RENEW_SQL } from '../../../core/lease/renew.js';
import { Gate, hangingCall } from '../../support/agents.js';
import { crashInTool, mailer, outside, type Outside } from '../../support/crash.js';
import { rejection, trail, TTL_MS, World } from '../../support/world.js';

interface LeaseRow {
  readonly status: string;
  readonly lease_owner: string | null;
  readonly lease_expires_at: number | null;
}

describe('the lease of a run', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  function row(): LeaseRow {
    return world.sql().prepare('SELECT status, lease_owner, lease_expires_at FROM holdpoint_runs').get() as LeaseRow;
  }

  it('L1: is on the row while the run is RUNNING, and gone once it has finished', async () => {
    const during: LeaseRow[] = [];
    const { runtime } = await world.open([mailer(seen, { act: () => void during.push(row()) })]);
    await runtime.start('mailer', { goal: 'g' });
    expect(during[0]?.status).to.equal('RUNNING');
    expect(during[0]?.lease_owner).to.match(/^test-[0-9a-f]{12}$/);
    expect(during[0]?.lease_expires_at).to.equal(world.clock.now() + TTL_MS);
    expect(row()).to.deep.include({ status: 'COMPLETED', lease_owner: null, lease_expires_at: null });
  });

  it('L1: is taken in the transaction of run.started, and released in the one that pauses', async () => {
    const { runtime, dieAfter } = await world.open([mailer(seen)], {
      policy: () => ({ kind: 'require_approval', approval: {} }),
    });
    dieAfter(1);
    await rejection(runtime.start('mailer', { goal: 'g', id: 'a' }));
    expect(row().lease_owner).to.be.a('string');
    expect(await trail(runtime.client, 'a')).to.deep.equal(['run.created', 'run.started']);
    world.expireLeases();
    dieAfter(4);
    const run = await runtime.resume('a');
    expect([run.status, run.lease]).to.deep.equal(['WAITING', null]);
    expect(row().lease_owner).to.equal(null);
  });

  it('L2: is never shared by two runtimes that are configured alike', async () => {
    const { runId, dead } = await crashInTool(world, seen);
    const before = await dead.runtime.client.runs.get(runId);
    world.clock.advance(-TTL_MS);
    const next = await world.open([mailer(seen)]);
    const error = await rejection(next.runtime.resume(runId));
    expect(error).to.include({ code: 'RUN_LEASED', owner: before.lease?.owner });
    world.expireLeases();
    await next.runtime.resume(runId);
  });

  it('L4: a loop that stalled past its expiry starts nothing, though nobody took the run', async () => {
    const policy = () => {
      world.expireLeases();
      return { kind: 'allow' } as const;
    };
    const { runtime } = await world.open([mailer(seen)], { policy });
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.be.instanceOf(LeaseLostError);
    expect(seen.calls).to.have.length(0);
    expect(await trail(runtime.client, 'r')).to.not.include('step.tool_started');
  });

  it('L4: a process that was frozen between the commit and the call calls nothing', async () => {
    const { runtime } = await world.open([mailer(seen)], {
      observer: ({ type }) => {
        if (type === 'step.tool_started') world.expireLeases();
      },
    });
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.be.instanceOf(LeaseLostError);
    expect(seen.calls).to.have.length(0);
    const next = await world.open([mailer(seen)]);
    expect((await next.runtime.resume('r')).status).to.equal('WAITING');
  });

  it('L4: the same, if somebody has set the wall clock back meanwhile', async () => {
    const { runtime } = await world.open([mailer(seen)], {
      observer: ({ type }) => {
        if (type !== 'step.tool_started') return;
        const now = world.clock.now();
        world.expireLeases();
        world.clock.setWall(now);
      },
    });
    expect(await rejection(runtime.start('mailer', { goal: 'g' }))).to.be.instanceOf(LeaseLostError);
    expect(seen.calls).to.have.length(0);
  });

  it('L4: a result is still recorded after the expiry, as long as nobody took the run', async () => {
    const act = () => {
      world.clock.advance(TTL_MS - 1);
      world.clock.advance(2);
      return 'sent';
    };
    const { runtime } = await world.open([mailer(seen, { act })]);
    await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }));
    const steps = await runtime.client.runs.steps('r');
    expect(steps.map(({ observation }) => observation)).to.deep.equal([{ kind: 'result', result: 'sent' }]);
  });

  it('L6: refuses a run that another process holds, with owner and expiry, and changes nothing', async () => {
    const { runId, dead } = await crashInTool(world, seen);
    world.clock.advance(-TTL_MS);
    const before = await dead.runtime.client.runs.get(runId);
    const next = await world.open([mailer(seen)]);
    const error = await rejection(next.runtime.resume(runId));
    expect(error).to.deep.include({ code: 'RUN_LEASED', runId, expiresAt: new Date(before.lease?.expiresAt ?? 0) });
    expect(await next.runtime.client.runs.get(runId)).to.deep.equal(before);
    world.expireLeases();
  });

  it('L6: one runtime refuses a second start or resume of a run that it is executing', async () => {
    const hang = new Gate<unknown>();
    const started = new Gate();
    const act = () => {
      started.open();
      return hang.promise;
    };
    const { runtime } = await world.open([mailer(seen, { act })]);
    const running = runtime.start('mailer', { goal: 'g', id: 'r' });
    await started.promise;
    world.expireLeases();
    expect(await rejection(runtime.resume('r'))).to.include({ code: 'RUN_LEASED' });
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.include({ code: 'RUN_LEASED' });
    hang.open('sent');
    await rejection(running.then(() => Promise.reject(new Error('done'))));
    expect(seen.calls).to.have.length(1);
  });

  it('L7: takes the lease, records lease.taken_over and marks the step in flight, in one transaction', async () => {
    const { runId } = await crashInTool(world, seen);
    const next = await world.open([mailer(seen)]);
    next.dieAfter(0);
    await rejection(next.runtime.resume(runId));
    expect((await trail(next.runtime.client, runId)).at(-1)).to.equal('step.tool_started');
    next.dieAfter(1);
    await rejection(next.runtime.resume(runId));
    expect((await trail(next.runtime.client, runId)).slice(-2)).to.deep.equal(['lease.taken_over', 'step.interrupted']);
    expect((await next.runtime.client.runs.steps(runId))[0]?.status).to.equal('interrupted');
  });

  it("L8: the dead owner's late result is not recorded", async () => {
    const { started, hang, act } = hangingCall();
    const slow = await world.open([mailer(seen, { act })]);
    const rejected = rejection(slow.runtime.start('mailer', { goal: 'g', id: 'r' }));
    await started.promise;
    world.expireLeases();
    const next = await world.open([mailer(seen)]);
    await next.runtime.resume('r');
    const before = await trail(next.runtime.client, 'r');
    hang.open('sent after all');
    expect(await rejected).to.be.instanceOf(LeaseLostError);
    expect(await trail(next.runtime.client, 'r')).to.deep.equal(before);
    expect(before).to.not.include('step.tool_finished');
  });

  it('L8: nor is it if an operator has cancelled the run after the takeover', async () => {
    const { started, hang, act } = hangingCall();
    const slow = await world.open([mailer(seen, { act })]);
    const running = slow.runtime.start('mailer', { goal: 'g', id: 'r' });
    await started.promise;
    world.expireLeases();
    const next = await world.open([mailer(seen)]);
    await next.runtime.resume('r');
    await next.runtime.client.cancel('r', { by: 'ann' });
    hang.open('sent after all');
    expect((await running).status).to.equal('CANCELLED');
    expect(await trail(next.runtime.client, 'r')).to.not.include('step.tool_finished');
  });

  it('L9: an operator cancels without a lease; the loop stops at its next write, and the outcome is kept as late', async () => {
    const { started, hang, act } = hangingCall();
    const { runtime } = await world.open([mailer(seen, { act })]);
    const running = runtime.start('mailer', { goal: 'g', id: 'r' });
    await started.promise;
    await runtime.client.cancel('r', { by: 'ann', reason: 'wrong customer' });
    hang.open('sent');
    const run: Run = await running;
    expect(run).to.include({ status: 'CANCELLED', reason: 'operator_cancelled', message: 'ann: wrong customer' });
    const events = await runtime.client.runs.events('r');
    expect(events.at(-1)).to.deep.include({ type: 'step.tool_finished' });
    expect(events.at(-1)?.payload).to.include({ late: true, result: 'sent' });
    expect((await runtime.client.runs.get('r')).status).to.equal('CANCELLED');
  });

  it('L9: the tool of a cancelled run is told through its signal, and may still say what came of it', async () => {
    const act = (_input: unknown, call: ToolCall) => {
      void cancelling.runtime.client.cancel('r', { by: 'ann' });
      return new Promise((resolve) => {
        call.signal.addEventListener('abort', () => {
          resolve(call.signal.reason);
        });
      }).then((reason) => ({ stopped: (reason as Error).name }));
    };
    const cancelling = await world.open([mailer(seen, { act })], { clock: systemClock, lease: { ttlMs: 3_000 } });
    expect((await cancelling.runtime.start('mailer', { goal: 'g', id: 'r' })).reason).to.equal('operator_cancelled');
    const last = (await cancelling.runtime.client.runs.events('r')).at(-1);
    expect(last?.payload).to.deep.include({ late: true, result: { stopped: 'RunStateError' } });
  });

  it('L10: on SQLite it runs out by the wall clock of the host, which every process reads for itself', async () => {
    const { runId, dead } = await crashInTool(world, seen);
    const { expiresAt } = (await dead.runtime.client.runs.get(runId)).lease!;
    const next = await world.open([mailer(seen)]);
    // The monotonic clock, which no two processes share, has long passed it.
    world.clock.setWall(expiresAt - 1);
    expect(await rejection(next.runtime.resume(runId))).to.include({ code: 'RUN_LEASED' });
    world.clock.setWall(expiresAt);
    expect((await next.runtime.resume(runId)).status).to.equal('WAITING');
    expect(await trail(next.runtime.client, runId)).to.include('lease.taken_over');
  });

  it('L11: closing cleanly releases it after the step in flight: nobody waits, and nothing is taken over', async () => {
    const { started, hang, act } = hangingCall();
    const first = await world.open([mailer(seen, { act })]);
    const running = rejection(first.runtime.start('mailer', { goal: 'g', id: 'r' }));
    await started.promise;
    const closing = first.runtime.close();
    hang.open('sent');
    await closing;
    expect(await running).to.include({ code: 'CLOSED' });
    const next = await world.open([mailer(seen)]);
    const run = await next.runtime.resume('r');
    expect(run.result).to.deep.equal({ kind: 'result', result: 'sent' });
    const types = await trail(next.runtime.client, 'r');
    expect(types).to.include('run.resumed');
    expect(types).to.not.include('lease.taken_over');
  });

  it('L5: a lost lease aborts the signal of the tool, and the loop rejects with LeaseLostError', async () => {
    let signal: AbortSignal | undefined;
    const act = (_input: unknown, call: ToolCall) => {
      signal = call.signal;
      world.sql().prepare(`UPDATE holdpoint_runs SET lease_owner = 'thief', lease_expires_at = 9e15`).run();
      return new Promise(() => undefined);
    };
    const { runtime } = await world.open([mailer(seen, { act })], { clock: systemClock, lease: { ttlMs: 3_000 } });
    const error = await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }));
    expect(error).to.be.instanceOf(LeaseLostError);
    expect(signal?.aborted).to.equal(true);
    expect(signal?.reason).to.be.instanceOf(LeaseLostError);
    expect(seen.seen).to.have.length(1);
  });

  // Making the agent is the last that happens before the lease is taken: the thread finds no file to open. What is open
  // stays usable.
  const unlinking = (cls: Class): object => {
    rmSync(world.file, { force: true });
    return Reflect.construct(cls, []) as object;
  };

  it('L3, L5: a heartbeat that fails loses its leases at once, and says why', async () => {
    const options = { clock: systemClock, provide: unlinking };
    const { runtime } = await world.open([mailer(seen, { decide: () => new Promise(() => undefined) })], options);
    const error = await rejection(runtime.start('mailer', { goal: 'g' }));
    expect(error).to.be.instanceOf(LeaseLostError);
    expect(error.message).to.match(/the heartbeat failed: unable to open database file/);
  });

  it('L3, L5: the tool of a lease whose heartbeat fails is told so', async () => {
    const first = await world.open([mailer(seen)], { clock: systemClock, policy: () => requireApproval() });
    await first.runtime.start('mailer', { goal: 'g', id: 'r' });
    const [asked] = await first.runtime.client.approvals.list();
    await first.runtime.client.approvals.approve(asked!.id, { hash: asked!.hash, by: 'ann' });
    const act = (_input: unknown, call: ToolCall) =>
      new Promise((_, reject) => {
        call.signal.addEventListener('abort', () => {
          reject(call.signal.reason as Error);
        });
      });
    // An approved call begins in the turn in which the lease is taken, before the thread can have said anything.
    const { runtime } = await world.open([mailer(seen, { act })], { clock: systemClock, provide: unlinking });
    const error = await rejection(runtime.resume('r'));
    expect(error).to.be.instanceOf(LeaseLostError);
    expect(error.message).to.match(/the heartbeat failed: unable to open database file/);
    expect(seen.calls).to.have.length(1);
  });

  it('L5: an agent that never answers does not keep a loop that lost its lease', async () => {
    const decide = () => {
      world.sql().prepare(`UPDATE holdpoint_runs SET lease_owner = 'thief', lease_expires_at = 9e15`).run();
      return new Promise(() => undefined);
    };
    const { runtime } = await world.open([mailer(seen, { decide })], { clock: systemClock, lease: { ttlMs: 3_000 } });
    expect(await rejection(runtime.start('mailer', { goal: 'g' }))).to.be.instanceOf(LeaseLostError);
  });

  it('L3, F10: the renewal renews what is its own and live, and nothing that was released, lapsed or taken', async () => {
    const { runId, dead } = await crashInTool(world, seen);
    const { lease } = await dead.runtime.client.runs.get(runId);
    const sql = world.sql();
    const renew = (owner: string, now: number): unknown[] =>
      sql.prepare(RENEW_SQL).all(now + TTL_MS, owner, now, JSON.stringify([runId, 'another']));
    const { owner, expiresAt } = lease!;
    expect(renew(owner, expiresAt - 1)).to.deep.equal([{ id: runId }]);
    expect(renew('another', expiresAt - 1)).to.deep.equal([]);
    expect(renew(owner, expiresAt + TTL_MS - 1)).to.deep.equal([]);
    const client = await world.client();
    await client.cancel(runId, { by: 'ann' });
    expect(renew(owner, expiresAt)).to.deep.equal([]);
  });

  it('L3: is kept while a tool blocks the event loop for several lengths', async () => {
    const ttlMs = 2_500;
    const act = () => {
      const sql = world.sql();
      const read = sql.prepare<[], LeaseRow>('SELECT status, lease_owner, lease_expires_at FROM holdpoint_runs');
      const first = read.get()?.lease_expires_at ?? 0;
      // Nothing else of this thread runs here: only the heartbeat's own can move the expiry. Give up rather than hang.
      const giveUp = Date.now() + 10 * ttlMs;
      const extended = (): boolean => (read.get()?.lease_expires_at ?? 0) >= first + 3 * ttlMs;
      while (!extended() && Date.now() < giveUp);
      if (!extended()) throw new Error('the lease was not renewed');
      return 'sent';
    };
    const { runtime } = await world.open([mailer(seen, { act })], { clock: systemClock, lease: { ttlMs } });
    expect((await runtime.start('mailer', { goal: 'g' })).status).to.equal('COMPLETED');
  });

  it('L3: no tool runs while a transaction of another run holds the database', async () => {
    const other = new Database(world.file, { timeout: 0 });
    world.atClose(() => other.close());
    const act = async () => {
      for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
      other.exec('BEGIN IMMEDIATE');
      other.exec('ROLLBACK');
    };
    const { runtime } = await world.open([mailer(seen, { act })], { policy: () => requireApproval() });
    const ids = ['a', 'b', 'c', 'd'];
    for (const id of ids) await runtime.start('mailer', { goal: 'g', id });
    for (const { id, hash } of await runtime.client.approvals.list()) {
      await runtime.client.approvals.approve(id, { hash, by: 'ann' });
    }
    const runs = await Promise.all(ids.map((id) => runtime.resume(id)));
    for (const { result } of runs) expect(result).to.deep.equal({ kind: 'result', result: null });
  });

  it('L4: a renewal that waited for the database does not revive a lease that lapsed meanwhile', async () => {
    const ttlMs = 300;
    const act = async (_input: unknown, call: ToolCall) => {
      const sql = world.sql();
      const expiry = (): unknown => sql.prepare('SELECT lease_expires_at FROM holdpoint_runs').pluck().get();
      // The thread is up once it has renewed.
      world.clock.advance(1);
      while (expiry() !== world.clock.now() + ttlMs) await new Promise((turn) => setImmediate(turn));
      sql.exec('BEGIN IMMEDIATE');
      const before = expiry();
      // A beat comes every 100 ms, and waits for the lock by now.
      const waiting = Date.now() + 200;
      while (Date.now() < waiting);
      world.clock.advance(ttlMs + 1);
      sql.exec('COMMIT');
      await new Promise((lost) => {
        call.signal.addEventListener('abort', lost);
      });
      expiries.push(before, expiry());
    };
    const expiries: unknown[] = [];
    const { runtime } = await world.open([mailer(seen, { act })], { lease: { ttlMs } });
    await rejection(runtime.start('mailer', { goal: 'g' }));
    expect(expiries).to.have.length(2);
    expect(expiries[1]).to.equal(expiries[0]);
  });

  it('L3: a :memory: store renews on the connection that it shares', async () => {
    const ttlMs = 600;
    const act = async (_input: unknown, call: ToolCall) => {
      const expiry = async (): Promise<unknown> => (await memory.runtime.client.runs.get(call.runId)).lease?.expiresAt;
      // More than one length in all, and each step less than one: whoever is slow, the lease does not lapse meanwhile.
      for (let step = 1; step <= 5; step += 1) {
        world.clock.advance(ttlMs / 4);
        while ((await expiry()) !== world.clock.now() + ttlMs) await new Promise((turn) => setImmediate(turn));
      }
      return 'renewed';
    };
    const memory = await world.open([mailer(seen, { act })], { store: ':memory:', lease: { ttlMs } });
    const run = await memory.runtime.start('mailer', { goal: 'g' });
    expect(run.result).to.deep.equal({ kind: 'result', result: 'renewed' });
  });
});
