import { expect } from 'chai';
import {
  allow,
  generateApproverKey,
  requireApproval,
  type Approval,
  type ApproverKeyPair,
  type Run,
  type RuntimeOptions,
} from 'holdpoint';
import { crashInTool, mailer, outside, waitingApproval } from './crash.js';
import { rejection, World, type Mortal } from './world.js';

/** Keys of people; only Ann is an approver unless a test says otherwise. */
export const ANN = generateApproverKey();
export const BOB = generateApproverKey();
export const EVE = generateApproverKey();

/** What the policy asks for. */
export const WANTED = { kind: 'mail', capability: 'mail.send', presentation: { to: 'ann' } };

export const NOT_SIGNED = /it is not signed/;
export const STRANGER = /a key that is not among the approvers/;
export const NO_FIT = /its signature does not fit what it says/;

/** A run that waits for a person, or whose person has decided. */
export interface Asked {
  readonly at: Mortal;
  readonly run: Run;
  readonly approval: Approval;
}

export function decision({ hash }: Approval, { privateKey: key }: ApproverKeyPair = ANN) {
  return { hash, by: 'ann', note: 'fine', key };
}

/** A store that approvers decide in, and that somebody else may write to past the SDK. */
export class SignedWorld {
  readonly world = new World();
  readonly seen = outside();

  opened(options: Partial<RuntimeOptions> = {}): Promise<Mortal> {
    const policy = () => requireApproval(WANTED);
    return this.world.open([mailer(this.seen)], { policy, approvers: [ANN.publicKey], ...options });
  }

  /** A run that waits to be allowed its call. */
  async paused(options: Partial<RuntimeOptions> = {}): Promise<Asked> {
    const at = await this.opened(options);
    const run = await at.runtime.start('mailer', { goal: 'g', id: 'r' });
    return { at, run, approval: await waitingApproval(at, run) };
  }

  /** A run that waits for a person to say what came of its call. */
  async interrupted(): Promise<Asked> {
    const policy = () => allow();
    const { runId } = await crashInTool(this.world, this.seen, {}, { policy });
    const at = await this.opened({ policy });
    const run = await at.runtime.resume(runId);
    return { at, run, approval: await waitingApproval(at, run) };
  }

  async granted(options: Partial<RuntimeOptions> = {}): Promise<Asked> {
    const waiting = await this.paused(options);
    const { at, approval } = waiting;
    await at.runtime.client.approvals.approve(approval.id, decision(approval));
    return waiting;
  }

  async settled(): Promise<Asked> {
    const waiting = await this.interrupted();
    const { at, approval } = waiting;
    await at.runtime.client.approvals.settle(approval.id, { ...decision(approval), result: { paid: 1 } });
    return waiting;
  }

  /** Every row of every table, as SQLite has it. */
  rows(): unknown {
    const db = this.world.sql();
    const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).pluck().all();
    return tables.map((table) => [table, db.prepare(`SELECT * FROM "${String(table)}"`).all()]);
  }

  /** Writes to the file, as whoever can write it would. */
  forge(...statements: readonly string[]): void {
    const db = this.world.sql();
    for (const statement of statements) expect(db.prepare(statement).run().changes, statement).to.be.above(0);
  }

  /** The resume is refused for this reason, changes no row and calls nothing. */
  async refused({ runtime }: Mortal, runId: string, why: RegExp): Promise<Error> {
    const before = this.rows();
    const calls = this.seen.calls.length;
    const error = await rejection(runtime.resume(runId));
    expect(error).to.include({ name: 'DecisionNotSignedError', code: 'DECISION_NOT_SIGNED', runId });
    expect(error).to.have.property('why').that.matches(why);
    expect(this.rows()).to.deep.equal(before);
    expect(this.seen.calls).to.have.length(calls);
    return error;
  }

  close(): Promise<void> {
    return this.world.close();
  }
}
