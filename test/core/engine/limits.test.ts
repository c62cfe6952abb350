import { expect } from 'chai';
import { callTool, OutcomeUnknownError, Reconciliation, type Limits } from 'holdpoint';
import { agentClass, scripted, toolClass } from '../../support/agents.js';
import { mailer, outside } from '../../support/crash.js';
import { trail, World } from '../../support/world.js';

const CALL = callTool('count', { text: 'x' });

describe('the limits of a run', () => {
  let world: World;
  let calls: number;

  beforeEach(() => {
    world = new World();
    calls = 0;
  });

  afterEach(() => world.close());

  async function run(limits: Partial<Limits>, act: () => unknown = () => calls, decision: unknown = CALL) {
    const tool = toolClass(false, { name: 'count' }, () => {
      calls += 1;
      return act();
    });
    const { runtime } = await world.open([scripted('a', [tool], [decision])], { limits });
    const ended = await runtime.start('a', { goal: 'g' });
    return { ended, types: await trail(runtime.client, ended), runtime };
  }

  it('P5: maxSteps: that many steps begin, and the next does not', async () => {
    const { ended, types } = await run({ maxSteps: 4 });
    expect(ended).to.include({ status: 'FAILED', reason: 'limit_steps', stepCount: 4 });
    expect(calls).to.equal(4);
    expect(types.slice(-2)).to.deep.equal(['limit.exceeded', 'run.finished']);
  });

  it('P5: maxSteps is 50 unless said otherwise', async () => {
    const { ended } = await run({});
    expect([ended.reason, ended.stepCount]).to.deep.equal(['limit_steps', 50]);
  });

  it('P5: three failures in a row end the run, in the transaction of the third', async () => {
    const { ended, types } = await run({}, () => {
      throw new Error('no');
    });
    expect(ended.reason).to.equal('repeated_tool_failures');
    expect(calls).to.equal(3);
    expect(types.slice(-3)).to.deep.equal(['step.tool_finished', 'limit.exceeded', 'run.finished']);
  });

  it('P5: failures with a success between them are not in a row', async () => {
    const { ended } = await run({ maxSteps: 9 }, () => {
      if (calls % 3 !== 0) throw new Error('no');
      return calls;
    });
    expect(ended.reason).to.equal('limit_steps');
  });

  it('P5: three identical calls with identical results in a row end the run as loop_detected', async () => {
    const { ended, types } = await run({}, () => 'pending');
    expect(ended.reason).to.equal('loop_detected');
    expect(calls).to.equal(3);
    expect(types.slice(-3)).to.deep.equal(['step.tool_finished', 'loop.detected', 'run.finished']);
  });

  it('P5: what a reconciliation recovered counts as any other result', async () => {
    const seen = outside();
    const agent = mailer(seen, {
      act: () => Promise.reject(new OutcomeUnknownError('no answer')),
      reconcile: () => Reconciliation.complete('sent'),
      decide: () => callTool('send', { text: 'hello' }),
    });
    const { runtime } = await world.open([agent]);
    expect(await runtime.start('mailer', { goal: 'g', id: 'r' })).to.include({ reason: 'loop_detected' });
    expect(seen.calls).to.have.length(3);
    expect((await runtime.client.verify()).ok).to.be.true;
  });

  it('P5: identical calls with different results are no loop', async () => {
    const { ended } = await run({ maxSteps: 6 });
    expect(ended.reason).to.equal('limit_steps');
  });

  it('P5: maxActiveMs counts what the run was executing', async () => {
    const { ended } = await run({ maxActiveMs: 2_500 }, () => {
      world.clock.advance(1_000);
      return calls;
    });
    expect(ended).to.include({ reason: 'limit_active_time', activeMs: 3_000 });
    expect(calls).to.equal(3);
  });

  it('P5: maxActiveMs counts by a clock that nobody sets', async () => {
    const setClock = [30_000, -45_000];
    const { ended } = await run({ maxActiveMs: 2_500 }, () => {
      world.clock.setWall(world.clock.now() + (setClock.shift() ?? 0));
      return (calls += 1);
    });
    expect(ended).to.include({ reason: 'limit_steps', activeMs: 0 });
  });

  it('P5, F7: waiting for a person counts toward elapsed time only', async () => {
    const week = 7 * 86_400_000;
    for (const [limits, expected] of [
      [{ maxActiveMs: 1_000 }, 'COMPLETED'],
      [{ maxElapsedMs: 1_000 }, 'FAILED'],
    ] as const) {
      const tool = toolClass(false, { name: 'count' }, () => (calls += 1));
      const agent = scripted(`a-${expected}`, [tool], [CALL, { kind: 'complete' }]);
      const { runtime } = await world.open([agent], {
        limits,
        policy: () => ({ kind: 'require_approval', approval: {} }),
      });
      const waiting = await runtime.start(agent, { goal: 'g' });
      const [approval] = await runtime.client.approvals.list({ runId: waiting.id });
      world.clock.advance(week);
      await runtime.client.approvals.approve(approval?.id ?? '', { hash: approval?.hash ?? '', by: 'ann' });
      const ended = await runtime.resume(waiting.id);
      expect(ended.status).to.equal(expected);
      if (expected === 'FAILED') expect(ended.reason).to.equal('limit_elapsed_time');
    }
    expect(calls).to.equal(1);
  });

  it('P5: a limit that is reached while the policy is asked stops the call', async () => {
    const tool = toolClass(false, { name: 'count' }, () => (calls += 1));
    const policy = () => {
      world.clock.advance(10_000);
      return { kind: 'allow' } as const;
    };
    const { runtime } = await world.open([scripted('a', [tool], [CALL])], { policy, limits: { maxElapsedMs: 5_000 } });
    expect((await runtime.start('a', { goal: 'g' })).reason).to.equal('limit_elapsed_time');
    expect(calls).to.equal(0);
  });

  it('P5: null takes a limit away, and a run may have limits of its own', async () => {
    const tool = toolClass(false, { name: 'count' }, () => (calls += 1));
    const agent = agentClass('a', [tool], (step) => (step.steps.length < 60 ? CALL : { kind: 'complete' }));
    const { runtime } = await world.open([agent], { limits: { maxSteps: null } });
    expect((await runtime.start('a', { goal: 'g' })).status).to.equal('COMPLETED');
    expect((await runtime.start('a', { goal: 'g', limits: { maxSteps: 2 } })).reason).to.equal('limit_steps');
  });
});
