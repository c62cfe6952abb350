import { expect } from 'chai';
import { abort, allow, deny, requireApproval, type Approval, type Policy, type Run } from 'holdpoint';
import { canonicalJson } from '../../../core/model/canonical-json.js';
import { sha256 } from '../../../core/model/hash.js';
import { plain } from '../../support/agents.js';
import { mailer, outside, waitingApproval, type Outside } from '../../support/crash.js';
import { rejection, trail, World, type Mortal } from '../../support/world.js';

const WANTED = { kind: 'mail', capability: 'mail.send', presentation: { to: 'ann' } };

describe('an approval', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  interface Paused {
    readonly first: Mortal;
    readonly run: Run;
    readonly approval: Approval;
  }

  async function paused(policy: Policy = () => requireApproval(WANTED), options = {}): Promise<Paused> {
    const first = await world.open([mailer(seen)], { policy, ...options });
    const run = await first.runtime.start('mailer', { goal: 'g', id: 'r' });
    return { first, run, approval: await waitingApproval(first, run) };
  }

  async function approved(policy?: Policy, options = {}): Promise<Paused> {
    const waiting = await paused(policy, options);
    const { id, hash } = waiting.approval;
    await waiting.first.runtime.client.approvals.approve(id, { hash, by: 'ann', note: 'fine' });
    return waiting;
  }

  it('A1: stores kind, capability, presentation and the exact request, with the SHA-256 of all four', async () => {
    const { approval, run } = await paused();
    const { kind, capability, presentation, request, hash } = approval;
    expect({ kind, capability, presentation }).to.deep.equal(WANTED);
    expect(request).to.deep.include({ runId: run.id, stepId: approval.stepId, args: { text: 'hello', times: 1 } });
    expect(request.tool).to.include.keys(
      'name',
      'description',
      'effect',
      'readOnly',
      'timeoutMs',
      'terminal',
      'inputSchema',
    );
    expect(hash).to.equal(sha256(canonicalJson({ capability, kind, presentation, request })));
  });

  it('A2, F19: a decision on another hash decides nothing', async () => {
    const { approval, first } = await paused();
    const { approvals } = first.runtime.client;
    const stale = { hash: '0'.repeat(64), by: 'ann' };
    for (const decide of [
      () => approvals.approve(approval.id, stale),
      () => approvals.reject(approval.id, stale),
      () => approvals.settle(approval.id, { ...stale, result: 1 }),
    ]) {
      expect(await rejection(decide())).to.include({ code: 'APPROVAL_CHANGED' });
    }
    expect(await approvals.get(approval.id)).to.deep.equal(approval);
  });

  it('A2: a decision without a hash is refused', async () => {
    const { approval, first } = await paused();
    const decide = first.runtime.client.approvals.approve(approval.id, { by: 'ann' } as never);
    expect(await rejection(decide)).to.include({ code: 'INVALID_ARGUMENT' });
    expect((await first.runtime.client.approvals.get(approval.id)).status).to.equal('pending');
  });

  it('A2: a request that was edited in the database is not decided, with either hash', async () => {
    const { approval, first } = await paused();
    const request = JSON.stringify({ ...approval.request, args: { text: 'send all the money', times: 1 } });
    world.sql().prepare('UPDATE holdpoint_approvals SET request = ?').run(request);
    const decide = first.runtime.client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    expect(await rejection(decide)).to.include({ code: 'APPROVAL_CHANGED' });
  });

  it('A3: approving does not continue the run; the resume executes exactly the recorded request', async () => {
    const { run, first } = await approved();
    expect((await first.runtime.client.runs.get(run.id)).status).to.equal('WAITING');
    expect(seen.calls).to.have.length(0);
    const done = await first.runtime.resume(run.id);
    expect(done.status).to.equal('COMPLETED');
    expect(seen.calls.map(({ input }) => plain(input))).to.deep.equal([{ text: 'hello', times: 1 }]);
  });

  it('A3: the tool is told who approved it', async () => {
    let told: unknown;
    const first = await world.open([mailer(seen, { act: (_input, call) => void (told = call.approval) })], {
      policy: () => requireApproval(),
    });
    const { id, hash } = await waitingApproval(first, await first.runtime.start('mailer', { goal: 'g', id: 'r' }));
    await first.runtime.client.approvals.approve(id, { hash, by: 'ann', note: 'fine' });
    await first.runtime.resume('r');
    expect(told).to.deep.equal({ id, decidedBy: 'ann', note: 'fine' });
  });

  it('A3: a grant whose stored request was edited executes nothing', async () => {
    const { run, approval } = await approved();
    const request = JSON.stringify({ ...approval.request, args: { text: 'evil', times: 1 } });
    world.sql().prepare('UPDATE holdpoint_approvals SET request = ?').run(request);
    const next = await world.open([mailer(seen)], { policy: () => allow() });
    expect(await rejection(next.runtime.resume(run.id))).to.include({ code: 'APPROVAL_CHANGED' });
    expect(seen.calls).to.have.length(0);
  });

  it('A3: a step whose arguments were edited under its grant executes nothing', async () => {
    const { run } = await approved();
    world.sql().prepare(`UPDATE holdpoint_steps SET args = '{"text":"evil","times":1}'`).run();
    const next = await world.open([mailer(seen)], { policy: () => allow() });
    expect(await rejection(next.runtime.resume(run.id))).to.include({ code: 'APPROVAL_CHANGED' });
    expect(seen.calls).to.have.length(0);
  });

  it('A3: executes if the policy now allows', async () => {
    const { run } = await approved();
    const next = await world.open([mailer(seen)], { policy: () => allow() });
    expect((await next.runtime.resume(run.id)).status).to.equal('COMPLETED');
    expect(seen.calls).to.have.length(1);
  });

  for (const [what, other] of Object.entries({
    kind: { ...WANTED, kind: 'letter' },
    capability: { ...WANTED, capability: 'mail.any' },
    presentation: { ...WANTED, presentation: { to: 'bob' } },
  })) {
    it(`A3: pauses again if the policy now asks for an approval of another ${what}; the old grant is spent`, async () => {
      const { run, approval } = await approved();
      const next = await world.open([mailer(seen)], { policy: () => requireApproval(other) });
      const again = await next.runtime.resume(run.id);
      const second = await waitingApproval(next, again);
      expect(again.status).to.equal('WAITING');
      expect(second.stepId).to.equal(approval.stepId);
      expect((await next.runtime.client.approvals.get(approval.id)).status).to.equal('spent');
      expect(seen.calls).to.have.length(0);
    });
  }

  it('A3: pauses again if the tool has changed since, for it is no longer the exact request', async () => {
    const { run } = await approved();
    const changed = mailer(seen, { options: { effect: 'destructive' } });
    const next = await world.open([changed], { policy: () => requireApproval(WANTED) });
    expect((await next.runtime.resume(run.id)).status).to.equal('WAITING');
    expect(seen.calls).to.have.length(0);
  });

  it('A3: deny ends the step with a denial that the agent sees', async () => {
    const { run, approval } = await approved();
    const next = await world.open([mailer(seen)], { policy: () => deny('closed') });
    const done = await next.runtime.resume(run.id);
    expect(done.result).to.deep.equal({ kind: 'denied', message: 'closed' });
    expect((await next.runtime.client.approvals.get(approval.id)).status).to.equal('spent');
    expect(seen.calls).to.have.length(0);
  });

  for (const [what, policy, reason] of [
    ['abort', () => abort('never'), 'policy_abort'],
    [
      'a policy that throws',
      () => {
        throw new Error('broken');
      },
      'internal_error',
    ],
  ] as const) {
    it(`A3, P1: ${what} at the resume ends the run, and nothing executes`, async () => {
      const { run } = await approved();
      const next = await world.open([mailer(seen)], { policy: policy });
      expect(await next.runtime.resume(run.id)).to.include({ status: 'FAILED', reason });
      expect(seen.calls).to.have.length(0);
      expect(await trail(next.runtime.client, run)).to.not.include('run.resumed');
    });
  }

  it('A3: the policy is asked again while the run is still WAITING', async () => {
    const { run } = await approved();
    const statuses: string[] = [];
    const policy: Policy = async (_request, asked) => {
      statuses.push(asked.status, (await next.runtime.client.runs.get(run.id)).status);
      return allow();
    };
    const next = await world.open([mailer(seen)], { policy });
    await next.runtime.resume(run.id);
    expect(statuses).to.deep.equal(['WAITING', 'WAITING']);
  });

  it('A4: the move out of WAITING, the policy decision and the tool start are one transaction', async () => {
    const { run, first } = await approved();
    const before = await trail(first.runtime.client, run);
    const next = await world.open([mailer(seen)], { policy: () => requireApproval(WANTED) });
    next.dieAfter(0);
    await rejection(next.runtime.resume(run.id));
    expect(await trail(next.runtime.client, run)).to.deep.equal(before);
    next.dieAfter(1);
    await rejection(next.runtime.resume(run.id));
    const added = (await trail(next.runtime.client, run)).slice(before.length);
    expect(added).to.deep.equal(['run.resumed', 'step.policy', 'step.tool_started']);
  });

  it('A4: of two resumes that both asked the policy, one executes, and the other gets a typed error', async () => {
    const { run } = await approved();
    let both = 0;
    let go: () => void = () => undefined;
    const meet = new Promise<void>((resolve) => (go = resolve));
    const policy: Policy = async () => {
      both += 1;
      if (both === 2) go();
      await meet;
      return allow();
    };
    const [one, two] = [await world.open([mailer(seen)], { policy }), await world.open([mailer(seen)], { policy })];
    const outcomes = await Promise.allSettled([one.runtime.resume(run.id), two.runtime.resume(run.id)]);
    const lost = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as { code: string }] : [],
    );
    expect(lost.map(({ code }) => code)).to.have.length(1);
    expect(['RUN_LEASED', 'RUN_STATE']).to.include(lost[0]?.code);
    expect(seen.calls).to.have.length(1);
  });

  it('A5: rejecting cancels the run as approval_rejected', async () => {
    const { run, approval, first } = await paused();
    await first.runtime.client.approvals.reject(approval.id, { hash: approval.hash, by: 'ann' });
    expect(await first.runtime.client.runs.get(run.id)).to.include({
      status: 'CANCELLED',
      reason: 'approval_rejected',
    });
    expect((await first.runtime.client.runs.steps(run.id))[0]?.status).to.equal('failed');
  });

  it('F12: a rejected call is not made by a process whose policy would now allow it', async () => {
    const { run, approval, first } = await paused();
    await first.runtime.client.approvals.reject(approval.id, { hash: approval.hash, by: 'ann' });
    const next = await world.open([mailer(seen)], { policy: () => allow() });
    expect(await rejection(next.runtime.resume(run.id))).to.include({ code: 'RUN_STATE', reason: 'approval_rejected' });
    expect(seen.calls).to.have.length(0);
  });

  it('A5: a question that nobody answered in time expires at the next touch, be it a resume', async () => {
    const { run, first } = await paused(undefined, { approvalTtlMs: 1_000 });
    world.clock.advance(999);
    expect((await first.runtime.resume(run.id)).status).to.equal('WAITING');
    world.clock.advance(1);
    expect(await first.runtime.resume(run.id)).to.include({ status: 'CANCELLED', reason: 'approval_expired' });
  });

  it('A5: or be it a decision, which is refused', async () => {
    const { run, approval, first } = await paused(undefined, { approvalTtlMs: 1_000 });
    world.clock.advance(1_000);
    const decide = first.runtime.client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    expect(await rejection(decide)).to.include({ code: 'APPROVAL_EXPIRED' });
    expect(await first.runtime.client.runs.get(run.id)).to.include({ status: 'CANCELLED', reason: 'approval_expired' });
  });

  it('A5, S9: nor is one decided that expired at no date, and the error says so', async () => {
    const { approval, first } = await paused();
    world.sql().prepare('UPDATE holdpoint_approvals SET expires_at = ?').run(-1e300);
    const { id, hash } = approval;
    const error = await rejection(first.runtime.client.approvals.approve(id, { hash, by: 'ann' }));
    expect(error).to.include({ code: 'APPROVAL_EXPIRED' });
    expect(error.message).to.contain('expired at a time that is no date');
  });

  it('A5: a grant that no resume used in time expires, and nothing is executed', async () => {
    const { run, first } = await approved(undefined, { grantTtlMs: 1_000 });
    world.clock.advance(1_000);
    expect(await first.runtime.resume(run.id)).to.include({ status: 'CANCELLED', reason: 'approval_expired' });
    expect(seen.calls).to.have.length(0);
  });

  it('A5: a grant that expires while the policy is asked executes nothing', async () => {
    const { run } = await approved(undefined, { grantTtlMs: 1_000 });
    const policy: Policy = () => {
      world.clock.advance(1_000);
      return allow();
    };
    const next = await world.open([mailer(seen)], { policy });
    expect(await next.runtime.resume(run.id)).to.include({ status: 'CANCELLED', reason: 'approval_expired' });
    expect(seen.calls).to.have.length(0);
  });

  it('A6: another program, with none of the agent’s code, decides; a fresh process goes on', async () => {
    const { run, approval, first } = await paused();
    await first.runtime.close();
    const client = await world.client();
    expect((await client.runs.list({ status: 'WAITING' })).map(({ id }) => id)).to.deep.equal([run.id]);
    await client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    await client.close();
    const next = await world.open([mailer(seen)], { policy: () => requireApproval(WANTED) });
    expect((await next.runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  it('F11: what was decided is not decided again', async () => {
    const { approval, first } = await approved();
    const { approvals } = first.runtime.client;
    const decision = { hash: approval.hash, by: 'bob' };
    for (const decide of [
      () => approvals.approve(approval.id, decision),
      () => approvals.reject(approval.id, decision),
    ]) {
      expect(await rejection(decide())).to.include({ code: 'NOT_PENDING', status: 'approved' });
    }
    expect((await approvals.get(approval.id)).decidedBy).to.equal('ann');
  });
});
