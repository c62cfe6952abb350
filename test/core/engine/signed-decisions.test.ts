import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import {
  allow,
  generateApproverKey,
  requireApproval,
  type Approval,
  type ApproverKeyPair,
  type Policy,
  type Run,
  type RuntimeOptions,
} from 'holdpoint';
import { crashInTool, mailer, outside, waitingApproval, type Outside } from '../../support/crash.js';
import { rejection, World, type Mortal } from '../../support/world.js';

const WANTED = { kind: 'mail', capability: 'mail.send', presentation: { to: 'ann' } };
const ANN = generateApproverKey();
const BOB = generateApproverKey();
const EVE = generateApproverKey();
const NOT_SIGNED = /it is not signed/;
const STRANGER = /a key that is not among the approvers/;
const NO_FIT = /its signature does not fit what it says/;

describe('a signed decision', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  interface Asked {
    readonly at: Mortal;
    readonly run: Run;
    readonly approval: Approval;
  }

  function opened(options: Partial<RuntimeOptions> = {}): Promise<Mortal> {
    return world.open([mailer(seen)], {
      policy: () => requireApproval(WANTED),
      approvers: [ANN.publicKey],
      ...options,
    });
  }

  /** A run that waits to be allowed its call. */
  async function paused(options: Partial<RuntimeOptions> = {}): Promise<Asked> {
    const at = await opened(options);
    const run = await at.runtime.start('mailer', { goal: 'g', id: 'r' });
    return { at, run, approval: await waitingApproval(at, run) };
  }

  /** A run that waits for a person to say what came of its call. */
  async function interrupted(options: Partial<RuntimeOptions> = {}): Promise<Asked> {
    const policy = () => allow();
    const { runId } = await crashInTool(world, seen, {}, { policy, ...options });
    const at = await opened({ policy, ...options });
    const run = await at.runtime.resume(runId);
    return { at, run, approval: await waitingApproval(at, run) };
  }

  const decision = ({ hash }: Approval, { privateKey: key }: ApproverKeyPair = ANN) => ({
    hash,
    by: 'ann',
    note: 'fine',
    key,
  });

  async function granted(options: Partial<RuntimeOptions> = {}): Promise<Asked> {
    const waiting = await paused(options);
    const { at, approval } = waiting;
    await at.runtime.client.approvals.approve(approval.id, decision(approval));
    return waiting;
  }

  async function settled(options: Partial<RuntimeOptions> = {}): Promise<Asked> {
    const waiting = await interrupted(options);
    const { at, approval } = waiting;
    await at.runtime.client.approvals.settle(approval.id, { ...decision(approval), result: { paid: 1 } });
    return waiting;
  }

  /** Every row of every table, as SQLite has it. */
  function rows(): unknown {
    const db = world.sql();
    const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).pluck().all();
    return tables.map((table) => [table, db.prepare(`SELECT * FROM "${String(table)}"`).all()]);
  }

  function forge(...statements: readonly string[]): void {
    const db = world.sql();
    for (const statement of statements) expect(db.prepare(statement).run().changes, statement).to.be.above(0);
  }

  /** The resume is refused for this reason, changes no row and calls nothing. */
  async function refused({ runtime }: Mortal, runId: string, why: RegExp): Promise<Error> {
    const before = rows();
    const calls = seen.calls.length;
    const error = await rejection(runtime.resume(runId));
    expect(error).to.include({ name: 'DecisionNotSignedError', code: 'DECISION_NOT_SIGNED', runId });
    expect(error).to.have.property('why').that.matches(why);
    expect(rows()).to.deep.equal(before);
    expect(seen.calls).to.have.length(calls);
    return error;
  }

  it('A7, A3: of an approver is executed; the row and the event keep its signature and the key it was made with', async () => {
    const { at, run, approval } = await granted();
    const { client } = at.runtime;
    const { signature, signer } = await client.approvals.get(approval.id);
    expect(signer).to.equal(ANN.fingerprint);
    expect(Buffer.from(signature ?? '', 'base64')).to.have.length(64);
    const decided = (await client.runs.events(run.id)).find(({ type }) => type === 'approval.decided');
    expect(decided?.payload).to.include({ signature, signer, by: 'ann', decision: 'approved' });
    expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
    expect(seen.calls).to.have.length(1);
  });

  it('A7, A6: is made from another program, with keys as PEM or as KeyObjects', async () => {
    const key = createPrivateKey(ANN.privateKey);
    const { at, run, approval } = await paused({ approvers: [createPublicKey(ANN.publicKey)] });
    const client = await world.client({ approvers: [ANN.publicKey] });
    await client.approvals.approve(approval.id, { hash: approval.hash, by: 'ann', key });
    expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  it('A7: a grant that was written into the file is refused, and the error says what may be done', async () => {
    const { at, run, approval } = await paused();
    forge(`UPDATE holdpoint_approvals SET status = 'approved', decided_at = 1, decided_by = 'ann'`);
    const error = await refused(at, run.id, NOT_SIGNED);
    expect(error).to.have.property('approvalId', approval.id);
    expect(error.message).to.match(/nothing was changed and nothing was called.*cancel/);
    expect(await at.runtime.client.cancel(run.id, { by: 'ann' })).to.include({ status: 'CANCELLED' });
  });

  it('A7: a decision that was made without a key, by a client that asks for none, is refused', async () => {
    const { at, run, approval } = await paused();
    await (await world.client()).approvals.approve(approval.id, { hash: approval.hash, by: 'ann' });
    await refused(at, run.id, NOT_SIGNED);
  });

  it('A7: signed with another key is refused, and so is one whose row names an approver’s', async () => {
    const { at, run, approval } = await paused();
    await (await world.client()).approvals.approve(approval.id, decision(approval, EVE));
    await refused(at, run.id, STRANGER);
    forge(`UPDATE holdpoint_approvals SET signer = '${ANN.fingerprint}'`);
    await refused(at, run.id, NO_FIT);
  });

  it('A7: is refused once its key is removed from the approvers, and counts again if it is put back', async () => {
    const { run } = await granted();
    await refused(await opened({ approvers: [BOB.publicKey] }), run.id, STRANGER);
    const rotating = await opened({ approvers: [BOB.publicKey, ANN.publicKey] });
    expect((await rotating.runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  it('A7: may be any approver’s', async () => {
    const { at, run, approval } = await paused({ approvers: [ANN.publicKey, BOB.publicKey] });
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
      const { at, run } = await granted({ grantTtlMs: 1_000 });
      forge(`UPDATE holdpoint_approvals SET ${change}`);
      await refused(at, run.id, NO_FIT);
    });
  }

  it('A7: fits no other approval, though it asks for the very same', async () => {
    const other = requireApproval({ ...WANTED, presentation: { to: 'bob' } });
    const { at, run, approval: first } = await granted();
    const strict = await opened({ policy: () => other });
    const second = await waitingApproval(strict, await strict.runtime.resume(run.id));
    await strict.runtime.client.approvals.approve(second.id, decision(second));
    const third = await waitingApproval(at, await at.runtime.resume(run.id));
    expect(third.hash).to.equal(first.hash);
    const copied = ['status', 'decided_at', 'decided_by', 'note', 'signature', 'signer']
      .map((column) => `${column} = (SELECT ${column} FROM holdpoint_approvals WHERE id = '${first.id}')`)
      .join(', ');
    forge(
      `UPDATE holdpoint_approvals SET ${copied} WHERE id = '${third.id}'`,
      `UPDATE holdpoint_approvals SET status = 'approved' WHERE id = '${third.id}'`,
    );
    await refused(at, run.id, NO_FIT);
  });

  it('A7: a grant that was used is not used again, though its row says that it may be', async () => {
    const { at, run } = await granted();
    await at.runtime.resume(run.id);
    forge(
      `UPDATE holdpoint_approvals SET status = 'approved'`,
      `DELETE FROM holdpoint_steps WHERE idx = 2`,
      `UPDATE holdpoint_steps SET status = 'awaiting_approval', observation = NULL, finished_at = NULL`,
      `UPDATE holdpoint_runs SET status = 'WAITING', reason = NULL, finished_at = NULL, step_count = 1`,
    );
    await refused(at, run.id, /it was used already/);
  });

  it('A7: a grant of an interrupted call is not used again either', async () => {
    const { at, run, approval } = await interrupted();
    await at.runtime.client.approvals.approve(approval.id, decision(approval));
    await at.runtime.resume(run.id);
    forge(
      `UPDATE holdpoint_approvals SET status = 'approved'`,
      `DELETE FROM holdpoint_steps WHERE idx = 2`,
      `UPDATE holdpoint_steps SET status = 'awaiting_approval', observation = NULL, finished_at = NULL`,
      `UPDATE holdpoint_runs SET status = 'WAITING', reason = NULL, finished_at = NULL, step_count = 1`,
    );
    await refused(at, run.id, /it was used already/);
  });

  it('A7: a grant counts for the call that its step has recorded', async () => {
    const { at, run } = await granted();
    forge(`UPDATE holdpoint_steps SET args = '{"text":"evil","times":1}'`);
    await refused(at, run.id, /not the one that its step has recorded/);
    forge(`UPDATE holdpoint_steps SET args = '{"__proto__":1}'`);
    await refused(at, run.id, /no canonical form/);
  });

  for (const status of ['rejected', 'spent', 'expired', 'cancelled']) {
    it(`A7: a run does not leave WAITING because its question was made ${status} in the file`, async () => {
      const { at, run } = await paused();
      forge(`UPDATE holdpoint_approvals SET status = '${status}', decided_at = 1, decided_by = 'eve'`);
      await refused(at, run.id, new RegExp(`it is ${status}`));
    });
  }

  it('A7: nor because its question was deleted', async () => {
    const { at, run } = await paused();
    forge('DELETE FROM holdpoint_approvals');
    expect(await refused(at, run.id, /the approval that it waits for is gone/)).to.have.property('approvalId', null);
  });

  it('A7: a run that waits for nobody but a person is returned as it is', async () => {
    const { at, run } = await paused();
    expect(await at.runtime.resume(run.id)).to.include({ status: 'WAITING' });
  });

  describe('about a call whose outcome is unknown', () => {
    it('A7, I6: approved, it is made once more', async () => {
      const { at, run, approval } = await interrupted();
      await at.runtime.client.approvals.approve(approval.id, decision(approval));
      expect((await at.runtime.resume(run.id)).status).to.equal('COMPLETED');
      expect(seen.calls.map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
    });

    it('A7, I6: settled, it is not made, and the run goes on with what was entered', async () => {
      const { at, run, approval } = await settled();
      expect((await at.runtime.client.approvals.get(approval.id)).signer).to.equal(ANN.fingerprint);
      const done = await at.runtime.resume(run.id);
      expect(done.result).to.deep.equal({ kind: 'result', result: { paid: 1 }, settledBy: 'ann' });
      expect(seen.calls).to.have.length(1);
    });

    it('A7, I6: a settled result that was written into the file is refused', async () => {
      const { at, run } = await interrupted();
      forge(
        `UPDATE holdpoint_approvals SET status = 'settled', decided_at = 1, decided_by = 'ann', result = '{"paid":2}'`,
        `UPDATE holdpoint_steps SET status = 'done', finished_at = 1,
          observation = '{"kind":"result","result":{"paid":2},"settledBy":"ann"}'`,
      );
      await refused(at, run.id, NOT_SIGNED);
    });

    it('A7, I6: a signature that approved does not settle', async () => {
      const { at, run, approval } = await interrupted();
      await at.runtime.client.approvals.approve(approval.id, decision(approval));
      forge(
        `UPDATE holdpoint_approvals SET status = 'settled'`,
        `UPDATE holdpoint_steps SET status = 'done', finished_at = 1,
          observation = '{"kind":"result","result":null,"settledBy":"ann"}'`,
      );
      await refused(at, run.id, NO_FIT);
    });

    it('A7, I6: another result than was signed is refused, in the approval', async () => {
      const { at, run } = await settled();
      forge(
        `UPDATE holdpoint_approvals SET result = '{"paid":2}'`,
        `UPDATE holdpoint_steps SET observation = replace(observation, '"paid":1', '"paid":2')`,
      );
      await refused(at, run.id, NO_FIT);
    });

    for (const [what, observation] of Object.entries({
      'with another result': '{"kind":"result","result":{"paid":2},"settledBy":"ann"}',
      'without the mark': '{"kind":"result","result":{"paid":1}}',
      'with another decider': '{"kind":"result","result":{"paid":1},"settledBy":"bob"}',
      'with an error instead': '{"kind":"error","name":"Error","message":"no"}',
    })) {
      it(`A7, I6: so is a step ${what}`, async () => {
        const { at, run } = await settled();
        forge(`UPDATE holdpoint_steps SET observation = '${observation}'`);
        await refused(at, run.id, /does not say what was settled/);
      });
    }

    it('A7, I6: so is a step that says that it was settled, where no approval says so', async () => {
      const { at, run } = await settled();
      forge('DELETE FROM holdpoint_approvals', `UPDATE holdpoint_runs SET status = 'RUNNING'`);
      await refused(at, run.id, /step 1 says that a person settled it/);
    });

    it('A7, L7: a settled result is checked again when the run is taken over after a crash', async () => {
      const { at, run } = await settled();
      at.dieAfter(1);
      await rejection(at.runtime.resume(run.id));
      world.expireLeases();
      const next = await opened();
      forge('UPDATE holdpoint_approvals SET signature = NULL');
      await refused(next, run.id, NOT_SIGNED);
    });

    it('A7, L7: and the run goes on if it holds', async () => {
      const { at, run } = await settled();
      at.dieAfter(1);
      await rejection(at.runtime.resume(run.id));
      world.expireLeases();
      expect((await (await opened()).runtime.resume(run.id)).status).to.equal('COMPLETED');
    });

    it('A7, I5: a grant that started a call is no obstacle to settling the call', async () => {
      const { hash, id } = (await granted()).approval;
      const lost = await opened();
      lost.dieAfter(1);
      await rejection(lost.runtime.resume('r'));
      world.expireLeases();
      forge(`UPDATE holdpoint_approvals SET note = 'changed' WHERE id = '${id}'`);
      const next = await opened();
      const asked = await waitingApproval(next, await next.runtime.resume('r'));
      expect(asked.hash).not.to.equal(hash);
      await next.runtime.client.approvals.settle(asked.id, { ...decision(asked), result: 1 });
      expect((await next.runtime.resume('r')).status).to.equal('COMPLETED');
    });
  });

  describe('that is forged between the check and the commit', () => {
    it('A7, A4: executes nothing: the transaction finds another row than was checked', async () => {
      const { run } = await granted();
      const policy: Policy = () => {
        forge(`UPDATE holdpoint_approvals SET decided_by = 'eve', note = 'mine'`);
        return allow();
      };
      const next = await opened({ policy });
      expect(await rejection(next.runtime.resume(run.id))).to.include({ code: 'RUN_STATE', status: 'WAITING' });
      expect(seen.calls).to.have.length(0);
      await refused(next, run.id, NO_FIT);
    });

    it('A7, A4: is not gone on with: the agent is not shown a result that nobody signed', async () => {
      const { run } = await settled();
      const provide = (cls: abstract new () => object): object => {
        forge(`UPDATE holdpoint_steps SET observation = replace(observation, '"paid":1', '"paid":2')`);
        return new (cls as unknown as new () => object)();
      };
      const next = await opened({ provide });
      const shown = seen.seen.length;
      expect(await rejection(next.runtime.resume(run.id))).to.include({ code: 'RUN_STATE', status: 'WAITING' });
      expect(seen.seen).to.have.length(shown);
      await refused(next, run.id, /does not say what was settled/);
    });
  });

  describe('is asked for', () => {
    const attempts = {
      'without a key': {},
      'with the key of somebody else': { key: EVE.privateKey },
    };
    for (const [what, key] of Object.entries(attempts)) {
      it(`A7: a decision ${what} is refused before anything is written, by a runtime’s client and by one of its own`, async () => {
        const { at, approval } = await paused();
        const before = rows();
        for (const client of [at.runtime.client, await world.client({ approvers: [ANN.publicKey] })]) {
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
        expect(rows()).to.deep.equal(before);
      });
    }

    it('A7: a rejection is signed as well', async () => {
      const { at, run, approval } = await paused();
      const { signer } = await at.runtime.client.approvals.reject(approval.id, decision(approval));
      expect(signer).to.equal(ANN.fingerprint);
      expect(await at.runtime.client.runs.get(run.id)).to.include({ reason: 'approval_rejected' });
    });

    it('A7: nowhere unless approvers are given; a signature that is given anyway is kept', async () => {
      const at = await world.open([mailer(seen)], { policy: () => requireApproval(WANTED) });
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
