import { chmodSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { PlatformTools } from 'typeorm/platform/PlatformTools.js';
import { scripted, toolClass } from '../../support/agents.js';
import { rejection, World } from '../../support/world.js';
import { verbs, wired } from './driver.js';

const TOOL = toolClass(true, { name: 'look' }, () => ({ found: true }));
const AGENT = scripted('looker', [TOOL], [{ kind: 'tool', tool: 'look', args: { text: 'x' } }, { kind: 'complete' }]);

describe('the connections of a store', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  const WAL = 'wal';
  const FULL = 2;

  /** The settings that are in force, as each connection itself reads them. */
  async function settings(extra: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const { store, wire } = wired(world.file, { extra });
    await world.open([AGENT], { store });
    return [...wire.writers, ...wire.readers].map((db) => ({
      readonly: db.readonly,
      journal: db.pragma('journal_mode', { simple: true }),
      synchronous: db.pragma('synchronous', { simple: true }),
      foreignKeys: db.pragma('foreign_keys', { simple: true }),
      trustedSchema: db.pragma('trusted_schema', { simple: true }),
      timeout: db.pragma('busy_timeout', { simple: true }),
    }));
  }

  const EXPECTED = [false, true].map((readonly) => ({
    readonly,
    journal: WAL,
    synchronous: FULL,
    foreignKeys: 1,
    trustedSchema: 0,
    timeout: 5000,
  }));

  it('S1: one writes and one only reads; both are in WAL mode, sync every commit and trust no schema', async () => {
    expect(await settings()).to.deep.equal(EXPECTED);
  });

  it('S1: the same of a file that was opened before', async () => {
    const { runtime } = await world.open([AGENT]);
    await runtime.start('looker', { goal: 'look' });
    await runtime.close();
    expect(await settings()).to.deep.equal(EXPECTED);
  });

  it('S1: options of the user do not weaken them', async () => {
    const prepareDatabase = (db: { pragma(sql: string): unknown }): void => {
      db.pragma('synchronous = OFF');
      db.pragma('trusted_schema = ON');
    };
    expect(await settings({ enableWAL: true, timeout: 1, readonly: true, prepareDatabase })).to.deep.equal(EXPECTED);
  });

  it('S1: what the user does to prepare a connection is done to each of them', async () => {
    const prepared: unknown[] = [];
    const { store, wire } = wired(world.file, { extra: { prepareDatabase: (db: unknown) => prepared.push(db) } });
    await world.open([AGENT], { store });
    expect(prepared).to.deep.equal([...wire.writers, ...wire.readers]);
  });

  it('S2, F16: a transaction is immediate, a migration’s too: it waits for a lock at its begin, not in its middle', async () => {
    const { store, wire } = wired(world.file);
    const { runtime } = await world.open([AGENT], { store });
    await runtime.start('looker', { goal: 'look' });
    const begins = wire.statements.filter(({ sql }) => /^\s*(BEGIN|SAVEPOINT)/i.test(sql));
    expect(begins.length).to.be.greaterThan(6);
    expect(new Set(begins.map(({ sql }) => sql))).to.deep.equal(new Set(['BEGIN IMMEDIATE']));
  });

  it('S2: the connection that reads takes no lock: it reads while another process writes', async () => {
    const { runtime } = await world.open([AGENT]);
    const { id } = await runtime.start('looker', { goal: 'look' });
    const other = world.sql();
    other.exec(`BEGIN IMMEDIATE; UPDATE holdpoint_runs SET goal = 'other'`);
    expect((await runtime.client.runs.get(id)).goal).to.equal('look');
    other.exec('COMMIT');
    expect((await runtime.client.runs.get(id)).goal).to.equal('other');
  });

  for (const given of ['a path', 'options'] as const) {
    it(`S1: TypeORM, given ${given}, does not look for a driver itself: it might find another than the heartbeat’s`, async () => {
      const load = PlatformTools.load.bind(PlatformTools);
      const loaded: string[] = [];
      PlatformTools.load = (name: string) => {
        loaded.push(name);
        return load(name) as unknown;
      };
      world.atClose(() => {
        PlatformTools.load = load;
      });
      const store = given === 'a path' ? world.file : { type: 'better-sqlite3' as const, database: world.file };
      await world.open([AGENT], { store });
      expect(loaded).not.to.include('better-sqlite3');
    });
  }

  it('reads and writes one connection of a :memory: store, each in its turn', async () => {
    const { store, wire } = wired(':memory:');
    const { runtime } = await world.open([AGENT], { store });
    const runs = await Promise.all([1, 2, 3].map((n) => runtime.start('looker', { goal: `look ${n}` })));
    const shown = await Promise.all(runs.map((run) => runtime.client.runs.get(run.id)));
    expect(shown.map(({ status }) => status)).to.deep.equal(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    expect(wire.readers).to.deep.equal([]);
    expect(verbs(wire.statements, 'writer')).not.to.include('SAVEPOINT');
  });

  it('tells no log of its statements, and takes no prefix for its tables', async () => {
    const logged: unknown[] = [];
    const log = (...entry: unknown[]): void => {
      logged.push(entry);
    };
    const logger = {
      logQuery: log,
      logQueryError: log,
      logQuerySlow: log,
      logSchemaBuild: log,
      logMigration: log,
      log,
    };
    const extra = { logger, logging: 'all', maxQueryExecutionTime: 0.001, entityPrefix: 'app_', synchronize: true };
    const { store } = wired(world.file, { extra });
    const { runtime } = await world.open([AGENT], { store });
    expect((await runtime.start('looker', { goal: 'look' })).status).to.equal('COMPLETED');
    expect(logged).to.deep.equal([]);
  });
});

describe('the files of a store', () => {
  let world: World;
  let umask = 0;
  beforeEach(() => {
    world = new World();
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    return world.close();
  });

  it('S1: are their owner’s only, whatever the umask', async () => {
    const { runtime } = await world.open([AGENT]);
    await runtime.start('looker', { goal: 'look' });
    const modes = ['', '-wal', '-shm'].map((suffix) => (statSync(world.file + suffix).mode & 0o777).toString(8));
    expect(modes).to.deep.equal(['600', '600', '600']);
  });

  it('S1: are in defensive mode: no statement edits the schema or the file behind it', async () => {
    const { store } = await world.open([AGENT]);
    const edit = `UPDATE sqlite_master SET sql = 'CREATE TABLE holdpoint_runs (id)' WHERE name = 'holdpoint_runs'`;
    const tried = store.transaction(async (sql) => {
      await sql.query('PRAGMA writable_schema = ON', []);
      await sql.query(edit, []);
    });
    expect((await rejection(tried)).message).to.match(/may not be modified/);
  });

  it('S1: keep the mode that their owner gave them', async () => {
    const { runtime } = await world.open([AGENT]);
    await runtime.close();
    chmodSync(world.file, 0o640);
    await world.open([AGENT]);
    expect((statSync(world.file).mode & 0o777).toString(8)).to.equal('640');
  });
});
