import { chmodSync, linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import {
  Client,
  InsecureStoreError,
  InvalidArgumentError,
  NotFoundError,
  StoreError,
  UnsafeSchemaError,
  type HoldpointError,
} from 'holdpoint';
import { scripted } from '../../support/agents.js';
import { rejection, World } from '../../support/world.js';
import { contents } from './contents.js';
import { wired } from './driver.js';

const AGENT = scripted('noop', [], [{ kind: 'complete' }]);

type ErrorClass = abstract new (...args: never[]) => HoldpointError;

/** What is refused by whoever opens it: the place, the error, and what the message says. */
interface Refused {
  readonly title: string;
  readonly make?: (world: World) => void;
  readonly path: (world: World) => unknown;
  readonly runtime?: readonly [ErrorClass, RegExp];
  readonly client: readonly [ErrorClass, RegExp];
}

const as =
  (error: ErrorClass) =>
  (says: RegExp): Pick<Refused, 'runtime' | 'client'> => ({ runtime: [error, says], client: [error, says] });

const wrong = as(InvalidArgumentError);
const unreadable = as(StoreError);
const insecure = as(InsecureStoreError);
const unsafe = as(UnsafeSchemaError);

/** Makes a database that holds something of somebody's. */
function holding(sql: string): (world: World) => void {
  return ({ file }) => {
    writeFileSync(file, '', { mode: 0o600 });
    const db = new Database(file);
    db.exec(sql);
    db.close();
  };
}

const REFUSED: readonly Refused[] = [
  { title: 'an empty path', path: () => '', ...wrong(/^store: give a path/) },
  { title: 'a blank path', path: () => ' \t', ...wrong(/^store: give a path/) },
  { title: 'no path', path: () => undefined, ...wrong(/^store: give a path/) },
  { title: 'a number', path: () => 5, ...wrong(/^store: /) },
  { title: 'a path with a NUL', path: ({ file }) => `${file}\0.txt`, ...wrong(/^store: .*NUL/) },
  { title: 'a path that ends with a space', path: ({ file }) => `${file} `, ...wrong(/^store: .*white space/) },
  { title: 'an address of PostgreSQL', path: () => 'postgres://u:pw@db/runs', ...wrong(/^store: .*not postgres:\/\//) },
  { title: 'another address', path: () => 'HTTPS://a.example/x', ...wrong(/^store: .*not HTTPS:\/\//) },
  { title: 'options of another database', path: () => ({ type: 'postgres', url: 'x' }), ...wrong(/better-sqlite3/) },
  { title: 'options without a path', path: () => ({ type: 'better-sqlite3' }), ...wrong(/^store: give a path/) },
  {
    title: 'options of an encrypted database',
    path: ({ file }) => ({ type: 'better-sqlite3', database: file, key: 'hunter2' }),
    ...wrong(/^store: this version opens no encrypted database; leave out "key"$/),
  },
  ...[function OtherDatabase() {}, { Database }, null, 'better-sqlite3'].map((driver) => ({
    title: `options with another driver (${typeof driver})`,
    path: ({ file }: World) => ({ type: 'better-sqlite3', database: file, driver }),
    ...wrong(/^store: "driver" must be the better-sqlite3 that Holdpoint itself opens the file with, or a class /),
  })),
  { title: 'a folder', path: ({ dir }) => dir, ...unreadable(/is not a file; give the path of a database file/) },
  {
    title: 'a path in a folder that is not there',
    path: ({ dir }) => join(dir, 'no', 'such', 'runs.db'),
    runtime: [StoreError, /the folder .*such does not exist; create it first/],
    client: [NotFoundError, /no store .*there is no such file; Runtime.open creates it/],
  },
  {
    title: 'a link to nothing',
    make: ({ dir }) => {
      symlinkSync(join(dir, 'nothing.db'), join(dir, 'link.db'));
    },
    path: ({ dir }) => join(dir, 'link.db'),
    ...insecure(/link\.db is a symbolic link, and was not opened; give the path of the file itself/),
  },
  {
    title: 'a link to a database',
    make: ({ dir, file }) => {
      new Database(file).close();
      symlinkSync(file, join(dir, 'link.db'));
    },
    path: ({ dir }) => join(dir, 'link.db'),
    ...insecure(/link\.db is a symbolic link/),
  },
  ...['first', 'second'].map((name) => ({
    title: `a database with two names, by its ${name}`,
    make: ({ dir, file }: World) => {
      new Database(file).close();
      linkSync(file, join(dir, 'second.db'));
    },
    path: ({ dir, file }: World) => (name === 'first' ? file : join(dir, 'second.db')),
    ...insecure(/(runs|second)\.db has 2 names \(hard links\), and was not opened; .*find .* -samefile/),
  })),
  {
    title: 'a file with a -wal beside it that has another name',
    make: ({ dir, file }) => {
      new Database(file).close();
      writeFileSync(join(dir, 'theirs'), 'planted', { mode: 0o600 });
      linkSync(join(dir, 'theirs'), `${file}-wal`);
    },
    path: ({ file }) => file,
    ...insecure(/runs\.db-wal has 2 names \(hard links\)/),
  },
  ...([0o620, 0o602, 0o666] as const).map((mode) => ({
    title: `a file of mode ${mode.toString(8)}`,
    make: ({ file }: World) => {
      writeFileSync(file, '', { mode: 0o600 });
      chmodSync(file, mode);
    },
    path: ({ file }: World) => file,
    ...insecure(
      /can be written to by others than its owner \(mode 0\d+\), and was not opened;.*chmod go-w '.*runs\.db'/,
    ),
  })),
  ...['-wal', '-shm', '-journal'].map((suffix) => ({
    title: `a file with a ${suffix} of somebody's beside it`,
    make: ({ file }: World) => {
      new Database(file).close();
      writeFileSync(file + suffix, 'planted');
      chmodSync(file + suffix, 0o666);
    },
    path: ({ file }: World) => file,
    ...insecure(new RegExp(`runs\\.db${suffix} can be written to by others`)),
  })),
  {
    title: 'a -wal that lies in wait for a new database',
    make: ({ file }) => {
      writeFileSync(`${file}-wal`, 'planted');
      chmodSync(`${file}-wal`, 0o666);
    },
    path: ({ file }) => file,
    ...insecure(/runs\.db-wal can be written to by others/),
  },
  {
    title: 'a database with a view',
    make: holding('CREATE VIEW everything AS SELECT 1'),
    path: ({ file }) => file,
    ...unsafe(/runs\.db holds the view "everything", which is not Holdpoint's, and was not touched; drop it/),
  },
  {
    title: 'a database with a trigger',
    make: holding('CREATE TABLE orders (id); CREATE TRIGGER skim AFTER INSERT ON orders BEGIN SELECT 1; END'),
    path: ({ file }) => file,
    ...unsafe(/holds the trigger "skim" on "orders", which is not Holdpoint's/),
  },
  {
    title: 'a name that would write to a terminal',
    make: holding('CREATE VIEW "a\u001B[2K" AS SELECT 1'),
    path: ({ file }) => file,
    ...unsafe(/holds the view "a\\u\{1b\}\[2K"/),
  },
  {
    title: 'a text file',
    make: ({ file }) => {
      writeFileSync(file, 'Dear diary, today I learnt that this is not a database.\n'.repeat(50));
    },
    path: ({ file }) => file,
    ...unreadable(/not a SQLite database.*SQLITE_NOTADB/),
  },
  {
    title: 'a file that is not there, to a client',
    path: ({ file }) => file,
    client: [NotFoundError, /no store .*there is no such file; Runtime.open creates it/],
  },
  {
    title: 'an empty file, to a client',
    make: ({ file }) => {
      writeFileSync(file, '');
    },
    path: ({ file }) => file,
    client: [StoreError, /is not a Holdpoint database: none of its tables are there\. Check the path/],
  },
  {
    title: 'a database of somebody else, to a client',
    make: ({ file }) => {
      const db = new Database(file);
      db.exec('CREATE TABLE orders (id TEXT)');
      db.close();
    },
    path: ({ file }) => file,
    client: [StoreError, /is not a Holdpoint database: none of its tables are there\. Check the path/],
  },
  {
    title: 'a store in memory, to a client',
    path: () => ':memory:',
    client: [StoreError, /:memory: is not a Holdpoint database/],
  },
];

describe('a store that cannot be opened', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  for (const { title, make, path, runtime, client } of REFUSED) {
    it(`S1: ${title}: is refused in words, and nothing is created or changed`, async () => {
      make?.(world);
      const store = path(world) as string;
      const before = contents(world.dir);
      const refusals = [{ error: await rejection(Client.open({ store })), expected: client }];
      if (runtime) refusals.push({ error: await rejection(world.open([AGENT], { store })), expected: runtime });
      for (const { error, expected } of refusals) {
        expect(error).to.be.instanceOf(expected[0]);
        expect(error.message).to.match(expected[1]);
      }
      expect(contents(world.dir)).to.deep.equal(before);
    });
  }

  it('S1: an address is refused without its password', async () => {
    const error = await rejection(world.open([AGENT], { store: 'postgres://user:hunter2@db.example/runs' }));
    expect(error.message).not.to.include('hunter2');
  });

  it('S1: a store to which a trigger was added is refused, and goes on once it is dropped', async () => {
    const { runtime } = await world.open([AGENT]);
    await runtime.close();
    world.sql().exec('CREATE TRIGGER skim AFTER UPDATE ON holdpoint_approvals BEGIN SELECT 1; END');
    for (const opening of [() => world.open([AGENT]), () => world.client()]) {
      expect(await rejection(opening())).to.be.instanceOf(UnsafeSchemaError);
    }
    world.sql().exec('DROP TRIGGER skim');
    await world.open([AGENT]);
  });

  for (const kept of [10, 100, 4096, 20_000]) {
    it(`S1: a database of which ${kept} bytes are left is refused, and not touched`, async () => {
      const { runtime } = await world.open([AGENT]);
      await runtime.start('noop', { goal: 'nothing' });
      await runtime.close();
      writeFileSync(world.file, readFileSync(world.file).subarray(0, kept));
      const before = contents(world.dir);
      for (const opening of [() => world.open([AGENT]), () => world.client()]) {
        const error = await rejection(opening());
        expect(error).to.be.instanceOf(StoreError);
        expect(error.message).to.match(/cannot open .*runs\.db: the file is (damaged|not a SQLite database)/);
      }
      expect(contents(world.dir)).to.deep.equal(before);
    });
  }

  it('S1: a database that another process keeps locked is refused in words, and is there again later', async () => {
    await (await world.open([AGENT])).runtime.close();
    const other = world.sql();
    other.exec('BEGIN IMMEDIATE');
    const { store } = wired(world.file, { timeout: 1 });
    const error = await rejection(world.open([AGENT], { store }));
    expect(error).to.be.instanceOf(StoreError);
    expect(error.message).to.match(/another process kept the database locked.*SQLITE_BUSY/);
    expect(await (await world.client()).runs.list()).to.deep.equal([]);
    other.exec('ROLLBACK');
    await world.open([AGENT], { store });
  });
});
