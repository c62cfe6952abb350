import { expect } from 'chai';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DecisionNotSignedError, defaultPolicy, fingerprintOf, type Runtime } from 'holdpoint';
import { clerk } from '../../core/store/waiting.js';
import { type Ended, holdpointHere } from '../../support/cli.js';
import { rejection } from '../../support/world.js';
import { stores, type Stores } from './stores.js';

describe('signing decisions from the command line', () => {
  let given: Stores;
  let store: string;
  let key: string;
  beforeEach(async () => {
    given = await stores();
    store = given.file;
    key = join(given.world.dir, 'dana.key');
  });
  afterEach(() => given.world.close());

  const keygen = (): Promise<Ended> => holdpointHere(['keygen', key]);
  const read = (path: string): string => readFileSync(path, 'utf8');

  async function open(): Promise<Runtime> {
    const options = { policy: defaultPolicy, approvers: [read(`${key}.pub`)] };
    return (await given.world.open([clerk([])], options)).runtime;
  }

  it('keygen writes a private key that is its owner’s only, under any umask, and a public one', async () => {
    const before = process.umask(0);
    try {
      const { code, out } = await keygen();
      expect(code).to.equal(0);
      expect(out)
        .to.contain(fingerprintOf(read(`${key}.pub`)))
        .and.not.to.contain('PRIVATE');
    } finally {
      process.umask(before);
    }
    expect(statSync(key).mode & 0o777).to.equal(0o600);
    expect(read(key)).to.match(/^-----BEGIN PRIVATE KEY-----/);
    expect(read(`${key}.pub`)).to.match(/^-----BEGIN PUBLIC KEY-----/);
  });

  it('keygen overwrites nothing, and follows no link', async () => {
    writeFileSync(`${key}.pub`, 'mine');
    const taken = await keygen();
    expect(taken.code).to.equal(2);
    expect(taken.err).to.contain('exists already and was not touched');
    expect(read(`${key}.pub`)).to.equal('mine');
    key = join(given.world.dir, 'dangling.key');
    symlinkSync(join(given.world.dir, 'nowhere'), `${key}.pub`);
    expect((await keygen()).code).to.equal(2);
    expect(existsSync(key)).to.be.false;
    key = join(given.world.dir, 'linked.key');
    symlinkSync(join(given.world.dir, 'elsewhere'), key);
    expect((await keygen()).code).to.equal(2);
  });

  it('A7: a decision made with --key is one that a runtime with approvers goes on with', async () => {
    await keygen();
    const { id, hash } = given.asked;
    const { code } = await holdpointHere(['approve', id, '--hash', hash, '--by', 'dana', '--key', key], { store });
    expect(code).to.equal(0);
    expect((await (await open()).resume('asks')).status).to.equal('COMPLETED');
    expect((await holdpointHere(['verify', 'asks'], { store })).code).to.equal(0);
  });

  it('A7: doctor lists the decisions that no approver has signed, and the runtime refuses them', async () => {
    await keygen();
    const { id, hash } = given.asked;
    expect((await holdpointHere(['approve', id, '--hash', hash], { store })).code).to.equal(0);
    expect(await rejection((await open()).resume('asks'))).to.be.instanceOf(DecisionNotSignedError);
    const { code, out } = await holdpointHere(['doctor', '--approver', `${key}.pub`], { store });
    expect(code).to.equal(1);
    expect(out).to.match(/problem +decisions +3 not signed by an approver\n/);
    expect(out).to.contain(`${id} (it is not signed)`);
  });

  it('quotes no key that is given where the path of one is taken', async () => {
    await keygen();
    const secret = readFileSync(key, 'utf8');
    const { id, hash } = given.asked;
    for (const args of [
      ['approve', id, '--hash', hash, '--key', secret],
      ['approve', id, '--hash', hash, '--key', secret.split('\n')[1]!],
      ['doctor', '--approver', secret],
    ]) {
      const { code, err } = await holdpointHere(args, { store });
      expect(code).to.equal(2);
      expect(err).to.contain('there is no file at the path given').and.not.to.contain(secret.split('\n')[1]);
    }
  });

  it('A7: with --approver nothing is decided but with one of these keys, and who signed is told', async () => {
    await keygen();
    const { id, hash } = given.asked;
    const decide = (...more: string[]): Promise<Ended> =>
      holdpointHere(['approve', id, '--hash', hash, '--by', 'dana', '--approver', `${key}.pub`, ...more], { store });
    const unsigned = await decide();
    expect(unsigned.code).to.equal(2);
    expect(unsigned.err).to.contain('nothing was decided');
    const signer = fingerprintOf(read(`${key}.pub`));
    expect((await decide('--key', key)).out).to.contain(`Approved by dana, signed with the key ${signer}.`);
    expect((await holdpointHere(['approvals', id], { store })).out).to.match(
      new RegExp(`signed +with the key ${signer}\n`),
    );
  });

  it('uses no key that others can read, and quotes none', async () => {
    await keygen();
    const { id, hash } = given.asked;
    const approve = (path: string): Promise<Ended> =>
      holdpointHere(['approve', id, '--hash', hash, '--key', path], { store });
    chmodSync(key, 0o640);
    const readable = await approve(key);
    expect(readable.code).to.equal(2);
    expect(readable.err).to.match(/can be read by others, and was not used; chmod 600/);
    const wrong = join(given.world.dir, 'wrong.key');
    writeFileSync(wrong, 'hunter2', { mode: 0o600 });
    const none = await approve(wrong);
    expect(none.code).to.equal(2);
    expect(none.err).not.to.contain('hunter2');
    expect((await (await given.world.client()).approvals.get(id)).status).to.equal('pending');
  });
});
