import { chmodSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ROOT } from '../../docs/pages.js';
import { holdpointAsking, holdpointHere, holdpointOnTerminal, MAIN } from '../../support/cli.js';
import { World } from '../../support/world.js';
import { waitingRun } from '../../core/store/waiting.js';

const COMMANDS = [
  ...['runs', 'show', 'events', 'approvals', 'approve', 'reject', 'settle', 'cancel', 'verify', 'doctor', 'keygen'],
  'runs export',
];

describe('how the command line is used', () => {
  let world: World;
  before(async () => {
    world = new World();
    await waitingRun(world);
    await world.release();
  });
  after(() => world.close());

  it('names every command in its help, and shows an example of each', async () => {
    const { code, out } = await holdpointHere(['--help']);
    expect(code).to.equal(0);
    expect(out).to.contain('Exit codes: 0 done, 1 refused or something is wrong, 2 the command was not understood.');
    for (const command of COMMANDS) {
      const help = await holdpointHere([...command.split(' '), '--help']);
      expect(help.code, command).to.equal(0);
      expect(help.out, command).to.match(/Example:\n {2}\$ holdpoint /);
      expect(out, command).to.contain(`  ${command.split(' ')[0]} `);
    }
  });

  it('is what `npx holdpoint` runs: the package names it, and it starts by itself', () => {
    const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: { holdpoint: string } };
    const file = join(ROOT, bin.holdpoint);
    expect(file).to.equal(MAIN);
    expect(readFileSync(file, 'utf8')).to.match(/^#!\/usr\/bin\/env node\n/);
  });

  const WRONG: readonly (readonly [args: string, says: RegExp])[] = [
    ['', /Usage: holdpoint/],
    ['frobnicate', /unknown command 'frobnicate'/],
    ['runs', /which store\? Give --store FILE, or set HOLDPOINT_STORE/],
    ['runs --store {} --limit many', /argument 'many' is invalid. it must be a whole number/],
    ['runs --store {} --limit 0', /limit must be a whole number from 1 to 1000/],
    ['runs --store {} --status DONE', /Allowed choices are PENDING, RUNNING/],
    ['show --store {}', /missing required argument 'run'/],
    ['show --store {} a b', /too many arguments/],
    ['show --store {} --loud waiting', /unknown option '--loud'/],
    ['show --store {} a/b', /runId must be 1 to 128 of/],
    ['verify waiting --store {} --head 12', /head must be the 64 hex digits/],
    [`verify --store {} --head ${'0'.repeat(64)}`, /a head is of one run: holdpoint verify RUN --head HASH/],
    ['verify waiting --file x --store {}', /give a run of the store, or --file, not both/],
    ['verify --file /nowhere/at/all', /cannot read \/nowhere\/at\/all: ENOENT; nothing was checked/],
    ['approve some --hash 12 --store {}', /hash must be the 64 hex digits/],
    [`approve some --hash ${'0'.repeat(64)} --key /nowhere --store {}`, /there is no file at the path given/],
  ];
  for (const [args, says] of WRONG) {
    it(`ends with 2 where it is not understood: holdpoint ${args}`, async () => {
      const { code, out, err } = await holdpointHere(
        args
          .split(' ')
          .filter(Boolean)
          .map((arg) => arg.replace('{}', world.file)),
      );
      expect(code).to.equal(2);
      expect(out).to.equal('');
      expect(err).to.match(says);
    });
  }

  it('ends with 1 where there is no such thing, and says so to programs as JSON', async () => {
    const text = await holdpointHere(['show', 'nobody'], { store: world.file });
    expect(text).to.deep.equal({ code: 1, out: '', err: 'holdpoint: no run "nobody"; `holdpoint runs` lists them\n' });
    const json = await holdpointHere(['show', 'nobody', '--json'], { store: world.file });
    expect(json).to.deep.include({ code: 1, out: '' });
    expect(JSON.parse(json.err)).to.deep.equal({
      error: { code: 'NOT_FOUND', message: 'no run "nobody"; `holdpoint runs` lists them' },
    });
  });

  it('tells programs of a wrong command as JSON, too, and its version to everybody', async () => {
    const wrong = await holdpointHere(['runs', '--json', '--frobnicate'], { store: world.file });
    expect(wrong).to.deep.include({ code: 2, out: '' });
    expect(JSON.parse(wrong.err)).to.deep.equal({
      error: { code: 'INVALID_ARGUMENT', message: "unknown option '--frobnicate'" },
    });
    expect((await holdpointHere(['--version'])).out).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it('takes the store from --store before HOLDPOINT_STORE', async () => {
    const { code, out } = await holdpointHere(['runs', '--store', world.file], { store: '/nowhere/at/all' });
    expect(code).to.equal(0);
    expect(out).to.contain('waiting');
  });

  it('colours on a terminal, and not where NO_COLOR is set or there is none', async () => {
    const args = ['show', 'waiting'];
    const store = world.file;
    expect((await holdpointOnTerminal(args, { store, types: null, colours: true })).out).to.contain(
      '\u001B[1mRun waiting',
    );
    expect((await holdpointAsking(args, { store, types: null })).out).not.to.contain('\u001B[');
    expect((await holdpointHere(args, { store })).out).not.to.contain('\u001B[');
  });
});

describe('a store that the command line does not open', () => {
  let world: World;
  let good: Buffer;
  before(async () => {
    world = new World();
    await waitingRun(world);
    await world.release();
    const db = world.sql();
    db.pragma('journal_mode = DELETE');
    await world.release();
    good = readFileSync(world.file);
  });
  after(() => world.close());

  function copy(path: string, sql?: string): void {
    writeFileSync(path, good, { mode: 0o600 });
    if (sql === undefined) return;
    const db = new Database(path);
    db.exec(sql);
    db.close();
  }

  const REFUSED: Readonly<Record<string, readonly [make: (path: string) => void, says: RegExp]>> = {
    'is not there': [() => undefined, /there is no such file; Runtime.open creates it/],
    'is a folder': [(path) => mkdirSync(path), /is not a file; give the path of a database file/],
    'is empty': [
      (path) => writeFileSync(path, '', { mode: 0o600 }),
      /is not a Holdpoint database: none of its tables are there. Check the path/,
    ],
    'is a text': [
      (path) => writeFileSync(path, 'dear diary, '.repeat(999), { mode: 0o600 }),
      /is not a SQLite database, or is encrypted; give another path/,
    ],
    'was cut short': [
      (path) => {
        copy(path);
        truncateSync(path, 5000);
      },
      /is damaged; restore it from a backup/,
    ],
    'others can write to': [
      (path) => {
        copy(path);
        chmodSync(path, 0o620);
      },
      /can be written to by others.*chmod go-w/,
    ],
    'is a link': [(path) => symlinkSync('runs.db', path), /is a symbolic link/],
    'holds a trigger': [
      (path) => copy(path, 'CREATE TRIGGER t AFTER INSERT ON holdpoint_runs BEGIN SELECT 1; END'),
      /holds the trigger "t" on "holdpoint_runs"/,
    ],
    'holds a view': [(path) => copy(path, 'CREATE VIEW v AS SELECT 1'), /holds the view "v"/],
    'a newer version wrote': [
      (path) =>
        copy(path, `INSERT INTO holdpoint_migrations (timestamp, name) VALUES (9999999999999, 'Later9999999999999')`),
      /was written by a newer version of Holdpoint .*upgrade this program/,
    ],
  };
  for (const [what, [make, says]] of Object.entries(REFUSED)) {
    it(`says why, and what to do: one that ${what}`, async () => {
      const path = join(world.dir, `${what.replaceAll(' ', '-')}.db`);
      make(path);
      const listed = await holdpointHere(['runs'], { store: path });
      expect(listed).to.deep.include({ code: 1, out: '' });
      expect(listed.err).to.match(says);
      const examined = await holdpointHere(['doctor'], { store: path });
      expect(examined).to.deep.include({ code: 1, err: '' });
      expect(examined.out)
        .to.match(/^problem +file /)
        .and.to.match(says);
    });
  }

  it('is told by doctor where others can read it', async () => {
    const path = join(world.dir, 'readable.db');
    copy(path);
    chmodSync(path, 0o644);
    const { code, out } = await holdpointHere(['doctor'], { store: path });
    expect(code).to.equal(1);
    expect(out).to.match(/problem +file +readable by others \(mode 0644\).*\n +to do: chmod 600/);
  });
});
