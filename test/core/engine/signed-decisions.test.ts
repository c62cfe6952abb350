import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import { requireApproval } from 'holdpoint';
import { mailer, waitingApproval } from '../../support/crash.js';
import {
  ANN,
  BOB,
  decision,
  EVE,
  NO_FIT,
  NOT_SIGNED,
  SignedWorld,
  STRANGER,
  WANTED,
} from '../../support/signed-world.js';
import { rejection } from '../../support/world.js';

/** What makes a grant that was used look like one that waits for a resume. */
const GRANT_PUT_BACK = [
  `UPDATE holdpoint_approvals SET status = 'approved'`,
  `DELETE FROM holdpoint_steps WHERE idx = 2`,
  `UPDATE holdpoint_steps SET status = 'awaiting_approval', observation = NULL, finished_at = NULL`,
  `UPDATE holdpoint_runs SET status = 'WAITING', reason = NULL, finished_at = NULL, step_count = 1`,
];

describe('a signed decision', () => {
  let signed: SignedWorld;
  beforeEach(() => {
    signed = new SignedWorld();
  });
  afterEach(() => signed.close());

  it('A7, A3: of an approver is executed; the row and the event keep its signature and the key it was made with', async () => {
    const { at, run, approval } = await signed.granted();
    const { client } = at.runtime;
    const { signature, signer } = await client.approvals.get(approval.id);
    expect(signer).to.equal(ANN.fingerprint);
    expect(Buffer.from(signature ?? '', 'base64')).to.have.length(64);
    const decided = (await client.runs.events(run.id)).find(({ type }) => type === 'approval.decided');
    expect(decided?.payload).to.include({ signature, signer, by: 'ann', decision: 'approved' });
    expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
    expect(signed.seen.calls).to.have.length(1);
  });

  it('A7, A6: is made from another program, with keys as PEM or as KeyObjects', async () => {
    const key = createPrivateKey(ANN.privateKey);
    const { at, run, approval } = await signed.paused({ approvers: [createPublicKey(ANN.publicKey)] });
    const client = await signed.world.client({ approvers: [ANN.publicKey] });
    await client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann', key });
    expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  it('A7: a grant that was written into the file is refused, and the error says what may be done', async () => {
    const { at, run, approval } = await signed.paused();
    signed.forge(`UPDATE holdpoint_approvals SET status = 'approved', decided_at = 1, decided_by = 'ann'`);
    const error = await signed.refused(at, run.id, NOT_SIGNED);
    expect(error).to.have.property('approvalId', approval.id);
    expect(error.message).to.match(/nothing was changed and nothing was called.*cancel/);
    expect(await at.runtime.client.cancel(run.id, { by: 'ann' })).to.include({ status: 'CANCELLED' });
  });

  it('A7: a decision that was made without a key, by a client that asks for none, is refused', async () => {
    const { at, run, approval } = await signed.paused();
    await (await signed.world.client()).approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    await signed.refused(at, run.id, NOT_SIGNED);
  });

  it('A7: signed with another key is refused, and so is one whose row names an approver’s', async () => {
    const { at, run, approval } = await signed.paused();
    await (await signed.world.client()).approvals.approve(approval.id, decision(approval, EVE));
    await signed.refused(at, run.id, STRANGER);
    signed.forge(`UPDATE holdpoint_approvals SET signer = '${ANN.fingerprint}'`);
    await signed.refused(at, run.id, NO_FIT);
  });

  it('A7: is refused once its key is removed from the approvers, and counts again if it is put back', async () => {
    const { run } = await signed.granted();
    await signed.refused(await signed.opened({ approvers: [BOB.publicKey] }), run.id, STRANGER);
    const rotating = await signed.opened({ approvers: [BOB.publicKey, ANN.publicKey] });
    expect((await rotating.runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  it('A7: may be any approver’s', async () => {
    const { at, run, approval } = await signed.paused({ approvers: [ANN.publicKey, BOB.publicKey] });
    const { signer } = await at.runtime.client.approvals.approve(approval.id, decision(approval, BOB));
    expect(signer).to.equal(BOB.fingerprint);
    expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  for (const change of [
    `decided_by = 'bob'`,
    `note = NULL`,
    `decided_at = decided_at + 1`,
    `grant_ttl_ms = NULL`,
    `result = '1'`,
    `signature = upper(signature)`,
    `signature = signature || ' '`,
    `kind = 'letter'`,
    `presentation = '{"to":"bob"}'`,
    `request = json_set(request, '$.args.text', 'evil')`,
    `request = '{"__proto__":1}'`,
  ]) {
    it(`A7: is refused after UPDATE … SET ${change}`, async () => {
      const { at, run } = await signed.granted({ grantTtlMs: 1_000 });
      signed.forge(`UPDATE holdpoint_approvals SET ${change}`);
      await signed.refused(at, run.id, NO_FIT);
    });
  }

  it('A7: fits no other approval, though it asks for the very same', async () => {
    const other = requireApproval({ ...WANTED, presentation: { to: 'bob' } });
    const { at, run, approval: first } = await signed.granted();
    const strict = await signed.opened({ policy: () => other });
    const second = await waitingApproval(strict, await strict.runtime.resume(run.id));
    await strict.runtime.client.approvals.approve(second.id, decision(second));
    const third = await waitingApproval(at, await at.runtime.resume(run.id));
    expect(third.hash).to.equal(first.hash);
    const copied = ['status', 'decided_at', 'decided_by', 'note', 'signature', 'signer']
      .map((column) => `${column} = (SELECT ${column} FROM holdpoint_approvals WHERE id = '${first.id}')`)
      .join(', ');
    signed.forge(
      `UPDATE holdpoint_approvals SET ${copied} WHERE id = '${third.id}'`,
      `UPDATE holdpoint_approvals SET status = 'approved' WHERE id = '${third.id}'`,
    );
    await signed.refused(at, run.id, NO_FIT);
  });

  it('A7: a grant that was used is not used again, though its row says that it may be', async () => {
    const { at, run } = await signed.granted();
    await at.runtime.resume(run.id);
    signed.forge(...GRANT_PUT_BACK);
    await signed.refused(at, run.id, /it was used already/);
  });

  it('A7: what a policy shows is no matter: its question may speak of attempts', async () => {
    const policy = () => requireApproval({ ...WANTED, presentation: { attempt: 3 } });
    const { at, run } = await signed.granted({ policy });
    expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  it('A7: a grant of an interrupted call is not used again either', async () => {
    const { at, run, approval } = await signed.interrupted();
    await at.runtime.client.approvals.approve(approval.id, decision(approval));
    await at.runtime.resume(run.id);
    signed.forge(...GRANT_PUT_BACK);
    await signed.refused(at, run.id, /it was used already/);
  });

  it('A7: a grant counts for the call that its step has recorded', async () => {
    const { at, run } = await signed.granted();
    signed.forge(`UPDATE holdpoint_steps SET args = '{"text":"evil","times":1}'`);
    await signed.refused(at, run.id, /not the one that its step has recorded/);
    signed.forge(`UPDATE holdpoint_steps SET args = '{"__proto__":1}'`);
    await signed.refused(at, run.id, /no canonical form/);
  });

  for (const status of ['rejected', 'spent', 'expired', 'cancelled']) {
    it(`A7: a run does not leave WAITING because its question was made ${status} in the file`, async () => {
      const { at, run } = await signed.paused();
      signed.forge(`UPDATE holdpoint_approvals SET status = '${status}', decided_at = 1, decided_by = 'eve'`);
      await signed.refused(at, run.id, new RegExp(`it is ${status}`));
    });
  }

  it('A7: nor because its question was deleted', async () => {
    const { at, run } = await signed.paused();
    signed.forge('DELETE FROM holdpoint_approvals');
    expect(await signed.refused(at, run.id, /the approval that it waits for is gone/)).to.have.property(
      'approvalId',
      null,
    );
  });

  it('A7: a run that waits for nobody but a person is returned as it is', async () => {
    const { at, run } = await signed.paused();
    expect(await at.runtime.resume(run.id)).to.include({ status: 'WAITING' });
  });

  describe('is asked for', () => {
    const attempts = {
      'without a key': {},
      'with the key of somebody else': { key: EVE.privateKey },
    };
    for (const [what, key] of Object.entries(attempts)) {
      it(`A7: a decision ${what} is refused before anything is written, by a runtime’s client and by one of its own`, async () => {
        const { at, approval } = await signed.paused();
        const before = signed.rows();
        for (const client of [at.runtime.client, await signed.world.client({ approvers: [ANN.publicKey] })]) {
          const { approvals } = client;
          const answer = { hash: approval.hash, by: 'eve', ...key };
          for (const decide of [
            () => approvals.approve(approval.id, answer),
            () => approvals.reject(approval.id, answer),
            () => approvals.settle(approval.id, { ...answer, result: 1 }),
          ]) {
            const error = await rejection(decide());
            expect(error).to.include({ code: 'INVALID_ARGUMENT' });
            expect(error.message).to.match(/key must be .* one of the approvers.*nothing was decided/);
          }
        }
        expect(signed.rows()).to.deep.equal(before);
      });
    }

    it('A7: a rejection is signed as well', async () => {
      const { at, run, approval } = await signed.paused();
      const { signer } = await at.runtime.client.approvals.reject(approval.id, decision(approval));
      expect(signer).to.equal(ANN.fingerprint);
      expect(await at.runtime.client.runs.get(run.id)).to.include({ reason: 'approval_rejected' });
    });

    it('A7: nowhere unless approvers are given; a signature that is given anyway is kept', async () => {
      const at = await signed.world.open([mailer(signed.seen)], { policy: () => requireApproval(WANTED) });
      const first = await waitingApproval(at, await at.runtime.start('mailer', { goal: 'g', id: 'a' }));
      const second = await waitingApproval(at, await at.runtime.start('mailer', { goal: 'g', id: 'b' }));
      const { approvals } = at.runtime.client;
      expect(await approvals.approve(first.id, { hash: first.hash, by: 'ann' })).to.include({
        signature: null,
        signer: null,
      });
      expect(await approvals.approve(second.id, decision(second))).to.include({ signer: ANN.fingerprint });
      for (const id of ['a', 'b']) expect((await at.runtime.resume(id)).status).to.equal('COMPLETED');
    });
  });
});
