import { expect } from 'chai';
import { allow, type Policy } from 'holdpoint';
import { waitingApproval } from '../../support/crash.js';
import { ANN, decision, NO_FIT, NOT_SIGNED, SignedWorld } from '../../support/signed-world.js';
import { rejection } from '../../support/world.js';

describe('a signed decision about a call whose outcome is unknown', () => {
  let signed: SignedWorld;
  beforeEach(() => {
    signed = new SignedWorld();
  });
  afterEach(() => signed.close());

  it('A7, I6: approved, it is made once more', async () => {
    const { at, run, approval } = await signed.interrupted();
    await at.runtime.client.approvals.approve(approval.id, decision(approval));
    expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
    expect(signed.seen.calls.map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
  });

  it('A7, I6: settled, it is not made, and the run goes on with what was entered', async () => {
    const { at, run, approval } = await signed.settled();
    expect((await at.runtime.client.approvals.get(approval.id)).signer).to.equal(ANN.fingerprint);
    const done = await at.runtime.resume(run.id);
    expect(done.result).to.deep.equal({ kind: 'result', result: { paid: 1 }, settledBy: 'ann' });
    expect(signed.seen.calls).to.have.length(1);
  });

  it('A7, I6: a settled result that was written into the file is refused', async () => {
    const { at, run } = await signed.interrupted();
    signed.forge(
      `UPDATE holdpoint_approvals SET status = 'settled', decided_at = 1, decided_by = 'ann', result = '{"paid":2}'`,
      `UPDATE holdpoint_steps SET status = 'done', finished_at = 1,
        observation = '{"kind":"result","result":{"paid":2},"settledBy":"ann"}'`,
    );
    await signed.refused(at, run.id, NOT_SIGNED);
  });

  it('A7, I6: settled while the run is read, it is not taken for half of a decision', async () => {
    const { at, run, approval } = await signed.interrupted();
    const desk = await signed.world.client({ approvers: [ANN.publicKey] });
    const { approvals } = at.store.tables;
    const find = approvals.find.bind(approvals);
    approvals.find = async (...query) => {
      approvals.find = find;
      await desk.approvals.settle(approval.id, { ...decision(approval), result: 1 });
      return find(...query);
    };
    expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
    expect(signed.seen.calls).to.have.length(1);
  });

  it('A7, I6: a signature that approved does not settle', async () => {
    const { at, run, approval } = await signed.interrupted();
    await at.runtime.client.approvals.approve(approval.id, decision(approval));
    signed.forge(
      `UPDATE holdpoint_approvals SET status = 'settled'`,
      `UPDATE holdpoint_steps SET status = 'done', finished_at = 1,
        observation = '{"kind":"result","result":null,"settledBy":"ann"}'`,
    );
    await signed.refused(at, run.id, NO_FIT);
  });

  it('A7, I6: another result than was signed is refused, in the approval', async () => {
    const { at, run } = await signed.settled();
    signed.forge(
      `UPDATE holdpoint_approvals SET result = '{"paid":2}'`,
      `UPDATE holdpoint_steps SET observation = replace(observation, '"paid":1', '"paid":2')`,
    );
    await signed.refused(at, run.id, NO_FIT);
  });

  for (const [what, observation] of Object.entries({
    'with another result': '{"kind":"result","result":{"paid":2},"settledBy":"ann"}',
    'without the mark': '{"kind":"result","result":{"paid":1}}',
    'with another decider': '{"kind":"result","result":{"paid":1},"settledBy":"bob"}',
    'with an error instead': '{"kind":"error","name":"Error","message":"no"}',
  })) {
    it(`A7, I6: so is a step ${what}`, async () => {
      const { at, run } = await signed.settled();
      signed.forge(`UPDATE holdpoint_steps SET observation = '${observation}'`);
      await signed.refused(at, run.id, /does not say what was settled/);
    });
  }

  it('A7, I6: so is a step that says that it was settled, where no approval says so', async () => {
    const { at, run } = await signed.settled();
    signed.forge('DELETE FROM holdpoint_approvals', `UPDATE holdpoint_runs SET status = 'RUNNING'`);
    await signed.refused(at, run.id, /step 1 says that a person settled it/);
  });

  it('A7, L7: a settled result is checked again when the run is taken over after a crash', async () => {
    const { at, run } = await signed.settled();
    at.dieAfter(1);
    await rejection(at.runtime.resume(run.id));
    signed.world.expireLeases();
    const next = await signed.opened();
    signed.forge('UPDATE holdpoint_approvals SET signature = NULL');
    await signed.refused(next, run.id, NOT_SIGNED);
  });

  it('A7, L7: and the run goes on if it holds', async () => {
    const { at, run } = await signed.settled();
    at.dieAfter(1);
    await rejection(at.runtime.resume(run.id));
    signed.world.expireLeases();
    expect((await (await signed.opened()).runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  it('A7, I5: a grant that started a call is no obstacle to settling the call', async () => {
    const { hash, id } = (await signed.granted()).approval;
    const lost = await signed.opened();
    lost.dieAfter(1);
    await rejection(lost.runtime.resume('r'));
    signed.world.expireLeases();
    signed.forge(`UPDATE holdpoint_approvals SET note = 'changed' WHERE id = '${id}'`);
    const next = await signed.opened();
    const asked = await waitingApproval(next, await next.runtime.resume('r'));
    expect(asked.hash).not.to.equal(hash);
    await next.runtime.client.approvals.settle(asked.id, { ...decision(asked), result: 1 });
    expect((await next.runtime.resume('r')).status).to.equal('COMPLETED');
  });
});

describe('a signed decision that is forged between the check and the commit', () => {
  let signed: SignedWorld;
  beforeEach(() => {
    signed = new SignedWorld();
  });
  afterEach(() => signed.close());

  it('A7, A4: executes nothing: the transaction finds another row than was checked', async () => {
    const { run } = await signed.granted();
    const policy: Policy = () => {
      signed.forge(`UPDATE holdpoint_approvals SET decided_by = 'eve', note = 'mine'`);
      return allow();
    };
    const next = await signed.opened({ policy });
    expect(await rejection(next.runtime.resume(run.id))).to.include({ code: 'RUN_STATE', status: 'WAITING' });
    expect(signed.seen.calls).to.have.length(0);
    await signed.refused(next, run.id, NO_FIT);
  });

  it('A7, A4: is not gone on with: the agent is not shown a result that nobody signed', async () => {
    const { run } = await signed.settled();
    const provide = (cls: abstract new () => object): object => {
      signed.forge(`UPDATE holdpoint_steps SET observation = replace(observation, '"paid":1', '"paid":2')`);
      return new (cls as unknown as new () => object)();
    };
    const next = await signed.opened({ provide });
    const shown = signed.seen.seen.length;
    expect(await rejection(next.runtime.resume(run.id))).to.include({ code: 'RUN_STATE', status: 'WAITING' });
    expect(signed.seen.seen).to.have.length(shown);
    await signed.refused(next, run.id, /does not say what was settled/);
  });
});
