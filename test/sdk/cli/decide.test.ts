import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval } from 'holdpoint';
import {
  type Ended,
  holdpoint,
  holdpointAsking,
  holdpointHere,
  holdpointOnTerminal,
  textOf,
} from '../../support/cli.js';
import { dump } from '../../core/store/driver.js';
import { stores, type Stores } from './stores.js';

describe('the commands that decide', () => {
  let given: Stores;
  let store: string;
  beforeEach(async () => {
    given = await stores();
    store = given.file;
  });
  afterEach(() => given.world.close());

  async function approval(id: string): Promise<Approval> {
    return (await given.world.client()).approvals.get(id);
  }

  /** The rows, unchanged by a command that has to change none. */
  async function changesNothing(command: () => Promise<Ended>): Promise<Ended> {
    const db = given.world.sql();
    const before = dump(db);
    const ended = await command();
    expect(dump(db)).to.deep.equal(before);
    return ended;
  }

  it('A2: approve decides on the hash that it is given, without asking', async () => {
    const { id, hash } = given.asked;
    const ended = await holdpoint(['approve', id, '--hash', hash, '--by', 'ann', '--note', 'I looked'], { store });
    expect(ended).to.deep.equal({
      code: 0,
      out: 'Approved by ann, not signed. The run goes on when it is resumed.\n',
      err: '',
    });
    expect(await approval(id)).to.include({ status: 'approved', decidedBy: 'ann', note: 'I looked' });
  });

  it('A2: no decision is made on another hash, or, without a terminal, on none', async () => {
    const { id } = given.asked;
    for (const verb of ['approve', 'reject']) {
      const wrong = await changesNothing(() => holdpointHere([verb, id, '--hash', '0'.repeat(64)], { store }));
      expect(wrong.code).to.equal(1);
      expect(wrong.err).to.contain('nothing was decided');
      const none = await changesNothing(() => holdpointHere([verb, id], { store, input: `${verb}\n` }));
      expect(none.code).to.equal(2);
      expect(none.err).to.match(/no terminal to ask at, and nothing was decided; give the hash/);
    }
  });

  it('I6: reject ends the run', async () => {
    const { id, hash } = given.interrupted;
    const ended = await holdpointHere(['reject', id, '--hash', hash, '--by', 'ann', '--json'], { store });
    expect(ended.code).to.equal(0);
    expect(JSON.parse(ended.out)).to.have.nested.property('approval.status', 'rejected');
    expect((await (await given.world.client()).runs.get('crashed')).reason).to.equal('approval_rejected');
  });

  it('I6: settle takes a result as JSON, or from a file', async () => {
    const { id, hash } = given.interrupted;
    const file = join(given.world.dir, 'result.json');
    writeFileSync(file, '{"sent": true}\n');
    const ended = await holdpointHere(['settle', id, '--hash', hash, '--result', `@${file}`], { store });
    expect(ended).to.deep.include({ code: 0, err: '' });
    expect(await approval(id)).to.deep.include({ status: 'settled', result: { sent: true } });
  });

  it('I6: settle refuses what is no result, and a call that was never started', async () => {
    const { id, hash } = given.interrupted;
    const settle = (...more: string[]) =>
      changesNothing(() => holdpointHere(['settle', id, '--hash', hash, ...more], { store }));
    const missing = await settle();
    expect(missing).to.include({ code: 2 });
    expect(missing.err).to.contain("required option '--result <json>'");
    const secret = await settle('--result', 'hunter2');
    expect(secret).to.include({ code: 2 });
    expect(secret.err).to.match(/^holdpoint: --result: it is not JSON, and nothing was decided/);
    expect(secret.err).not.to.contain('hunter2');
    expect((await settle('--result', '@/nowhere/at/all')).err).to.contain('cannot read /nowhere/at/all');
    const { asked } = given;
    const never = await changesNothing(() =>
      holdpointHere(['settle', asked.id, '--hash', asked.hash, '--result', '1'], { store }),
    );
    expect(never).to.include({ code: 2 });
    expect(never.err).to.contain('there is nothing to settle');
  });

  it('S8: settle refuses a number that would be recorded as another', async () => {
    const { id, hash } = given.interrupted;
    const settle = (result: string) => holdpointHere(['settle', id, '--hash', hash, '--result', result], { store });
    const rounded = await changesNothing(() => settle('{"note":"a \\" 1","ids":[{"charge":12345678901234567891}]}'));
    expect(rounded).to.include({ code: 2 });
    expect(rounded.err).to.match(/^holdpoint: --result: it holds a whole number that would be rounded/);
    expect(rounded.err).not.to.contain('1234567');
    const exact = '{"9007199254740993":[9007199254740994,-9007199254740992,1e300,"x\\"9007199254740993"]}';
    expect(await settle(exact)).to.include({ code: 0 });
    expect(await approval(id)).to.have.deep.property('result', JSON.parse(exact));
  });

  for (const [what, result] of [
    ['it holds a whole number that would be rounded', '12345678901234567890.0'],
    ['it holds a whole number that would be rounded', '[123456789012345678901e0]'],
    ['it holds a whole number that would be rounded', '1234567890123456789.01E1'],
    ['it holds a whole number that would be rounded', '-12345678901234567.5'],
    ['it holds a whole number that would be rounded', '1180591620717411303424'],
    ['it holds a whole number that would be rounded', '{"charge":1e400}'],
    ['it holds a number so small that it would be recorded as 0', '{"charge":1e-400}'],
    ['it holds a number so small that it would be recorded as 0', `-0.${'0'.repeat(400)}1234567`],
    ['it holds a member twice in one object', '{"charge":"secret 1","charge":"secret 2"}'],
    ['it holds a member twice in one object', '[{"a":{"secret":1,"b":2,"\\u0073ecret":1}}]'],
  ] as const) {
    it(`S8: settle refuses what would be recorded as something else: ${result.slice(0, 45)}`, async () => {
      const { id, hash } = given.interrupted;
      const { code, err } = await changesNothing(() =>
        holdpointHere(['settle', id, '--hash', hash, '--result', result], { store }),
      );
      expect(code).to.equal(2);
      expect(err).to.contain(`holdpoint: --result: ${what}`).and.to.contain('nothing was decided');
      expect(err).not.to.match(/1234567|secret|charge|1e-?400/);
    });
  }

  it('S8: settle takes every number that is recorded as it was given, or as near as a fraction is', async () => {
    const { id, hash } = given.interrupted;
    const result =
      '[0.1,12.345,-0,0e9,0.000,1.50,1e22,1E+23,5e-324,1e-7,100.0e-1,3.14159265358979323846,9007199254740992.0,{"a":1,"b":{"a":1}}]';
    const ended = await holdpointHere(['settle', id, '--hash', hash, '--result', result], { store });
    expect(ended).to.deep.include({ code: 0, err: '' });
    const recorded = (await approval(id)).result as number[];
    expect(recorded.slice(0, 5).concat(recorded.slice(6, 8))).to.deep.equal([0.1, 12.345, 0, 0, 0, 1e22, 1e23]);
  });

  it('F11: says so where somebody has decided already', async () => {
    const { id, hash } = given.asked;
    await holdpointHere(['approve', id, '--hash', hash], { store });
    const second = await changesNothing(() => holdpointHere(['reject', id, '--hash', hash, '--json'], { store }));
    expect(second.code).to.equal(1);
    expect(JSON.parse(second.err)).to.have.nested.property('error.code', 'NOT_PENDING');
  });

  it('A2: on a terminal, shows the request in full, says what will happen, and takes the very word only', async () => {
    const { id } = given.interrupted;
    const ended = await holdpointOnTerminal(['approve', id, '--by', 'ann'], { store, types: 'approve' });
    const shown = textOf(ended);
    expect(ended.code, shown).to.equal(0);
    expect(shown).to.match(/ {2}kind +interrupted_side_effect\n/);
    expect(shown).to.match(/ {2}tool +send \(remote\)\n/);
    expect(shown).to.contain(`hash         ${given.interrupted.hash}`);
    expect(shown).to.match(/ {2}arguments \(2 fields, \d+ characters\)\n {4}text +"hello"\n {4}times +1\n/);
    expect(shown).to.contain(
      'Approving: send is called once more, with exactly these arguments, when the run is resumed.',
    );
    expect(shown).to.contain('The first call may have taken effect: what it does may then be done twice.');
    expect(await approval(id)).to.include({ status: 'approved', decidedBy: 'ann' });
  });

  for (const [what, types, ask] of [
    ['another word', 'yes', holdpointAsking],
    ['an empty line', '', holdpointAsking],
    ['the end of input', null, holdpointOnTerminal],
  ] as const) {
    it(`A2: takes ${what} for no answer, never for a yes`, async () => {
      const ended = await changesNothing(() => ask(['approve', given.asked.id], { store, types }));
      expect(ended.code).to.equal(1);
      expect(textOf(ended)).to.contain('Nothing was decided.');
    });
  }

  it('I6: on a terminal, asks nothing where there is nothing to settle, and says what an answer does that is too late', async () => {
    const never = await changesNothing(() =>
      holdpointAsking(['settle', given.asked.id, '--result', '1'], { store, types: 'settle' }),
    );
    expect(never.code).to.equal(2);
    expect(textOf(never)).to.contain('there is nothing to settle').and.not.to.contain('Type settle');
    given.world.sql().prepare('UPDATE holdpoint_approvals SET expires_at = 1 WHERE id = ?').run(given.asked.id);
    const late = await holdpointAsking(['approve', given.asked.id], { store, types: null });
    expect(textOf(late)).to.contain('whatever is answered now, the run ends as approval_expired');
    expect((await holdpointHere(['show', 'asks'], { store })).out).to.contain('Nobody decided in time');
  });

  it('names who decides in its question, also behind sudo', async () => {
    const ended = await holdpointAsking(['approve', given.asked.id, '--by', 'dana'], { store, types: 'approve' });
    expect(textOf(ended)).to.contain('Type approve to approve as dana, anything else');
    expect(textOf(ended)).to.contain('Approved by dana, not signed. The run goes on when it is resumed.');
    const { code } = await holdpointHere(['cancel', 'granted', '--yes'], { store, env: { SUDO_USER: 'eve' } });
    expect(code).to.equal(0);
    expect((await (await given.world.client()).runs.get('granted')).message).to.equal('eve: no reason given');
  });

  it('shows a long field by head and tail, says so, and shows all of it where that is asked for', async () => {
    const long = 'z'.repeat(3_000);
    given.world.sql().prepare(`UPDATE holdpoint_approvals SET request = json_set(request, '$.args.text', ?)`).run(long);
    const short = (await holdpointHere(['approvals', given.asked.id], { store })).out;
    expect(short).to.contain('1 field shown by head and tail; --full shows all').and.not.to.contain(long);
    expect((await holdpointHere(['approvals', given.asked.id, '--full'], { store })).out).to.contain(long);
  });

  it('F19: decides nothing where the request has changed since it was shown', async () => {
    const { id } = given.asked;
    const ended = await holdpointAsking(['approve', id], {
      store,
      types: 'approve',
      before: () =>
        given.world
          .sql()
          .prepare(`UPDATE holdpoint_approvals SET kind = 'other', hash = ? WHERE id = ?`)
          .run('f'.repeat(64), id),
    });
    expect(ended.code).to.equal(1);
    expect(textOf(ended)).to.contain('nothing was decided');
    expect(await approval(id)).to.include({ status: 'pending', decidedBy: null });
  });

  it('A2: asks about no request that is not the one of its hash: edited back, it would be decided unseen', async () => {
    const { id } = given.asked;
    const db = given.world.sql();
    const request = db.prepare('SELECT request FROM holdpoint_approvals WHERE id = ?').pluck().get(id) as string;
    const edit = db.prepare('UPDATE holdpoint_approvals SET request = ? WHERE id = ?');
    edit.run(request.replace('a letter', 'harmless'), id);
    const ended = await holdpointAsking(['approve', id], {
      store,
      types: 'approve',
      before: () => edit.run(request, id),
    });
    expect(ended.code).to.equal(1);
    expect(textOf(ended)).to.contain('the request is not the one of its hash');
    expect(await approval(id)).to.include({ status: 'pending', decidedBy: null });
  });

  it('A2: shows what was decided, and decides nothing though it were pending again', async () => {
    const { id, hash } = given.asked;
    await holdpointHere(['approve', id, '--hash', hash], { store });
    const ended = await changesNothing(() => holdpointAsking(['approve', id], { store, types: 'approve' }));
    expect(ended.code).to.equal(1);
    expect(textOf(ended)).to.match(/ {2}decided +by /);
  });

  it('I6: settle refuses what is nested too deeply before it asks', async () => {
    const file = join(given.world.dir, 'deep.json');
    writeFileSync(file, '['.repeat(100_000) + ']'.repeat(100_000));
    const settle = ['settle', given.interrupted.id, '--result', `@${file}`];
    const ended = await changesNothing(() => holdpointAsking(settle, { store, types: 'settle' }));
    expect(ended.code).to.equal(2);
    expect(textOf(ended)).to.contain('nested deeper than 256 levels');
  });

  it('on a terminal, asks before it cancels; without one it is told to', async () => {
    const left = await changesNothing(() => holdpointAsking(['cancel', 'asks'], { store, types: 'no' }));
    expect(left.code).to.equal(1);
    expect(textOf(left)).to.contain('Nothing was cancelled.');
    expect((await changesNothing(() => holdpointHere(['cancel', 'asks'], { store }))).code).to.equal(2);
    const ended = await holdpointOnTerminal(['cancel', 'asks', '--by', 'ann', '--reason', 'wrong'], {
      store,
      types: 'cancel',
    });
    expect(ended.code).to.equal(0);
    const run = await (await given.world.client()).runs.get('asks');
    expect(run).to.include({ status: 'CANCELLED', message: 'ann: wrong' });
    const again = await holdpointHere(['cancel', 'asks', '--yes'], { store });
    expect(again.code).to.equal(1);
    expect(again.err).to.contain('cannot cancel run asks: it is CANCELLED');
    expect((await holdpointHere(['cancel', 'granted', '--yes', '--json'], { store })).out).to.contain(
      '"status":"CANCELLED"',
    );
  });
});
