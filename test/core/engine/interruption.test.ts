import { expect } from 'chai';
import { allow, Reconciliation, requireApproval, deny, abort, type Run } from 'holdpoint';
import { approvalHash } from '../../../core/model/approval.js';
import { Gate, NoteInput } from '../../support/agents.js';
import { crashInTool, mailer, outside, waitingApproval, type Build, type Outside } from '../../support/crash.js';
import { rejection, trail, World, type Mortal } from '../../support/world.js';

describe('a process dies while a tool runs', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  /** Another process takes the run over with this agent. */
  async function takeOver(
    runId: string,
    build: Build = {},
    policy = () => allow(),
  ): Promise<{ next: Mortal; run: Run }> {
    const next = await world.open([mailer(seen, build)], { policy });
    return { next, run: await next.runtime.resume(runId) };
  }

  it('I1: commits the step as executing, with step.tool_started, before the tool is called', async () => {
    const client = async () => world.client();
    const found: unknown[] = [];
    const act = async () => {
      const reader = await client();
      found.push((await reader.runs.steps('r'))[0]?.status, (await trail(reader, 'r')).at(-1));
    };
    const { runtime } = await world.open([mailer(seen, { act })]);
    await runtime.start('mailer', { goal: 'g', id: 'r' });
    expect(found).to.deep.equal(['executing', 'step.tool_started']);
  });

  it('I2: calls the tool no second time, however often the run is resumed, and asks the agent nothing', async () => {
    const { runId } = await crashInTool(world, seen);
    const { next, run } = await takeOver(runId);
    await next.runtime.resume(runId);
    await next.runtime.resume(runId);
    expect(run.status).to.equal('WAITING');
    expect(seen.calls).to.have.length(1);
    expect(seen.seen).to.have.length(1);
  });

  it('I3: goes on after a read-only tool, and shows the agent that it was interrupted', async () => {
    const { runId } = await crashInTool(world, seen, { readOnly: true });
    const { run, next } = await takeOver(runId, { readOnly: true });
    expect(run.status).to.equal('COMPLETED');
    expect(run.result).to.include({ kind: 'interrupted', cause: 'crash' });
    expect((await next.runtime.client.runs.steps(runId)).map((step) => step.status)).to.deep.equal([
      'interrupted',
      'done',
    ]);
  });

  it('I3: trusts what the tool declared when it was called, not what it declares now', async () => {
    const { runId } = await crashInTool(world, seen, { readOnly: false });
    const { run } = await takeOver(runId, { readOnly: true });
    expect(run.status).to.equal('WAITING');
  });

  it('I3: goes on after a death while deciding, and the agent decides again', async () => {
    const asked = new Gate();
    const hang = new Gate<unknown>();
    const decide = () => {
      asked.open();
      return hang.promise;
    };
    const dead = await world.open([mailer(seen, { decide })]);
    const rejected = rejection(dead.runtime.start('mailer', { goal: 'g', id: 'r' }));
    await asked.promise;
    dead.dieAfter(0);
    world.expireLeases();
    const { run } = await takeOver('r');
    expect(run.status).to.equal('COMPLETED');
    expect(run.result).to.include({ kind: 'interrupted' });
    hang.open({ kind: 'fail', message: 'too late' });
    await rejected;
  });

  describe('and its reconciliation answers', () => {
    it('I4: continue: the agent sees why, and decides next', async () => {
      const { runId } = await crashInTool(world, seen, { reconcile: () => null });
      const { run } = await takeOver(runId, { reconcile: () => Reconciliation.continue('nothing was sent') });
      expect(run.result).to.deep.equal({ cause: 'crash', kind: 'interrupted', message: 'nothing was sent' });
      expect(seen.calls).to.have.length(1);
    });

    it('I4: complete: the recovered result is the result of the step', async () => {
      const { runId } = await crashInTool(world, seen, { reconcile: () => null });
      const { run } = await takeOver(runId, { reconcile: () => Reconciliation.complete({ id: 7 }) });
      expect(run.result).to.deep.equal({ kind: 'result', recovered: true, result: { id: 7 } });
      expect(seen.calls).to.have.length(1);
    });

    it('I4: complete of a terminal tool: the run completes with it', async () => {
      const options = { terminal: true };
      const { runId } = await crashInTool(world, seen, { reconcile: () => null, options });
      const { run } = await takeOver(runId, { options, reconcile: () => Reconciliation.complete('found') });
      expect([run.status, run.reason, run.result]).to.deep.equal(['COMPLETED', 'goal_completed', 'found']);
    });

    it('I4: wait: the same step pauses on the request, with what the tool wants shown', async () => {
      const { runId } = await crashInTool(world, seen, { reconcile: () => null });
      const shown = { hint: 'look into the outbox' };
      const { run, next } = await takeOver(runId, { reconcile: () => Reconciliation.wait({ presentation: shown }) });
      const approval = await waitingApproval(next, run);
      expect(approval.kind).to.equal('interrupted_side_effect');
      expect(approval.presentation).to.include(shown);
    });

    it('I4: wait: what the tool wants shown cannot replace what the runtime says', async () => {
      const { runId } = await crashInTool(world, seen, { reconcile: () => null });
      const presentation = { summary: 'all is well', embedded: { kind: 'x' } };
      const { run, next } = await takeOver(runId, { reconcile: () => Reconciliation.wait({ presentation }) });
      const approval = await waitingApproval(next, run);
      expect(approval.presentation.summary).to.match(/unknown/);
      expect(approval.presentation.embedded).to.equal(null);
    });

    it('I4: conflict: the run fails as reconcile_conflict', async () => {
      const { runId } = await crashInTool(world, seen, { reconcile: () => null });
      const { run } = await takeOver(runId, { reconcile: () => Reconciliation.conflict('the branch moved on') });
      expect([run.status, run.reason, run.message]).to.deep.equal([
        'FAILED',
        'reconcile_conflict',
        'the branch moved on',
      ]);
    });

    it('I4: is told the call that was interrupted, and gets an instance of the input', async () => {
      const { runId } = await crashInTool(world, seen, { reconcile: () => null });
      await takeOver(runId, { reconcile: () => Reconciliation.continue() });
      const [asked] = seen.asked;
      expect(asked?.input).to.be.instanceOf(NoteInput);
      expect(asked?.call).to.deep.include({
        runId,
        operationId: seen.calls[0]?.operationId,
        attempt: 1,
        cause: 'crash',
      });
      expect(asked?.call.run.status).to.equal('RUNNING');
    });

    it('I4: the agent is asked where the tool has none, and its complete completes the run', async () => {
      const { runId } = await crashInTool(world, seen);
      const { run } = await takeOver(runId, { agentReconcile: () => Reconciliation.complete('settled by the agent') });
      expect([run.status, run.result]).to.deep.equal(['COMPLETED', 'settled by the agent']);
      expect(seen.asked.map(({ by }) => by)).to.deep.equal(['agent']);
    });

    it('I4: the agent is not asked what its tool settles', async () => {
      const { runId } = await crashInTool(world, seen, { reconcile: () => null });
      await takeOver(runId, {
        reconcile: () => Reconciliation.continue(),
        agentReconcile: () => Reconciliation.continue(),
      });
      expect(seen.asked.map(({ by }) => by)).to.deep.equal(['tool']);
    });
  });

  describe('and nobody can tell whether it took effect', () => {
    const useless: Record<string, Build> = {
      'there is no reconciliation': {},
      'the reconciliation throws': {
        reconcile: () => {
          throw new Error('the service is down');
        },
      },
      'the reconciliation answers something unknown': { reconcile: () => ({ kind: 'perhaps' }) },
      'the reconciliation answers nothing': { reconcile: () => undefined },
      'the reconciliation answers what JSON cannot hold': { reconcile: () => Reconciliation.complete(10n) },
      'the reconciliation does not answer in time': {
        reconcile: () => new Promise(() => undefined),
        options: { timeoutMs: 20 },
      },
      "the agent's reconciliation throws": {
        agentReconcile: () => {
          throw new Error('the service is down');
        },
      },
    };
    for (const [situation, build] of Object.entries(useless)) {
      it(`I5: waits for a person, because ${situation}`, async () => {
        const { runId } = await crashInTool(world, seen, {
          ...build,
          ...(build.reconcile ? { reconcile: () => null } : {}),
        });
        const { run, next } = await takeOver(runId, build);
        const approval = await waitingApproval(next, run);
        expect([run.status, run.lease]).to.deep.equal(['WAITING', null]);
        expect(approval.kind).to.equal('interrupted_side_effect');
        expect(approval.request.args).to.deep.equal({ text: 'hello', times: 1 });
        expect(approval.presentation.summary).to.match(/started.*process stopped.*unknown/);
        expect(seen.calls).to.have.length(1);
      });
    }

    it('I5: embeds the approval that the policy wants, and its parts enter the hash', async () => {
      const { runId } = await crashInTool(world, seen);
      const wanted = { kind: 'mail', capability: 'mail.send', presentation: { to: 'ann' } };
      const { run, next } = await takeOver(runId, {}, () => requireApproval(wanted));
      const approval = await waitingApproval(next, run);
      expect(approval.presentation.embedded).to.deep.equal(wanted);
      const { kind, capability, request } = approval;
      for (const member of ['kind', 'capability', 'presentation']) {
        const embedded = { ...wanted, [member]: 'other' };
        const presentation = { ...approval.presentation, embedded };
        expect(approvalHash({ kind, capability, presentation, request })).to.not.equal(approval.hash);
      }
      expect(approvalHash(approval)).to.equal(approval.hash);
    });

    it('I5: one decision answers both: the embedded approval needs no second one', async () => {
      const { runId } = await crashInTool(world, seen);
      const policy = () => requireApproval({ kind: 'mail', capability: 'mail.send', presentation: { to: 'ann' } });
      const { run, next } = await takeOver(runId, {}, policy);
      const { id, hash } = await waitingApproval(next, run);
      await next.runtime.client.approvals.approve(id, { hash, by: 'ann' });
      const done = await next.runtime.resume(runId);
      expect(done.status).to.equal('COMPLETED');
      expect(seen.calls.map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
    });

    const otherwise = {
      denies: () => deny('not today'),
      aborts: () => abort('never'),
      throws: () => {
        throw new Error('the policy is broken');
      },
    };
    for (const [what, policy] of Object.entries(otherwise)) {
      it(`I5: shows that the policy ${what} at that moment, and fails nothing`, async () => {
        const { runId } = await crashInTool(world, seen);
        const { run, next } = await takeOver(runId, {}, policy);
        const approval = await waitingApproval(next, run);
        expect(JSON.stringify(approval.presentation.policy)).to.match(/not today|never|broken/);
      });
    }
  });
});
