import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, defaultPolicy, type Policy } from 'holdpoint';
import { scripted, toolClass } from '../../support/agents.js';
import {
  holdpoint,
  holdpointAsking,
  holdpointHere,
  holdpointOnTerminal,
  MAIN,
  onTerminal,
  textOf,
} from '../../support/cli.js';
import { clerk } from '../../core/store/waiting.js';
import { stores, type Stores } from './stores.js';

/** Overwrites its line, recolours, reorders, hides, smuggles, and heaps marks. */
const HOSTILE =
  'ok\r\u001B[2K\u001B[32m\u009B1m\u202Egnp.\u2066\u200B\u{E0041}\u3164 a\u0301\u0301\u0301\u0301\u0301\u0301 \u0007';
/** What a terminal must never get of it. */
const CONTROL = new RegExp(String.raw`[^\P{C}\n\x1B]|\u3164|\p{M}{5}`, 'u');
const HUGE = 5 * 1024 * 1024;

describe('the command line, beside what it cannot trust', () => {
  let given: Stores;
  let store: string;
  before(async () => {
    given = await stores();
    store = given.file;
    const db = given.world.sql();
    const texts: Readonly<Record<string, readonly string[]>> = {
      runs: ['agent', 'goal', 'message'],
      steps: ['tool'],
      approvals: ['kind', 'capability', 'note', 'decided_by'],
    };
    for (const [table, columns] of Object.entries(texts)) {
      for (const column of columns) db.prepare(`UPDATE holdpoint_${table} SET ${column} = ?`).run(HOSTILE);
    }
    const json = JSON.stringify({ [HOSTILE]: HOSTILE, nested: [HOSTILE] });
    db.prepare(`UPDATE holdpoint_runs SET result = ? WHERE status = 'COMPLETED'`).run(json);
    db.prepare('UPDATE holdpoint_events SET payload = ?').run(json);
    db.prepare('UPDATE holdpoint_approvals SET presentation = ?').run(json);
    db.prepare(`UPDATE holdpoint_approvals SET request = json_set(request, '$.args', json(?))`).run(json);
    db.prepare(
      `UPDATE holdpoint_approvals SET request = json_set(request, '$.tool.name', ?, '$.tool.description', ?)`,
    ).run(HOSTILE, HOSTILE);
    await given.world.release();
  });
  after(() => given.world.close());

  for (const args of [
    ['runs'],
    ['show', 'done'],
    ['show', 'asks'],
    ['events', 'done'],
    ['approvals', '--all'],
    ['doctor'],
  ]) {
    it(`escapes what a terminal would act on: ${args.join(' ')}`, async () => {
      for (const more of [[], ['--json']]) {
        const { out, err } = await holdpointHere([...args, ...more], { store });
        expect(err).to.equal('');
        expect(out).not.to.match(CONTROL);
        expect(out).not.to.contain('\u001B');
      }
    });
  }

  it('S11: exports nothing that a terminal would act on, and the very text', async () => {
    const { out } = await holdpointHere(['runs', 'export', 'done'], { store });
    expect(out).not.to.match(CONTROL);
    expect(JSON.parse(out.split('\n')[1]!)).to.have.nested.property('run.goal', HOSTILE);
  });

  it('gives a program the very text: JSON is escaped as JSON', async () => {
    const { out } = await holdpointHere(['show', 'done', '--json'], { store });
    expect(JSON.parse(out)).to.have.nested.property('run.goal', HOSTILE);
  });

  it('escapes it where it asks, too', async () => {
    const ended = await holdpointOnTerminal(['reject', given.asked.id], { store, types: null });
    expect(ended.code).to.equal(1);
    expect(textOf(ended)).not.to.match(CONTROL);
    expect(textOf(ended)).to.contain('\\u{202e}gnp.');
  });

  it('escapes what was pasted into a command, and what a file is called', async () => {
    const unknown = await holdpointHere([`ru\u001B[31mns`], { store });
    expect(unknown.code).to.equal(2);
    expect(unknown.err).to.contain('\\u{1b}[31m').and.not.to.contain('\u001B');
    const lines = await holdpointHere(['--ru\nApproved. The run goes on when it is resumed.']);
    expect(lines.err).to.contain('--ru\\nApproved.').and.not.to.contain('\nApproved.');
    const nowhere = await holdpointHere(['runs', '--store', join(given.world.dir, 'a\u001B[31m.db')]);
    expect(nowhere.code).to.equal(1);
    expect(nowhere.err).to.contain('\\u001b[31m').and.not.to.contain('\u001B');
  });
});

describe('the command line, beside rows that were written by hand', () => {
  let given: Stores;
  beforeEach(async () => {
    given = await stores();
  });
  afterEach(() => given.world.close());

  const names = `{"kind":"error","name":{"toString":1},"message":{"toString":1}}`;
  const settled = `{"kind":"result","result":1,"settledBy":{"toString":1}}`;
  const ended = `{"kind":"run_ended","reason":{"toString":1}}`;
  for (const observation of [names, settled, ended]) {
    it(`S9: shows an observation that holds no text where one belongs: ${observation}`, async () => {
      given.world.sql().prepare('UPDATE holdpoint_steps SET observation = ?').run(observation);
      const { code, err, out } = await holdpointHere(['show', 'done'], { store: given.file });
      expect({ code, err }).to.deep.equal({ code: 0, err: '' });
      expect(out).to.contain('{"toString":1}');
    });
  }

  it('A2: shows and decides what a NUL is in, though SQLite takes it for the end of a text', async () => {
    const { world, file: store } = given;
    const approval = { kind: 'refund', capability: 'refund:A1\0', presentation: { to: 'a\0b' } };
    const policy: Policy = () => ({ kind: 'require_approval', approval });
    const { runtime } = await world.open([clerk([])], { policy });
    await runtime.start('clerk', { goal: 'send\0 a letter', id: 'nul' });
    const [asked] = await runtime.client.approvals.list({ runId: 'nul' });
    expect(asked).to.include({ capability: 'refund:A1\0', decodeError: null });
    expect(await runtime.client.runs.get('nul')).to.include({ goal: 'send\0 a letter' });
    await world.release();
    expect((await holdpointHere(['doctor'], { store })).out).to.match(/ok +damaged runs +none/);
    const ended = await holdpointAsking(['approve', asked!.id], { store, types: 'approve' });
    expect(textOf(ended)).to.contain('refund:A1\\u{0}').and.to.contain('send\\u{0} a letter');
    expect(ended.code).to.equal(0);
  });

  it('S9: prints an event whose place is no number, and says so', async () => {
    given.world.sql().exec(`UPDATE holdpoint_events SET idx = 'last' WHERE run_id = 'done' AND idx = 5`);
    const { code, err, out } = await holdpointHere(['events', 'done'], { store: given.file });
    expect(code).to.equal(1);
    expect(err).to.contain('the place of an event is no whole number');
    expect(out).to.match(/\nlast {2}/);
  });

  it('S9: lists and shows, in colours, a status that an object has a member of the name of', async () => {
    const { world, file: store } = given;
    for (const name of ['constructor', '__proto__', 'toString']) {
      const db = world.sql();
      db.pragma('ignore_check_constraints = on');
      db.prepare(`UPDATE holdpoint_runs SET status = ?, reason = ? WHERE id = 'done'`).run(name, name);
      db.prepare(`UPDATE holdpoint_steps SET status = ? WHERE run_id = 'done'`).run(name);
      db.prepare(`UPDATE holdpoint_events SET type = ? WHERE run_id = 'done'`).run(name);
      db.prepare(`UPDATE holdpoint_approvals SET status = ?, kind = ? WHERE run_id = 'done'`).run(name, name);
      await world.release();
      const listed = await holdpointOnTerminal(['runs'], { store, types: null, colours: true });
      expect(textOf(listed)).to.contain(`done     ${name}`).and.not.to.contain('holdpoint: ');
      for (const command of ['show done', 'events done', 'approvals --all', 'doctor']) {
        const { err, out } = await holdpointHere(command.split(' '), { store });
        expect(err, command).to.equal('');
        if (command !== 'doctor') expect(out, command).to.contain(name);
      }
    }
  });

  const times: Readonly<Record<string, readonly string[]>> = {
    runs: ['created_at', 'started_at', 'updated_at', 'finished_at', 'lease_expires_at'],
    steps: ['started_at', 'tool_started_at', 'interrupted_at', 'finished_at'],
    approvals: ['requested_at', 'expires_at', 'decided_at', 'grant_ttl_ms'],
    events: ['created_at'],
  };
  for (const value of [Infinity, -Infinity, 1e300, -1e300, 'soon', 'NaN', Buffer.from('soon')]) {
    it(`S9: shows a time that is no date: ${value.toString()} (${typeof value})`, async () => {
      const { world, file: store, asked } = given;
      const db = world.sql();
      for (const [table, columns] of Object.entries(times)) {
        const set = columns.map((column) => `${column} = CASE WHEN ${column} IS NOT NULL THEN @value END`).join(', ');
        db.prepare(`UPDATE holdpoint_${table} SET ${set}`).run({ value });
      }
      db.prepare('UPDATE holdpoint_approvals SET expires_at = @value, grant_ttl_ms = @value').run({ value });
      const shows = ['dead', 'asks', 'granted', 'done'].map((run) => `show ${run}`);
      const lists = ['runs', 'approvals --all', `approvals ${asked.id}`, 'events dead', 'events done', 'doctor'];
      for (const command of [...shows, ...lists]) {
        for (const more of [[], ['--json']]) {
          const { err } = await holdpointHere([...command.split(' '), ...more], { store });
          expect(err, command).to.equal('');
        }
      }
      const { out } = await holdpointHere(['runs'], { store });
      if (typeof value === 'number') expect(out).to.contain(`  ${value}  `);
    });
  }

  it('S9: says of a lease that ends at no date what can be done', async () => {
    given.world.sql().exec(`UPDATE holdpoint_runs SET lease_expires_at = 9e999 WHERE id = 'dead'`);
    const { out } = await holdpointHere(['show', 'dead'], { store: given.file });
    expect(out).to.match(/lease +\S+, ends Infinity\n/);
    expect(out).to.match(
      /\nIts lease ends at no date, so it is not known when its process has died; it can be cancelled.\n$/,
    );
  });

  it('S9: names what has bytes for an id', async () => {
    const db = given.world.sql();
    db.exec(`UPDATE holdpoint_runs SET id = x'1b5b33316d' WHERE id = 'dead'`);
    for (const command of ['doctor', 'runs']) {
      const { err, out } = await holdpointHere([command], { store: given.file });
      expect(err).to.equal('');
      expect(out).to.contain('[5 bytes that are not text]');
    }
  });

  it('S9, A2: tells what is too long to be shown from what is damaged, and goes on with it', async () => {
    const { world, file: store, asked } = given;
    const { id, hash } = asked;
    // The value is the same, and so is its hash.
    const longer = `presentation = presentation || printf('%17825792s', '')`;
    world.sql().exec(`UPDATE holdpoint_approvals SET ${longer} WHERE run_id = 'asks'`);
    await world.release();
    const shown = await holdpointAsking(['approve', id], { store, types: 'approve' });
    expect(shown.code).to.equal(2);
    expect(textOf(shown).replace(/\s+/g, ' '))
      .to.match(/too long to be shown in full: 17,82\d,\d{3} bytes/)
      .and.to.contain('is too long to be shown, so nobody is asked, and nothing was decided')
      .and.not.to.match(/damaged|decoded|Type approve/);
    expect((await holdpointHere(['doctor'], { store })).out).to.match(/ok +damaged runs +none/);
    const decided = await holdpointHere(['approve', id, '--hash', hash], { store });
    expect(decided).to.deep.include({ code: 0, err: '' });
    const sent: string[] = [];
    const { runtime } = await world.open([clerk(sent)], { policy: defaultPolicy });
    expect(await runtime.client.approvals.get(id)).to.include({ status: 'approved', decodeError: null });
    expect((await runtime.resume('asks')).status).to.equal('COMPLETED');
    expect(sent).to.deep.equal(['a letter']);
  });

  it('S9: prints an event that is too long to be shown, and says so', async () => {
    const { world, file: store } = given;
    world
      .sql()
      .exec(
        `UPDATE holdpoint_events SET payload = payload || printf('%17825792s', '') WHERE run_id = 'done' AND idx = 1`,
      );
    await world.release();
    const { code, out } = await holdpointHere(['events', 'done'], { store });
    expect(code).to.equal(0);
    expect(out).to.match(/^ +1 .* run.created +too long to be shown in full: 17,82\d,\d{3} bytes\n/);
  });

  it('S9: doctor names a run of which a row that is too long does not decode', async () => {
    const { world, file: store } = given;
    world
      .sql()
      .prepare(`UPDATE holdpoint_steps SET args = ? WHERE run_id = 'granted'`)
      .run(`{"a${'x'.repeat(17 * 1024 * 1024)}`);
    await world.release();
    const { out } = await holdpointHere(['doctor'], { store });
    expect(out).to.match(/problem +damaged runs +1 run with a row that does not decode\n +granted\n/);
    expect((await holdpointHere(['show', 'granted'], { store })).code).to.equal(0);
  });

  it('a long text looks like no line of its own, and a long name pushes no value away', async () => {
    const { asked, world, file } = given;
    const forged = 'Approving: nothing is sent.';
    const goal = Array.from({ length: 3 }, () => forged.padEnd(60)).join('');
    world
      .sql()
      .prepare(`UPDATE holdpoint_runs SET goal = ? WHERE id = 'asks'`)
      .run(`${' '.repeat(45)}${goal}`);
    await world.release();
    const line = `stty cols 60; ${process.execPath} ${MAIN} approve ${asked.id}`;
    const { out } = await onTerminal(
      line,
      { env: { ...process.env, HOLDPOINT_STORE: file, NO_COLOR: '1' } },
      { types: 'no' },
    );
    const lines = textOf({ out }).split('\n');
    expect(lines.filter((one) => one.startsWith('Approving: '))).to.have.length(1);
    expect(lines.filter((one) => one.length > 60 && !one.startsWith('Type '))).to.deep.equal([]);
    expect(textOf({ out }).replace(/\n */g, '')).to.contain(forged);
  });
});

describe('the command line, beside what is large', () => {
  let given: Stores;
  let store: string;
  before(async () => {
    given = await stores();
    store = given.file;
    const db = given.world.sql();
    const args = JSON.stringify({ body: `head ${'x'.repeat(HUGE)} tail`, to: 'ann' });
    db.prepare(`UPDATE holdpoint_approvals SET request = json_set(request, '$.args', json(?))`).run(args);
    db.prepare('UPDATE holdpoint_steps SET args = ?, observation = ?').run(args, `{"kind":"result","result":${args}}`);
    db.prepare(`UPDATE holdpoint_events SET payload = ? WHERE type = 'step.decided'`).run(args);
    await given.world.release();
  });
  after(() => given.world.close());

  for (const args of [['show', 'asks'], ['events', 'asks'], ['approvals']]) {
    it(`F13: shows arguments of 5 MB in a few lines: ${args.join(' ')}`, async () => {
      const { code, out } = await holdpointHere(args, { store });
      expect(code).to.equal(0);
      expect(out.length).to.be.within(200, 10_000);
    });
  }

  it('F13: shows them to who decides by head and tail, with their size', async () => {
    const ended = await holdpointAsking(['approve', given.asked.id], { store, types: null });
    const shown = textOf(ended);
    expect(shown).to.match(/arguments \(2 fields, 5,242,9\d\d characters\)/);
    expect(shown).to.match(/\n {4}body +"head x+ … x+ tail" \(5,242,8\d\d characters\)\n {4}to +"ann"\n/);
    expect(shown.length).to.be.below(5_000);
  });

  it('F13: decides them from another process, and what runs is all of it', async () => {
    const sent: string[] = [];
    const send = toolClass(false, { name: 'send', effect: 'remote' }, ({ text }) => sent.push(text));
    const agent = scripted(
      'sender',
      [send],
      [
        { kind: 'tool', tool: 'send', args: { text: 'y'.repeat(HUGE) } },
        { kind: 'complete', result: 'sent' },
      ],
    );
    const { runtime } = await given.world.open([agent], { policy: defaultPolicy });
    await runtime.start('sender', { goal: 'send much', id: 'large' });
    const [asked] = await runtime.client.approvals.list({ runId: 'large' });
    const ended = await holdpoint(['approve', asked!.id, '--hash', asked!.hash], { store });
    expect(ended).to.deep.include({ code: 0, err: '' });
    expect((await runtime.resume('large')).status).to.equal('COMPLETED');
    await given.world.release();
    expect(sent.map(({ length }) => length)).to.deep.equal([HUGE]);
  });

  function copyRuns(count: number): void {
    const db = given.world.sql();
    const columns = (db.pragma('table_info(holdpoint_runs)') as { name: string }[]).map(({ name }) => name);
    const copied = columns.map((name) => (name === 'seq' ? 'NULL' : name === 'id' ? `'many-${count}-' || n` : name));
    db.exec(`
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO holdpoint_runs (${columns.join(', ')})
        SELECT ${copied.join(', ')} FROM numbers, (SELECT * FROM holdpoint_runs WHERE id = 'done');
    `);
  }

  it('F13: lists 100,000 runs a page at a time, in the memory that a hundred take', async () => {
    const peak = async (): Promise<number> => {
      const { err } = await holdpoint(['runs'], { store, node: ['--require', probe] });
      return Number(/peak (\d+)/.exec(err)?.[1]);
    };
    const probe = join(given.world.dir, 'probe.cjs');
    writeFileSync(probe, `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS));`);
    copyRuns(100);
    await given.world.release();
    const few = await peak();
    copyRuns(100_000);
    await given.world.release();
    const many = await peak();
    // In KiB. To read them all takes more than 200 MB; what two runs of one command differ in is far below the bound.
    expect(few).to.be.greaterThan(10_000);
    expect(many).to.be.below(few + 60_000);
  });
});

describe('the command line, beside what is damaged', () => {
  let given: Stores;
  before(async () => {
    given = await stores();
    const db = given.world.sql();
    db.prepare(`UPDATE holdpoint_runs SET limits = '{' WHERE id = 'asks'`).run();
    db.prepare(`UPDATE holdpoint_approvals SET request = 'none' WHERE run_id = 'asks'`).run();
    db.prepare(`UPDATE holdpoint_events SET payload = x'00ff' WHERE run_id = 'asks' AND idx = 1`).run();
    db.prepare(`UPDATE holdpoint_steps SET observation = '[' WHERE run_id = 'asks'`).run();
    await given.world.release();
  });
  after(() => given.world.close());

  it('S9: lists, shows and cancels a run whose rows do not decode', async () => {
    const store = given.file;
    expect((await holdpointHere(['runs'], { store })).out).to.match(/asks +WAITING +does not decode/);
    const shown = await holdpointHere(['show', 'asks'], { store });
    expect(shown).to.deep.include({ code: 0, err: '' });
    expect(shown.out).to.match(/ {2}damaged +limits is not JSON/);
    expect(shown.out).to.contain('it can be shown and cancelled, not continued');
    expect((await holdpointHere(['events', 'asks'], { store })).out).to.contain('damaged: payload is not JSON');
    expect((await holdpointHere(['approvals'], { store })).code).to.equal(0);
    const asking = await holdpointAsking(['approve', given.asked.id], { store, types: 'approve' });
    expect(asking.code).to.equal(1);
    expect(textOf(asking)).to.contain('damaged');
    expect((await holdpointHere(['doctor'], { store })).out).to.match(
      /problem +damaged runs +1 run with a row that does not decode/,
    );
    expect((await holdpointHere(['cancel', 'asks', '--yes'], { store })).code).to.equal(0);
    await using client = await Client.open({ store });
    expect((await client.runs.get('asks')).status).to.equal('CANCELLED');
  });
});
