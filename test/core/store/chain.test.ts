import type Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_LIMITS, type Client } from 'holdpoint';
import { eventHash, GENESIS_HASH, type StoredEvent } from '../../../core/model/event.js';
import { event, type Change } from '../../../core/model/moves/change.js';
import { createRun } from '../../../core/model/moves/start.js';
import { newRunRow } from '../../../core/store/encode.js';
import { loadState } from '../../../core/store/reads.js';
import { transition, write } from '../../../core/store/transition.js';
import { World, type Mortal } from '../../support/world.js';
import { approve, waitingRun } from './waiting.js';

const RUN = 'waiting';

interface Row {
  readonly seq: number;
  readonly run_id: string;
  readonly idx: number;
  readonly type: string;
  readonly payload: string;
  readonly created_at: number;
  readonly hash: string;
}

describe('the chain of a run’s events', () => {
  let world: World;
  let db: Database.Database;
  let client: Client;
  let rows: readonly Row[];

  beforeEach(async () => {
    world = new World();
    const waiting = await waitingRun(world);
    await approve(waiting);
    await waiting.mortal.runtime.resume(RUN);
    await waitingRun(world, {}, 'other');
    db = world.sql();
    client = waiting.mortal.runtime.client;
    rows = db.prepare('SELECT * FROM holdpoint_events WHERE run_id = ? ORDER BY idx').all(RUN) as Row[];
  });
  afterEach(() => world.close());

  /** Where the chain is found not to fit; null if it does, though a row may not. */
  async function faultAt(head?: string): Promise<number | null> {
    const { ok, fault } = await client.verify({ runId: RUN, ...(head === undefined ? {} : { head }) });
    expect(ok).to.equal(fault === null);
    expect(fault?.runId ?? RUN).to.equal(RUN);
    return fault?.index ?? null;
  }

  function set(index: number, column: string, value: unknown): void {
    db.prepare(`UPDATE holdpoint_events SET ${column} = ? WHERE run_id = ? AND idx = ?`).run(value, RUN, index);
  }

  function restore(): void {
    db.prepare('DELETE FROM holdpoint_events WHERE run_id = ?').run(RUN);
    for (const row of rows) insert(row);
  }

  function insert(row: Omit<Row, 'seq'> & { readonly seq?: number }): void {
    db.prepare('INSERT INTO holdpoint_events VALUES (?, ?, ?, ?, ?, ?, ?)').run(
      ...[row.seq ?? null, row.run_id, row.idx, row.type, row.payload, row.created_at, row.hash],
    );
  }

  function stored(row: Row): StoredEvent {
    return { runId: row.run_id, index: row.idx, type: row.type, payload: row.payload, at: row.created_at };
  }

  function setHead(count: number, hash: string): void {
    db.prepare('UPDATE holdpoint_runs SET event_count = ?, head_hash = ? WHERE id = ?').run(count, hash, RUN);
  }

  const length = (): number => rows.length;

  it('S11: fits as it was written, for one run and for all', async () => {
    expect(length()).to.be.greaterThan(15);
    expect(await client.verify({ runId: RUN })).to.deep.equal({ ok: true, runs: 1, events: length(), fault: null });
    const all = await client.verify();
    expect(all).to.deep.include({ ok: true, runs: 2, fault: null });
    expect(all.events).to.be.greaterThan(length());
  });

  it('S11: is of each event’s fields as stored, and of the hash before it', () => {
    let previous = GENESIS_HASH;
    for (const row of rows) {
      previous = eventHash(previous, stored(row));
      expect(row.hash).to.equal(previous);
    }
  });

  it('S11: does not fit from the event on that was changed, whichever and however', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 5 });
    const change = fc.oneof(
      fc.record({ column: fc.constant('payload'), value: fc.oneof(fc.json(), text, fc.constant(Buffer.from('{}'))) }),
      fc.record({ column: fc.constant('type'), value: fc.oneof(text, fc.constantFrom('run.started', 'step.decided')) }),
      fc.record({ column: fc.constant('created_at'), value: fc.oneof(fc.integer(), fc.double(), text) }),
      fc.record({ column: fc.constant('hash'), value: fc.oneof(text, fc.constant(GENESIS_HASH)) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: length() }), change, async (index, { column, value }) => {
        const before = rows[index - 1]?.[column as keyof Row];
        fc.pre(value !== before && !Number.isNaN(value));
        set(index, column, value);
        expect(await faultAt()).to.equal(index);
        set(index, column, before);
        expect(await faultAt()).to.be.null;
      }),
      { numRuns: 150 },
    );
  });

  it('S11: does not fit where an event is missing', async () => {
    for (const index of [1, 7, length()]) {
      db.prepare('DELETE FROM holdpoint_events WHERE run_id = ? AND idx = ?').run(RUN, index);
      expect(await faultAt()).to.equal(index);
      if (index < length()) {
        const { fault } = await client.verify();
        expect(fault).to.include({
          message: 'an event is missing',
          expected: `event ${index}`,
          found: `event ${index + 1}`,
        });
      }
      restore();
    }
  });

  it('S11: does not fit where an event is missing and those after it have moved up', async () => {
    db.prepare('DELETE FROM holdpoint_events WHERE run_id = ? AND idx = 7').run(RUN);
    for (let index = 8; index <= length(); index += 1) set(index, 'idx', index - 1);
    expect(await faultAt()).to.equal(7);
  });

  it('S11: does not fit from the first of two events that changed places', async () => {
    set(4, 'idx', 1000);
    set(9, 'idx', 4);
    set(1000, 'idx', 9);
    expect(await faultAt()).to.equal(4);
  });

  it('S11: does not fit if an event of another run stands in it', async () => {
    const other = db.prepare(`SELECT * FROM holdpoint_events WHERE run_id = 'other' AND idx = 5`).get() as Row;
    db.prepare('DELETE FROM holdpoint_events WHERE run_id = ? AND idx = 5').run(RUN);
    insert({ ...other, seq: rows[4]!.seq, run_id: RUN });
    expect(await faultAt()).to.equal(5);
  });

  for (const index of [0, -3]) {
    it(`S11: does not fit if an event was put at place ${index}, before the first`, async () => {
      const { seq: _seq, ...row } = rows[0]!;
      insert({ ...row, idx: index });
      expect((await client.runs.events(RUN))[0]?.index).to.equal(index);
      expect(await faultAt()).to.equal(1);
    });
  }

  it('S11: does not fit if an event was added that the run does not count, though its hash does', async () => {
    const forged = { ...rows.at(-1)!, idx: length() + 1, type: 'approval.decided' };
    insert({ ...forged, seq: 9999, hash: eventHash(rows.at(-1)!.hash, stored(forged)) });
    expect(await faultAt()).to.equal(length() + 1);
  });

  it('S11: cut short, it still fits a run that counts no more, but not the head that was kept', async () => {
    const head = rows.at(-1)!.hash;
    db.prepare('DELETE FROM holdpoint_events WHERE run_id = ? AND idx > 10').run(RUN);
    expect(await faultAt()).to.equal(11);
    setHead(10, rows[9]!.hash);
    // The chain fits, and the first row that does not is another.
    expect((await client.verify({ runId: RUN })).fault).to.include({ where: 'run', index: null });
    expect(await faultAt(head)).to.equal(11);
    expect(await faultAt(rows[9]!.hash)).to.be.null;
    expect(await faultAt(rows[3]!.hash)).to.be.null;
  });

  it('S11: written anew from a changed event on, it does not hold the head that was kept', async () => {
    let previous = rows[9]!.hash;
    for (const row of rows.slice(10)) {
      const forged = { ...row, created_at: row.created_at + 1 };
      set(row.idx, 'created_at', forged.created_at);
      previous = eventHash(previous, stored(forged));
      set(row.idx, 'hash', previous);
    }
    expect(await faultAt()).to.equal(length() + 1);
    setHead(length(), previous);
    expect((await client.verify({ runId: RUN })).fault).to.include({ where: 'run', index: null });
    expect(await faultAt(rows.at(-1)!.hash)).to.equal(length() + 1);
  });

  it('S11: does not fit if its run names another head', async () => {
    setHead(length(), GENESIS_HASH);
    expect((await client.verify()).fault).to.include({ runId: RUN, index: length() + 1, expected: GENESIS_HASH });
  });

  it('S11: keeps a head as the run goes on, and is of its run alone', async () => {
    const head = rows.at(-1)!.hash;
    const { headHash } = await client.runs.get('other');
    await client.cancel('other', { by: 'ann' });
    expect((await client.verify({ runId: 'other', head: headHash })).ok).to.be.true;
    expect((await client.verify({ runId: 'other', head })).ok).to.be.false;
  });
});

describe('verifying', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  /** Many runs that nobody has begun, in one commit. */
  async function pendingRuns({ store }: Mortal, count: number): Promise<void> {
    await store.transaction(async (sql) => {
      for (let n = 0; n < count; n += 1) {
        const { run, events } = createRun({ id: `run-${n}`, agent: 'clerk', goal: 'later', limits: DEFAULT_LIMITS }, 0);
        await store.tables.runs.insert(sql, [{ ...newRunRow(run), eventCount: 0, headHash: GENESIS_HASH }]);
        await write(store, sql, await loadState(store, sql, run.id), { run: {}, events }, 0);
      }
    });
  }

  it('S11: goes through more events and more runs than a page holds', async () => {
    const { mortal, run } = await waitingRun(world);
    const { client } = mortal.runtime;
    await pendingRuns(mortal, 501);
    const last = 'run-500';
    const many = Array.from({ length: 600 }, (_, n) => event('model.failed', { n }));
    await transition(mortal.store, last, () => ({ run: {}, events: many }));
    expect(await client.verify()).to.deep.equal({ ok: true, runs: 502, events: run.eventCount + 1101, fault: null });
    world.sql().prepare(`UPDATE holdpoint_events SET type = 'x' WHERE run_id = ? AND idx = 507`).run(last);
    expect((await client.verify()).fault).to.include({ runId: last, index: 507 });
  });

  it('S11: finds nothing wrong with a run that goes on between any two of its reads', async () => {
    const { mortal, run } = await waitingRun(world);
    const { store } = mortal;
    const read = store.read.bind(store);
    const goOn = (): Change => ({ run: {}, events: [event('model.failed', {}), event('model.failed', {})] });
    for (const at of [1, 2, 3, 4, 5]) {
      let reads = 0;
      store.read = async (work) => {
        const result = await read(work);
        reads += 1;
        if (reads === at) await transition(store, run.id, goOn);
        return result;
      };
      expect((await mortal.runtime.client.verify()).fault, `after read ${at} of ${reads}`).to.be.null;
    }
  });
});
