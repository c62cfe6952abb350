import { expect } from 'chai';
import { ClosedError, StoreError } from 'holdpoint';
import type { Store } from '../../../core/store/store.js';
import type { Sql } from '../../../core/store/table.js';
import { scripted, toolClass } from '../../support/agents.js';
import { rejection, World } from '../../support/world.js';
import { verbs, wired } from './driver.js';

const ADD = 'INSERT INTO notes (text) VALUES (?)';

/** Writes a note in a few turns of the event loop, as a transition does, and then fails if it is told to. */
async function note(sql: Sql, text: string, failure?: Error): Promise<string> {
  await sql.query(ADD, [`${text} begins`]);
  await Promise.resolve();
  if (failure) throw failure;
  await sql.query(ADD, [`${text} ends`]);
  return text;
}

describe('the one writer of a store', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  async function opened(options: Parameters<typeof wired>[1] = {}) {
    const { store: location, wire } = wired(world.file, options);
    const { store, runtime } = await world.open([scripted('noop', [], [{ kind: 'complete' }])], { store: location });
    await store.transaction((sql) => sql.query('CREATE TABLE IF NOT EXISTS notes (text TEXT)', []));
    wire.statements.length = 0;
    return { store, runtime, wire };
  }

  async function notes(store: Store): Promise<unknown[]> {
    return store.read(async (sql) =>
      (await sql.query('SELECT text FROM notes', [])).records.map(({ text }) => text as unknown),
    );
  }

  it('S2: runs one transaction after the other, first come, first served', async () => {
    const { store, wire } = await opened();
    const names = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(names.map((name) => store.transaction((sql) => note(sql, name))));
    expect(answers).to.deep.equal(names);
    expect(await notes(store)).to.deep.equal(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(verbs(wire.statements, 'writer')).to.deep.equal(
      names.flatMap(() => ['BEGIN', 'INSERT', 'INSERT', 'COMMIT']),
    );
  });

  it('S2: what one throws rolls back all that it wrote, and nothing of those beside it', async () => {
    const { store } = await opened();
    const failure = new Error('no');
    const [a, b, c] = await Promise.allSettled([
      store.transaction((sql) => note(sql, 'a')),
      store.transaction((sql) => note(sql, 'b', failure)),
      store.transaction((sql) => note(sql, 'c')),
    ]);
    expect([a.status, b.status === 'rejected' && b.reason === failure, c.status]).to.deep.equal([
      'fulfilled',
      true,
      'fulfilled',
    ]);
    expect(await notes(store)).to.deep.equal(['a begins', 'a ends', 'c begins', 'c ends']);
  });

  it('S2: a statement that fails rolls back what came before it, and is our own error', async () => {
    const { store } = await opened();
    const error = await rejection(
      store.transaction(async (sql) => {
        await note(sql, 'a');
        await sql.query('INSERT INTO nowhere VALUES (?)', ['a']);
      }),
    );
    expect(error).to.be.instanceOf(StoreError);
    expect(error.message).to.match(
      /cannot write to .*runs\.db: no such table: nowhere \(SQLITE_ERROR\)\. Nothing was changed/,
    );
    expect(await notes(store)).to.deep.equal([]);
  });

  it('S2: what is not committed is not read', async () => {
    const { store } = await opened();
    let seen: unknown;
    await store.transaction(async (sql) => {
      await note(sql, 'a');
      seen = await notes(store);
    });
    expect(seen).to.deep.equal([]);
    expect(await notes(store)).to.have.length(2);
  });

  it('S2: a transaction inside a transaction is an error at once, not a wait for itself', async () => {
    const { store } = await opened();
    const error = await rejection(store.transaction(() => store.transaction((sql) => note(sql, 'inner'))));
    expect(error.message).to.match(/transaction inside a transaction would wait for itself/);
    await store.transaction((sql) => note(sql, 'next'));
    expect(await notes(store)).to.deep.equal(['next begins', 'next ends']);
  });

  it('F15: two stores of one process on one file take turns', async () => {
    const one = await opened();
    const other = await opened();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const stores = [one.store, other.store];
    await Promise.all(names.map((name, at) => stores[at % 2]!.transaction((sql) => note(sql, name))));
    expect(await notes(one.store)).to.deep.equal(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('S2: waits for what is queued when it closes, and refuses what comes later', async () => {
    const { store, runtime } = await opened();
    const queued = ['a', 'b'].map((name) => store.transaction((sql) => note(sql, name)));
    const closed = runtime.close();
    expect(await Promise.all(queued)).to.deep.equal(['a', 'b']);
    await closed;
    expect(await rejection(store.transaction((sql) => note(sql, 'c')))).to.be.instanceOf(ClosedError);
    expect(await rejection(store.read((sql) => sql.query('SELECT 1', [])))).to.be.instanceOf(ClosedError);
  });

  it('closes under a read with an error of its own', async () => {
    const { store, runtime } = await opened();
    const reading = store.read(async (sql) => {
      await runtime.close();
      return sql.query('SELECT 1', []);
    });
    expect(await rejection(reading)).to.be.instanceOf(ClosedError);
  });

  it('S5: a begin that fails because another process holds the lock leaves it usable', async () => {
    const { store } = await opened({ timeout: 1 });
    const other = world.sql();
    other.exec('BEGIN IMMEDIATE');
    const error = await rejection(store.transaction((sql) => note(sql, 'a')));
    expect(error).to.be.instanceOf(StoreError);
    expect(error.message).to.match(/kept the database locked.*SQLITE_BUSY/);
    other.exec('ROLLBACK');
    await store.transaction((sql) => note(sql, 'b'));
    expect(await notes(store)).to.deep.equal(['b begins', 'b ends']);
  });

  it('S2: a commit that fails leaves it usable, with nothing written', async () => {
    const { store } = await opened();
    const late = 'CREATE TABLE child (note INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)';
    await store.transaction(async (sql) => {
      await sql.query('CREATE TABLE parent (id INTEGER PRIMARY KEY)', []);
      await sql.query(late, []);
    });
    const error = await rejection(
      store.transaction(async (sql) => {
        await note(sql, 'a');
        await sql.query('INSERT INTO child VALUES (7)', []);
      }),
    );
    expect(error.message).to.match(/SQLITE_CONSTRAINT/);
    await store.transaction((sql) => note(sql, 'b'));
    expect(await notes(store)).to.deep.equal(['b begins', 'b ends']);
  });
});

describe('many runs of one process', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  it('F15: interleave without nesting, losing or mixing anything', async () => {
    const tool = toolClass(true, { name: 'echo' }, ({ text }) => ({ text }));
    const call = (n: number): object => ({ kind: 'tool', tool: 'echo', args: { text: `${n}` } });
    const agent = scripted('echoes', [tool], [call(1), call(2), call(3), { kind: 'complete' }]);
    const { store, wire } = wired(world.file);
    const { runtime, events } = await world.open([agent], { store });
    wire.statements.length = 0;
    const ids = Array.from({ length: 50 }, (_, n) => `run-${n}`);
    const runs = await Promise.all(ids.map((id) => runtime.start('echoes', { goal: id, id })));
    expect(new Set(runs.map(({ status }) => status))).to.deep.equal(new Set(['COMPLETED']));
    const bounds = verbs(wire.statements, 'writer').filter((verb) => /BEGIN|COMMIT|ROLLBACK|SAVEPOINT/.test(verb));
    expect(bounds).to.deep.equal(bounds.map((_, at) => (at % 2 === 0 ? 'BEGIN' : 'COMMIT')));
    const interleaved = events.map(({ runId }) => runId).filter((runId, at, all) => runId !== all[at - 1]);
    expect(interleaved.length).to.be.greaterThan(2 * ids.length);
    expect(await runtime.client.verify()).to.include({ ok: true, runs: 50, events: 50 * runs[0]!.eventCount });
    for (const id of ids) {
      const results = (await runtime.client.runs.steps(id)).map(({ observation }) => observation);
      expect(results).to.deep.equal([
        ...[1, 2, 3].map((n) => ({ kind: 'result', result: { text: `${n}` } })),
        { kind: 'run_ended', reason: 'goal_completed' },
      ]);
    }
  });
});
