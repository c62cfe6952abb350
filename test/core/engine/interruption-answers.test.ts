import { expect } from 'chai';
import { IsString, Validate, ValidatorConstraint } from 'class-validator';
import { allow, deny, OutcomeUnknownError, Reconciliation, requireApproval } from 'holdpoint';
import type { Approval, Run, ToolOptions } from 'holdpoint';
import { Gate, hangingCall } from '../../support/agents.js';
import {
  crashInTool,
  mailer,
  outside,
  sendOnce,
  waitingApproval,
  type Build,
  type Outside,
} from '../../support/crash.js';
import { rejection, trail, World, type Mortal } from '../../support/world.js';

/** What the validator says. */
let says: () => boolean = () => true;

@ValidatorConstraint()
class LooksAtTheWorld {
  validate(): boolean {
    return says();
  }
}

class PickyInput {
  @IsString()
  @Validate(LooksAtTheWorld)
  text!: string;
}

describe('a person is asked about a call whose outcome is unknown', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  async function asked(
    build: Build = {},
    policy = () => allow(),
  ): Promise<{ next: Mortal; run: Run; approval: Approval }> {
    const { runId } = await crashInTool(world, seen, build);
    const next = await world.open([mailer(seen, build)], { policy });
    const run = await next.runtime.resume(runId);
    return { next, run, approval: await waitingApproval(next, run) };
  }

  it('I6: approve: the same request runs once more, on the same step, under the same operation id', async () => {
    const { next, run, approval } = await asked();
    await next.runtime.client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    const done = await next.runtime.resume(run.id);
    expect(done.status).to.equal('COMPLETED');
    expect(seen.calls.map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
    expect(new Set(seen.calls.map(({ operationId }) => operationId)).size).to.equal(1);
    expect((await next.runtime.client.runs.steps(run.id))[0]).to.include({ status: 'done', attempt: 2, index: 1 });
  });

  it('I6: approve: the policy is asked again, and its denial tells the agent that the outcome is unknown', async () => {
    const { next, run, approval } = await asked();
    await next.runtime.client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    const strict = await world.open([mailer(seen)], { policy: () => deny('closed today') });
    const done = await strict.runtime.resume(run.id);
    expect(seen.calls).to.have.length(1);
    expect(done.result).to.include({ kind: 'denied', outcomeUnknown: true });
    expect((done.result as { message: string }).message).to.match(/closed today.*unknown/);
  });

  it('I6: approve: if the policy now wants another approval, the person is asked anew about the unknown outcome', async () => {
    const { next, run, approval } = await asked();
    await next.runtime.client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    const strict = await world.open([mailer(seen)], { policy: () => requireApproval({ kind: 'mail' }) });
    const again = await strict.runtime.resume(run.id);
    const second = await waitingApproval(strict, again);
    expect(second.kind).to.equal('interrupted_side_effect');
    expect(second.presentation.embedded).to.include({ kind: 'mail' });
    expect((await strict.runtime.client.approvals.get(approval.id)).status).to.equal('spent');
    expect(seen.calls).to.have.length(1);
  });

  it('I6: settle: what the person enters is the result, marked as theirs, and the tool is not called', async () => {
    const { next, run, approval } = await asked();
    const { client } = next.runtime;
    await client.approvals.settle(approval.id, { hash: approval.hash, by: 'ann', result: { id: 3 } });
    expect((await client.runs.steps(run.id))[0]).to.deep.include({
      status: 'done',
      observation: { kind: 'result', result: { id: 3 }, settledBy: 'ann' },
    });
    const done = await next.runtime.resume(run.id);
    expect(done.result).to.deep.equal({ kind: 'result', result: { id: 3 }, settledBy: 'ann' });
    expect(seen.calls).to.have.length(1);
  });

  it("I6, S6: settle: a terminal tool's run completes in the same transaction", async () => {
    const { next, run, approval } = await asked({ options: { terminal: true } });
    const { client } = next.runtime;
    await client.approvals.settle(approval.id, { hash: approval.hash, by: 'ann', result: 'it was sent' });
    expect(await client.runs.get(run.id)).to.include({ status: 'COMPLETED', result: 'it was sent' });
    expect(await rejection(next.runtime.resume(run.id))).to.include({ code: 'RUN_STATE' });
  });

  it('I6: settle: refuses what JSON cannot hold, and an approval that is not about an outcome', async () => {
    const { next, approval } = await asked();
    const { approvals } = next.runtime.client;
    const decision = { hash: approval.hash, by: 'ann' };
    expect(await rejection(approvals.settle(approval.id, { ...decision, result: Number.NaN }))).to.include({
      path: 'result',
    });
    const plain = await world.open([mailer(seen)], { policy: () => requireApproval() });
    const waiting = await plain.runtime.start('mailer', { goal: 'g' });
    const { id, hash } = await waitingApproval(plain, waiting);
    expect(await rejection(approvals.settle(id, { hash, by: 'ann', result: 1 }))).to.include({
      code: 'INVALID_ARGUMENT',
    });
    expect((await approvals.get(id)).status).to.equal('pending');
  });

  it('I6: reject: the run ends with the tool not called again', async () => {
    const { next, run, approval } = await asked();
    await next.runtime.client.approvals.reject(approval.id, { hash: approval.hash, by: 'ann', note: 'ask them' });
    const ended = await next.runtime.client.runs.get(run.id);
    expect(ended).to.include({ status: 'CANCELLED', reason: 'approval_rejected', message: 'ask them' });
    expect(seen.calls).to.have.length(1);
  });

  it('I7: fails as reconcile_conflict if the tool is no longer registered', async () => {
    const { runId } = await crashInTool(world, seen);
    const next = await world.open([mailer(seen, { options: { name: 'dispatch' } })]);
    expect(await next.runtime.resume(runId)).to.include({ status: 'FAILED', reason: 'reconcile_conflict' });
  });

  it('I7: fails as reconcile_conflict if the arguments no longer pass the schema', async () => {
    const { runId } = await crashInTool(world, seen);
    const sql = world.sql();
    sql.prepare(`UPDATE holdpoint_steps SET args = '{"text":5,"times":1}'`).run();
    const next = await world.open([mailer(seen)]);
    const run = await next.runtime.resume(runId);
    expect(run).to.include({ status: 'FAILED', reason: 'reconcile_conflict' });
    expect(run.message).to.match(/args\.text/);
    expect(seen.calls).to.have.length(1);
  });

  describe('and a validator that looks at the world', () => {
    const refuse = (): boolean => false;
    const fail = (): never => {
      throw new Error('the database is down');
    };
    const options = { input: PickyInput } as ToolOptions;

    beforeEach(() => {
      says = () => true;
    });

    async function resumed(verdict: () => boolean, reconcile?: () => unknown) {
      const build = { options, ...(reconcile ? { reconcile } : {}) };
      const { runId } = await crashInTool(world, seen, build);
      says = verdict;
      const { runtime } = await world.open([mailer(seen, build)]);
      const run = await runtime.resume(runId);
      expect(seen.calls).to.have.length(1);
      return { run, types: await trail(runtime.client, run) };
    }

    for (const verdict of [refuse, fail]) {
      it(`I4: the reconciliation is asked first, though the validator ${verdict === fail ? 'throws' : 'refuses'} by now`, async () => {
        const { run } = await resumed(verdict, () => Reconciliation.complete('sent'));
        expect(run).to.deep.include({
          status: 'COMPLETED',
          result: { kind: 'result', result: 'sent', recovered: true },
        });
        expect(seen.asked[0]?.input).to.deep.include({ text: 'hello' });
      });
    }

    it('I7: what the reconciliation leaves open cannot wait, if the call could not be made again', async () => {
      const { run, types } = await resumed(refuse, () => Reconciliation.wait());
      expect(run).to.include({ status: 'FAILED', reason: 'reconcile_conflict' });
      expect(types.slice(-3)).to.deep.equal(['step.reconciled', 'step.failed', 'run.finished']);
    });

    it('I5, I7: a validator that throws does not say so: a person is asked', async () => {
      expect((await resumed(fail)).run.status).to.equal('WAITING');
    });
  });

  it('I7: an approved request that can no longer be made fails as reconcile_conflict too', async () => {
    const { next, run, approval } = await asked();
    await next.runtime.client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    const other = await world.open([mailer(seen, { options: { name: 'dispatch' } })]);
    expect(await other.runtime.resume(run.id)).to.include({ status: 'FAILED', reason: 'reconcile_conflict' });
    expect((await other.runtime.client.approvals.get(approval.id)).status).to.equal('cancelled');
  });

  for (const [reconcile, expected] of [
    [undefined, 'WAITING'],
    [() => Reconciliation.continue(), 'COMPLETED'],
    [() => Reconciliation.complete('found'), 'COMPLETED'],
    [() => Reconciliation.wait(), 'WAITING'],
    [() => Reconciliation.conflict('no'), 'FAILED'],
  ] as const) {
    const answer = reconcile ? reconcile().kind : 'no reconciliation';
    it(`I8: a takeover that dies after any of its commits is taken over again alike (${answer})`, async () => {
      const build = reconcile ? { reconcile } : {};
      const { runId } = await crashInTool(world, seen, build);
      let died = 0;
      for (let commits = 1; ; commits += 1) {
        const next = await world.open([mailer(seen, build)]);
        next.dieAfter(commits);
        const run = await next.runtime.resume(runId).catch(() => null);
        world.expireLeases();
        if (run) break;
        died += 1;
        const { status } = await next.runtime.client.runs.get(runId);
        if (status !== 'RUNNING') break;
      }
      const last = await world.open([mailer(seen, build)]);
      const { client } = last.runtime;
      expect((await client.runs.get(runId)).status).to.equal(expected);
      expect(died).to.be.greaterThan(0);
      expect(seen.calls).to.have.length(1);
      expect((await client.verify()).ok).to.equal(true);
    });
  }

  it('I8: a takeover that dies inside the reconciliation asks it again, and does not call the tool', async () => {
    const inside = new Gate();
    const hang = new Gate<unknown>();
    const { runId } = await crashInTool(world, seen, { reconcile: () => null });
    const hangs = () => {
      inside.open();
      return hang.promise;
    };
    const second = await world.open([mailer(seen, { reconcile: hangs })]);
    const rejected = rejection(second.runtime.resume(runId));
    await inside.promise;
    second.dieAfter(0);
    world.expireLeases();
    const third = await world.open([mailer(seen, { reconcile: () => Reconciliation.complete(1) })]);
    expect((await third.runtime.resume(runId)).status).to.equal('COMPLETED');
    expect([seen.asked.length, seen.calls.length]).to.deep.equal([2, 1]);
    hang.open(null);
    await rejected;
  });

  describe('of a process that lives', () => {
    it('I9: a timeout of a tool that is not read only is put to a person, not to the agent', async () => {
      const hang = new Gate<unknown>();
      const build: Build = { act: () => hang.promise, options: { timeoutMs: 10 } };
      const { runtime } = await world.open([mailer(seen, build)]);
      const run = await runtime.start('mailer', { goal: 'g' });
      const [approval] = await runtime.client.approvals.list({ runId: run.id });
      expect(run.status).to.equal('WAITING');
      expect(approval?.kind).to.equal('unknown_outcome');
      expect(approval?.presentation.summary).to.match(/timeout.*unknown/);
      expect(seen.seen).to.have.length(1);
      hang.open('late');
    });

    it('I9: OutcomeUnknownError is reconciled like a crash', async () => {
      const act = () => {
        throw new OutcomeUnknownError('the connection dropped');
      };
      const build: Build = { act, reconcile: (call) => Reconciliation.complete(call.cause) };
      const { runtime } = await world.open([mailer(seen, build)]);
      const run = await runtime.start('mailer', { goal: 'g' });
      expect(run.result).to.deep.equal({ kind: 'result', recovered: true, result: 'unknown' });
    });

    it('I9: an ordinary error is a known failure, which the agent sees', async () => {
      const act = () => {
        throw new RangeError('too many recipients');
      };
      const { runtime } = await world.open([mailer(seen, { act })]);
      const run = await runtime.start('mailer', { goal: 'g' });
      expect(run.result).to.deep.equal({ kind: 'error', name: 'RangeError', message: 'too many recipients' });
    });

    it('I9: a read-only tool that times out, or cannot tell, has failed', async () => {
      const build: Build = { readOnly: true, options: { timeoutMs: 10 }, act: () => new Promise(() => undefined) };
      const { runtime } = await world.open([mailer(seen, build)]);
      const run = await runtime.start('mailer', { goal: 'g' });
      expect(run.result).to.include({ kind: 'error', name: 'TimeoutError' });
    });

    it('I9: the late outcome is appended as an event marked late, and changes no state', async () => {
      const hang = new Gate<unknown>();
      const build: Build = { act: () => hang.promise, options: { timeoutMs: 10 } };
      const told = new Gate();
      const { runtime } = await world.open([mailer(seen, build)], {
        observer: (event) => {
          if (event.type === 'step.tool_finished') told.open();
        },
      });
      const before = await runtime.start('mailer', { goal: 'g' });
      hang.open({ id: 9 });
      await told.promise;
      const [last] = (await runtime.client.runs.events(before.id)).slice(-1);
      expect(last?.payload).to.deep.include({ late: true, result: { id: 9 } });
      const after = await runtime.client.runs.get(before.id);
      expect(after).to.include({ status: 'WAITING', reason: null });
      expect((await runtime.client.runs.steps(before.id))[0]?.status).to.equal('awaiting_approval');
      const [approval] = await runtime.client.approvals.list({ runId: before.id });
      await runtime.client.approvals.settle(approval?.id ?? '', { hash: approval?.hash ?? '', by: 'ann', result: 9 });
      expect((await runtime.resume(before.id)).status).to.equal('COMPLETED');
    });
  });

  it('I10: an approved re-run in a third process carries the operation id of the first call', async () => {
    const { runId, wake } = await crashInTool(world, seen);
    const second = await world.open([mailer(seen)]);
    const { id, hash } = await waitingApproval(second, await second.runtime.resume(runId));
    await second.runtime.client.approvals.approve(id, { hash, by: 'ann' });
    const third = await world.open([mailer(seen)]);
    await third.runtime.resume(runId);
    await wake();
    expect(seen.calls).to.have.length(2);
    expect(seen.calls[0]?.operationId).to.equal(seen.calls[1]?.operationId);
    expect(await trail(third.runtime.client, runId)).to.include.members(['lease.taken_over', 'step.interrupted']);
  });

  it('F3: a crash after an approved call ran waits for a new decision: the grant was spent at its start', async () => {
    const first = await world.open([mailer(seen)], { policy: () => requireApproval() });
    const paused = await first.runtime.start('mailer', { goal: 'g', id: 'r' });
    const { id, hash } = await waitingApproval(first, paused);
    await first.runtime.client.approvals.approve(id, { hash, by: 'ann' });
    const { started, hang, act } = hangingCall();
    const second = await world.open([mailer(seen, { act })], { policy: () => requireApproval() });
    const rejected = rejection(second.runtime.resume('r'));
    await started.promise;
    second.dieAfter(0);
    world.expireLeases();
    const third = await world.open([mailer(seen, { decide: sendOnce })], { policy: () => requireApproval() });
    const run = await third.runtime.resume('r');
    const approval = await waitingApproval(third, run);
    expect(approval.kind).to.equal('interrupted_side_effect');
    expect(approval.id).to.not.equal(id);
    expect(seen.calls).to.have.length(1);
    hang.open(null);
    await rejected;
  });
});
