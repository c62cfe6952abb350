import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'holdpoint';
import { type Ended, holdpoint, holdpointHere, MAIN } from '../../support/cli.js';
import { stores, type Stores } from './stores.js';

describe('the commands that check the record', () => {
  let given: Stores;
  let store: string;
  let head: string;
  beforeEach(async () => {
    given = await stores();
    store = given.file;
    await using client = await Client.open({ store });
    head = (await client.runs.get('done')).headHash;
  });
  afterEach(() => given.world.close());

  const verify = (...args: string[]): Promise<Ended> => holdpointHere(['verify', ...args], { store });

  it('S11: verify says that a record holds, of one run or of all, also against a head that was kept', async () => {
    expect(await verify()).to.deep.include({ code: 0, err: '' });
    expect((await verify('done', '--head', head)).out).to.match(/^The record holds: 1 run, \d+ events\.\n$/);
    const { ok, runs, fault } = JSON.parse((await verify('--json')).out) as Record<string, unknown>;
    expect({ ok, runs, fault }).to.deep.equal({ ok: true, runs: 5, fault: null });
  });

  it('S11: verify ends with 1 where a status was edited by hand, and names the row', async () => {
    given.world.sql().prepare(`UPDATE holdpoint_runs SET status = 'CANCELLED' WHERE id = 'done'`).run();
    const { code, out } = await verify();
    expect(code).to.equal(1);
    expect(out).to.match(/^The record does not hold, after /);
    expect(out).to.match(/ {2}run +done\n {2}where +run, status\n {2}expected +COMPLETED\n {2}found +CANCELLED\n/);
    expect(JSON.parse((await verify('done', '--json')).out)).to.have.nested.property('fault.runId', 'done');
    expect((await verify('asks')).code).to.equal(0);
  });

  it('S11: verify does not end with 0 because nobody reads what it found', async () => {
    given.world.sql().exec(`UPDATE holdpoint_runs SET goal = 'another'`);
    const child = spawn(process.execPath, [MAIN, 'verify', '--store', store], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.destroy();
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).to.equal(1);
  });

  it('S11: verify finds with a kept head that a chain was cut and written anew', async () => {
    const { code, out } = await verify('asks', '--head', head);
    expect(code).to.equal(1);
    expect(out).to.contain('the chain does not hold the head that was kept');
  });

  it('S11: runs export writes a record that verify --file checks without the store', async () => {
    const { code, out, err } = await holdpoint(['runs', 'export', 'done', '--store', store]);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    const file = join(given.world.dir, 'done.jsonl');
    writeFileSync(file, out);
    expect(await holdpointHere(['verify', '--file', file, '--head', head])).to.deep.include({ code: 0, err: '' });
    writeFileSync(file, out.replace('a letter', 'a ransom'));
    const edited = await holdpointHere(['verify', '--file', file]);
    expect(edited.code).to.equal(1);
    expect(edited.out).to.contain('The record does not hold');
    writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 5).join('\n'));
    expect((await holdpointHere(['verify', '--file', file])).out).to.contain('the file was cut');
  });

  it('S11: verify --file refuses a line that no text can hold', async () => {
    const file = join(given.world.dir, 'long.jsonl');
    writeFileSync(file, '');
    truncateSync(file, 600 * 1024 * 1024);
    const { code, err } = await holdpointHere(['verify', '--file', file]);
    expect(code).to.equal(2);
    expect(err).to.equal('holdpoint: the file is no export: a line of it is too long; nothing was checked\n');
  });

  it('ends with 2 where a file is no export, and with 1 where there is no such run', async () => {
    const file = join(given.world.dir, 'notes.txt');
    writeFileSync(file, 'dear diary');
    const { code, err } = await holdpointHere(['verify', '--file', file]);
    expect(code).to.equal(2);
    expect(err).to.match(/line 1 is no line of an export/);
    const nobody = await holdpointHere(['runs', 'export', 'nobody'], { store });
    expect(nobody).to.deep.include({ code: 1, out: '' });
    expect(nobody.err).to.contain('no run "nobody"');
  });
});
