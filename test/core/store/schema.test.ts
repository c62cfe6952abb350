import { readdirSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { callTool, Client, complete, requireApproval, SchemaVersionError } from 'holdpoint';
import { DataSource } from 'typeorm';
import { ENTITIES } from '../../../core/store/entities/index.js';
import { SQLITE_MIGRATIONS } from '../../../core/store/migrations/sqlite/index.js';
import { scripted, toolClass } from '../../support/agents.js';
import { Child } from '../../support/child.js';
import { rejection, World } from '../../support/world.js';
import { wired } from './driver.js';

const AGENT = scripted('noop', [], [{ kind: 'complete' }]);

/** A table as SQLite has it: its columns, its indexes, and its checks without their white space. */
function shapeOf(db: Database.Database, table: string): unknown {
  const { sql } = db.prepare(`SELECT sql FROM sqlite_master WHERE name = ?`).get(table) as { sql: string };
  const indexes = db.pragma(`index_list("${table}")`) as { name: string; unique: number; partial: number }[];
  const checks = sql
    .replace(/[\s"]+/g, '')
    .split('CONSTRAINT')
    .slice(1);
  return {
    columns: db.pragma(`table_xinfo("${table}")`),
    indexes: indexes
      .map(({ name, unique, partial }) => ({ name, unique, partial, on: db.pragma(`index_xinfo("${name}")`) }))
      .sort((a, b) => a.name.localeCompare(b.name)),
    where: db
      .prepare(
        `SELECT name, substr(sql, instr(sql, 'WHERE')) AS w FROM sqlite_master WHERE tbl_name = ? AND sql LIKE '%WHERE%'`,
      )
      .all(table),
    checks: checks.map((check) => check.replace(/[,)]+$/, '')).sort(),
    autoincrement: sql.includes('AUTOINCREMENT'),
  };
}

function tablesOf(db: Database.Database): string[] {
  return db
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'holdpoint\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .pluck()
    .all() as string[];
}

describe('the schema of a store', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  async function created(): Promise<void> {
    const { runtime } = await world.open([AGENT]);
    await runtime.start('noop', { goal: 'nothing' });
    await runtime.close();
  }

  /** TypeORM on the file, with the store's entities and nothing else of it. */
  async function entitiesOn(database: string): Promise<DataSource> {
    const source = new DataSource({ type: 'better-sqlite3', database, entities: ENTITIES });
    await source.initialize();
    world.atClose(() => source.destroy());
    return source;
  }

  it('S1: is the same by the migrations and by the entities', async () => {
    await created();
    const source = await entitiesOn(world.file);
    const log = await source.driver.createSchemaBuilder().log();
    expect(log.upQueries.map(({ query }) => query)).to.deep.equal([]);
  });

  it('S1: the same, as SQLite has the columns, indexes and checks of each table', async () => {
    await created();
    const migrated = world.sql();
    const other = `${world.file}.entities`;
    await (await entitiesOn(other)).synchronize();
    const synchronized = new Database(other);
    world.atClose(() => synchronized.close());
    const tables = tablesOf(synchronized);
    expect(tables).to.deep.equal(tablesOf(migrated).filter((table) => table !== 'holdpoint_migrations'));
    for (const table of tables) expect(shapeOf(migrated, table), table).to.deep.equal(shapeOf(synchronized, table));
  });

  it('S1: its migrations go forward only, oldest first', () => {
    const names = SQLITE_MIGRATIONS.map((Migration) => new Migration());
    for (const migration of names) expect(() => migration.down()).to.throw(/forward only/);
    const times = names.map(({ name }) => Number(/\d{13}$/.exec(name)?.[0]));
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  /** As the version before decisions were signed left it. */
  function withoutSignatures(db: Database.Database): void {
    db.exec(`
      ALTER TABLE holdpoint_approvals DROP COLUMN signature;
      ALTER TABLE holdpoint_approvals DROP COLUMN signer;
      DELETE FROM holdpoint_migrations WHERE name LIKE 'SignedDecisions%';
    `);
  }

  it('S1: an older one is refused by a client, and brought to this version by a runtime: what it holds goes on', async () => {
    const mailing = scripted(
      'noop',
      [toolClass(false, { name: 'send' }, () => 'sent')],
      [callTool('send', { text: 'a' }), complete()],
    );
    const old = await world.open([mailing], { policy: () => requireApproval() });
    const run = await old.runtime.start('noop', { goal: 'send' });
    await old.runtime.close();
    const db = world.sql();
    const shape = shapeOf(db, 'holdpoint_approvals');
    withoutSignatures(db);
    expect(shapeOf(db, 'holdpoint_approvals')).not.to.deep.equal(shape);
    const refusal = await rejection(Client.open({ store: world.file }));
    expect(refusal).to.include({ code: 'STORE' });
    expect(refusal.message).to.match(/1 migration\(s\) are missing. Open it once with Runtime.open/);
    const { runtime } = await world.open([mailing]);
    expect(shapeOf(db, 'holdpoint_approvals')).to.deep.equal(shape);
    const [approval] = await runtime.client.approvals.list();
    expect(approval).to.include({ status: 'pending', signature: null, signer: null });
    await runtime.client.approvals.approve(approval!.id, { hash: approval!.hash, by: 'ann' });
    expect((await runtime.resume(run.id)).status).to.equal('COMPLETED');
  });

  it('S1: is created beside the tables of somebody else, whose rows stay', async () => {
    const theirs = world.sql();
    theirs.exec('CREATE TABLE orders (id TEXT); INSERT INTO orders VALUES (1)');
    await created();
    expect(theirs.prepare('SELECT id FROM orders').pluck().all()).to.deep.equal(['1']);
    expect(tablesOf(theirs)).to.include('holdpoint_runs');
  });

  for (const mode of ['WAL', 'DELETE']) {
    it(`S1: a newer one is refused, and its file in ${mode} mode is not touched`, async () => {
      await created();
      const db = new Database(world.file);
      db.prepare('INSERT INTO holdpoint_migrations (timestamp, name) VALUES (?, ?)').run(9e12, 'Future9000000000000');
      db.pragma(`journal_mode = ${mode}`);
      db.close();
      const before = readFileSync(world.file);
      const openings = [world.open([AGENT]), Client.open({ store: world.file })];
      for (const error of await Promise.all(openings.map((opening) => rejection(opening)))) {
        expect(error).to.be.instanceOf(SchemaVersionError);
        expect(error.message).to.match(/newer version.*Future9000000000000.*not touched.*upgrade/);
      }
      expect(readFileSync(world.file).equals(before)).to.be.true;
      expect(readdirSync(world.dir)).to.deep.equal(['runs.db']);
    });
  }

  it('F16: six processes open the same new file at once, and all of them run', async () => {
    const module = new URL('./opener.js', import.meta.url);
    const children = [1, 2, 3, 4, 5, 6].map((n) => new Child(module, [world.file, `run-${n}`]));
    for (const child of children) expect(await child.next<string>()).to.equal('ready');
    for (const child of children) child.say({});
    const statuses = await Promise.all(children.map((child) => child.next<string>()));
    await Promise.all(children.map((child) => child.exited));
    expect(statuses).to.deep.equal(new Array(6).fill('COMPLETED'));
    const db = world.sql();
    expect(db.prepare('SELECT count(*) FROM holdpoint_migrations').pluck().get()).to.equal(SQLITE_MIGRATIONS.length);
    expect(db.prepare('SELECT count(*) FROM holdpoint_runs').pluck().get()).to.equal(6);
  });

  it('F16: an opener that finds the new file locked, for which SQLite does not wait, tries again', async () => {
    const other = world.sql();
    other.exec('BEGIN IMMEDIATE; CREATE TABLE theirs (id TEXT)');
    const openings: unknown[] = [];
    const { store } = wired(world.file, {
      timeout: 0,
      opened: (db) => {
        if (openings.push(db) === 3) other.exec('COMMIT');
      },
    });
    const { runtime } = await world.open([AGENT], { store });
    expect(openings.length).to.equal(3);
    expect((await runtime.start('noop', { goal: 'nothing' })).status).to.equal('COMPLETED');
  });

  it('F16: so do six runtimes of one process', async () => {
    const opened = await Promise.all([1, 2, 3, 4, 5, 6].map(() => world.open([AGENT])));
    const runs = await Promise.all(opened.map(({ runtime }) => runtime.start('noop', { goal: 'nothing' })));
    expect(new Set(runs.map(({ status }) => status))).to.deep.equal(new Set(['COMPLETED']));
  });
});
