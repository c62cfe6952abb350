import { createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import { generateApproverKey, requireApproval } from 'holdpoint';
import {
  refusedRuns,
  unsignedDecisions,
  type RefusedRun,
  type UnsignedDecision,
} from '../../../core/engine/signatures.js';
import { mailer, outside, waitingApproval } from '../../support/crash.js';
import { ANN, SignedWorld } from '../../support/signed-world.js';
import { World, type Mortal } from '../../support/world.js';

const APPROVERS = new Map([[ANN.fingerprint, createPublicKey(ANN.publicKey)]]);

describe('the unsigned decisions of a store', () => {
  let world: World;
  let at: Mortal;

  beforeEach(async () => {
    world = new World();
    at = await world.open([mailer(outside())], { policy: () => requireApproval() });
  });

  afterEach(() => world.close());

  /** A run whose one call was decided, with a key or without. */
  async function decided(runId: string, how: 'approve' | 'reject', key?: string): Promise<string> {
    const { id, hash } = await waitingApproval(at, await at.runtime.start('mailer', { goal: 'g', id: runId }));
    await at.runtime.client.approvals[how](id, { hash, by: runId, ...(key === undefined ? {} : { key }) });
    return id;
  }

  async function found(): Promise<UnsignedDecision[]> {
    const all: UnsignedDecision[] = [];
    for await (const one of unsignedDecisions(at.store, APPROVERS)) all.push(one);
    return all;
  }

  it('A7: are told with their run, status, decider and what is wrong, oldest first; what is signed or undecided is not', async () => {
    await decided('signed', 'approve', ANN.privateKey);
    const granted = await decided('granted', 'approve');
    const refused = await decided('refused', 'reject', generateApproverKey().privateKey);
    const used = await decided('used', 'approve');
    await at.runtime.resume('used');
    await at.runtime.start('mailer', { goal: 'g', id: 'asking' });
    const cancelled = await decided('cancelled', 'approve');
    await at.runtime.client.cancel('cancelled', { by: 'ann' });
    const stranger = 'it is signed with a key that is not among the approvers';
    expect(await found()).to.deep.equal([
      { approvalId: granted, runId: 'granted', status: 'approved', by: 'granted', why: 'it is not signed' },
      { approvalId: refused, runId: 'refused', status: 'rejected', by: 'refused', why: stranger },
      { approvalId: used, runId: 'used', status: 'spent', by: 'used', why: 'it is not signed' },
    ]);
    expect((await at.runtime.client.approvals.get(cancelled)).status).to.equal('cancelled');
  });

  it('A7: are found on every page', async () => {
    await decided('r', 'reject');
    const columns = (world.sql().pragma('table_info(holdpoint_approvals)') as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name !== 'seq');
    world
      .sql()
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
         INSERT INTO holdpoint_approvals (${columns.join()})
         SELECT ${columns.map((name) => (name === 'id' ? `id || '-' || i` : name)).join()} FROM holdpoint_approvals, n`,
      )
      .run();
    const all = await found();
    expect(all).to.have.length(1201);
    expect(new Set(all.map(({ approvalId }) => approvalId)).size).to.equal(1201);
  });

  it('A7, S9: are found whatever their id holds, and hide no other', async () => {
    const hostile = await decided('hostile', 'approve', ANN.privateKey);
    const other = await decided('other', 'reject');
    let id = `'${hostile}'`;
    for (const next of HOSTILE) {
      world.sql().exec(`UPDATE holdpoint_approvals SET id = ${next} WHERE id = ${id}`);
      id = next;
      const all = await found();
      expect(all.map(({ runId }) => runId)).to.deep.equal(['hostile', 'other']);
      expect(all[0]?.why).to.match(/^its id is not one that it can be read by$|^its signature does not fit/);
      expect(all[1]?.approvalId).to.equal(other);
    }
  });

  it('A7, S9: are found where a signed one is read by what their id looks like', async () => {
    await decided('shown', 'approve', ANN.privateKey);
    const hidden = await decided('hidden', 'approve');
    const db = world.sql();
    db.prepare(`UPDATE holdpoint_approvals SET id = ? WHERE run_id = 'shown'`).run('\uFFFD');
    db.exec(`UPDATE holdpoint_approvals SET id = CAST(x'ff' AS TEXT) WHERE id = '${hidden}'`);
    expect((await found()).map(({ runId }) => runId)).to.deep.equal(['shown', 'hidden']);
    expect((await found()).at(-1)?.why).to.equal('its id is not one that it can be read by');
  });

  it('A7, S9: a signed one of which something does not decode is among them', async () => {
    await decided('r', 'approve', ANN.privateKey);
    expect(await found()).to.deep.equal([]);
    world.sql().exec(`UPDATE holdpoint_approvals SET note = x'00'`);
    expect((await found()).map(({ why }) => why)).to.deep.equal(['note is not text']);
  });
});

/** Ids that no list shows as they are, or that no read finds: bytes, no UTF-8, longer than a page shows. */
const HOSTILE = ["x'00ff'", "CAST(x'ff' AS TEXT)", "CAST(x'80' AS TEXT)", `'${'i'.repeat(9000)}'`];

describe('the runs of a store that a resume would refuse', () => {
  let signed: SignedWorld;
  beforeEach(() => {
    signed = new SignedWorld();
  });
  afterEach(() => signed.close());

  async function refused({ store }: Mortal): Promise<RefusedRun[]> {
    const all: RefusedRun[] = [];
    for await (const one of refusedRuns(store, APPROVERS)) all.push(one);
    return all;
  }

  it('A7: are told with what is wrong; those that wait, and those that go on well, are not', async () => {
    const { at, run, approval } = await signed.granted();
    await at.runtime.start('mailer', { goal: 'g', id: 'asking' });
    expect(await refused(at)).to.deep.equal([]);
    signed.forge(`UPDATE holdpoint_approvals SET note = 'mine' WHERE id = '${approval.id}'`);
    const why = 'its signature does not fit what it says';
    expect(await refused(at)).to.deep.equal([{ runId: run.id, approvalId: approval.id, why }]);
  });

  it('A7: are found though each signature holds: a grant that is put back, and a step that nobody settled', async () => {
    const { at, run, approval } = await signed.granted();
    await at.runtime.resume(run.id);
    signed.forge(
      `UPDATE holdpoint_approvals SET status = 'approved'`,
      `UPDATE holdpoint_runs SET status = 'RUNNING', reason = NULL, finished_at = NULL`,
    );
    expect(await refused(at)).to.deep.equal([
      { runId: run.id, approvalId: approval.id, why: 'it was used already: its step went on since' },
    ]);
    signed.forge(
      `UPDATE holdpoint_approvals SET status = 'spent'`,
      `UPDATE holdpoint_steps SET observation = '{"kind":"result","result":1,"settledBy":"eve"}' WHERE idx = 1`,
    );
    expect(await refused(at)).to.deep.equal([
      { runId: run.id, approvalId: null, why: 'step 1 says that a person settled it, and no approval of it does' },
    ]);
  });

  it('A7: are none of those that have ended, or that do not decode', async () => {
    const { at } = await signed.granted();
    signed.forge(`UPDATE holdpoint_approvals SET note = 'mine'`, `UPDATE holdpoint_steps SET args = 'not JSON'`);
    expect(await refused(at)).to.deep.equal([]);
    signed.forge(`UPDATE holdpoint_steps SET args = NULL`);
    expect(await refused(at)).to.have.length(1);
    await at.runtime.client.cancel('r', { by: 'ann' });
    expect(await refused(at)).to.deep.equal([]);
  });

  it('A7, S9: a run whose id is not one that it can be read by is among them, and hides no other', async () => {
    const { at } = await signed.granted();
    const other = await at.runtime.start('mailer', { goal: 'g', id: 'other' });
    signed.forge(`UPDATE holdpoint_approvals SET status = 'approved', decided_at = 1, decided_by = 'eve'
      WHERE run_id = '${other.id}'`);
    let id = `'r'`;
    for (const next of HOSTILE) {
      signed.forge(`UPDATE holdpoint_runs SET id = ${next} WHERE id = ${id}`);
      id = next;
      const all = await refused(at);
      expect(all, next.slice(0, 30)).to.have.length(2);
      expect(all[0]?.why).to.equal('its id is not one that it can be read by');
      expect(all[0]?.approvalId).to.be.null;
      expect(all[1]).to.include({ runId: 'other', why: 'it is not signed' });
    }
  });
});
