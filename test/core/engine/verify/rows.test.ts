import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { verifyExport, type ChainFault, type Client } from 'holdpoint';
import type { World } from '../../../support/world.js';
import { DONE, recordsFile, SECRET, worldOf } from './records.js';
import { cellsOf, changed, set, tamperer, undetermined, type Cell } from './tampering.js';

/** Of a row whose id is known, and which is no event: those have tests of their own. */
function isRow({ table, column }: Cell): boolean {
  return table !== 'holdpoint_events' && !(table === 'holdpoint_runs' && column === 'id');
}

describe('the rows of a run', () => {
  let file: Buffer;
  let world: World;
  let db: Database.Database;
  let client: Client;

  before(async () => {
    file = await recordsFile();
  });
  beforeEach(async () => {
    world = worldOf(file);
    client = await world.client();
    db = tamperer(world);
  });
  afterEach(() => world.close());

  async function faultOf(runId: string): Promise<ChainFault | null> {
    const { ok, fault } = await client.verify({ runId });
    expect(ok).to.equal(fault === null);
    return fault;
  }

  /** What is found while a column holds another value. */
  async function faultWith(cell: Cell, value: unknown): Promise<ChainFault | null> {
    set(db, cell, value);
    const fault = await faultOf(cell.runId);
    set(db, cell, cell.value);
    return fault;
  }

  async function ids(): Promise<string[]> {
    return (await client.runs.list()).map(({ id }) => id);
  }

  it('S11: hold what the events lead to, in whatever state a run is or to whatever end it came', async () => {
    expect(await client.verify()).to.include({ ok: true, fault: null, runs: (await ids()).length });
    const statuses = (await client.runs.list()).map(({ status }) => status);
    expect(new Set(statuses)).to.have.length(6);
  });

  it('S11: hold it in an exported file, too', async () => {
    for (const id of await ids()) {
      const { eventCount } = await client.runs.get(id);
      const verified = await verifyExport(client.runs.export(id));
      expect(verified, id).to.deep.equal({ ok: true, runs: 1, events: eventCount, fault: null });
    }
  });

  it('S11: one column changed by hand is found, whichever it is, and its row is named', async () => {
    const cells = cellsOf(db).filter(isRow);
    expect(cells.length).to.be.greaterThan(500);
    for (const cell of cells) {
      const says = `${cell.runId}: ${cell.table}.${cell.column} of ${cell.where}`;
      const fault = await faultWith(cell, changed(cell));
      if (undetermined(cell)) continue;
      expect(fault, says).to.include({ runId: cell.runId });
      if (cell.names) continue;
      expect([fault?.where, fault?.field, fault?.index], says).to.deep.equal([cell.where, cell.column, null]);
    }
    expect((await client.verify()).ok).to.be.true;
  }).timeout(120_000);

  it('S11: a column that holds what no version writes is found, and nothing is thrown', async () => {
    const cells = cellsOf(db).filter((cell) => cell.runId === DONE && isRow(cell));
    for (const cell of cells) {
      for (const value of [Buffer.from('{}'), 'x', -1.5, 2 ** 60, Infinity, '']) {
        if (undetermined(cell) || cell.value === value) continue;
        expect(await faultWith(cell, value), `${cell.table}.${cell.column} = ${String(value)}`).not.to.be.null;
      }
    }
  }).timeout(60_000);

  it('S11: what is shown of a fault holds nothing of what agents, tools and persons said', async () => {
    const secret = JSON.stringify({ text: SECRET });
    const columns = ['args', 'decision', 'observation', 'policy', 'raw_decision', 'presentation', 'request', 'result'];
    const cells = cellsOf(db).filter(({ column }) => columns.includes(column));
    for (const cell of cells) {
      const fault = await faultWith(cell, secret);
      expect(fault).not.to.be.null;
      expect(JSON.stringify(fault)).not.to.include(SECRET);
    }
    const original = await faultWith(
      cells.find(({ runId }) => runId === 'looping')!,
      null,
    );
    expect(JSON.stringify(original)).not.to.include(SECRET);
  }).timeout(60_000);

  it('S11: a long text is cut in what is shown of it', async () => {
    const cell = cellsOf(db).find(({ runId, column }) => runId === DONE && column === 'goal')!;
    const fault = await faultWith(cell, 'long '.repeat(1000));
    expect(fault?.found).to.have.length.below(210);
  });

  it('S11: a row is named that is missing, or that no event leads to', async () => {
    const step = db.prepare(`SELECT * FROM holdpoint_steps WHERE run_id = ? AND idx = 2`).get(DONE) as object;
    const columns = Object.keys(step);
    const insert = db.prepare(`INSERT INTO holdpoint_steps VALUES (${columns.map((name) => `@${name}`).join(', ')})`);
    db.prepare('DELETE FROM holdpoint_steps WHERE run_id = ? AND idx = 2').run(DONE);
    expect(await faultOf(DONE)).to.include({ where: 'step 2', field: null, expected: 'a row', found: 'none' });
    insert.run(step);
    for (const idx of [-1, 0, 9]) {
      insert.run({ ...step, id: 'another', idx });
      expect(await faultOf(DONE)).to.include({ where: `step ${idx}`, expected: 'no row', found: 'a row' });
      db.prepare(`DELETE FROM holdpoint_steps WHERE id = 'another'`).run();
    }
    expect(await faultOf(DONE)).to.be.null;
  });

  it('S11: a tool spec that steps name is found missing, and changed', async () => {
    const specs = db.prepare('SELECT * FROM holdpoint_tool_specs').all() as { hash: string; spec: string }[];
    const [used] = db.prepare('SELECT spec_hash FROM holdpoint_steps WHERE run_id = ?').pluck().all(DONE) as string[];
    const { hash, spec } = specs.find((one) => one.hash === used)!;
    db.prepare('UPDATE holdpoint_tool_specs SET spec = ? WHERE hash = ?').run(spec.replace('false', 'true'), hash);
    expect(await faultOf(DONE)).to.include({ where: `spec ${hash}`, field: 'spec' });
    db.prepare('DELETE FROM holdpoint_tool_specs WHERE hash = ?').run(hash);
    expect(await faultOf(DONE)).to.include({ where: `spec ${hash}`, found: 'none' });
    db.prepare('INSERT INTO holdpoint_tool_specs VALUES (?, ?)').run(hash, spec);
    expect(await faultOf(DONE)).to.be.null;
  });

  it('S9, S11: hold it again once a run was cancelled around a step in a status that nobody knows', async () => {
    db.prepare(`UPDATE holdpoint_steps SET status = 'hunter2' WHERE run_id = 'waiting' AND idx = 2`).run();
    expect(await faultOf('waiting')).to.include({ where: 'step 2', field: 'status' });
    await client.cancel('waiting', { by: 'ann' });
    expect(await faultOf('waiting')).to.be.null;
  });

  it('S11: approvals of a run in another order than they were asked in are found', async () => {
    const found = db.prepare(`SELECT run_id AS runId, min(seq) AS first, max(seq) AS last FROM holdpoint_approvals
      GROUP BY run_id HAVING count(*) > 1`);
    const { runId, first, last } = found.get() as { runId: string; first: number; last: number };
    const [asked] = await client.approvals.list({ runId });
    const move = db.prepare('UPDATE holdpoint_approvals SET seq = ? WHERE seq = ?');
    for (const [to, from] of [
      [-1, first],
      [first, last],
      [last, -1],
    ])
      move.run(to, from);
    expect(await faultOf(runId)).to.include({
      where: `approval ${asked?.id}`,
      message: 'the events lead to a row that is not there',
    });
  });

  it('S11: a run under another id is found by the events that it has not', async () => {
    db.prepare(`UPDATE holdpoint_runs SET id = 'renamed' WHERE id = ?`).run(DONE);
    expect((await client.verify()).fault).to.include({ runId: 'renamed', where: 'event 1' });
  });

  /** Adds a copy of a row with some of its columns changed; what the database numbers, it numbers anew. */
  function copyOf(table: string, where: string, changes: Readonly<Record<string, unknown>>): void {
    const { seq: _seq, ...row } = db.prepare(`SELECT * FROM ${table} WHERE ${where}`).get() as Record<string, unknown>;
    const copy = { ...row, ...changes };
    const columns = Object.keys(copy);
    const marks = columns.map((name) => `@${name}`);
    db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks.join(', ')})`).run(copy);
  }

  for (const [what, changes] of [
    ['before it', { seq: -1, result: '"forged"' }],
    ['after it', { result: '"forged"' }],
    ['with another count of events', { seq: -1, event_count: 1 }],
    ['so many that they are no page', null],
  ] as const) {
    it(`S11: a second row of a run is found: ${what}`, async () => {
      db.exec('DROP INDEX holdpoint_runs_id; CREATE INDEX other ON holdpoint_runs (id, seq DESC)');
      const copies = changes ? [changes] : Array.from({ length: 501 }, (_, n) => ({ seq: -1 - n }));
      for (const copy of copies) copyOf('holdpoint_runs', `id = '${DONE}'`, copy);
      const twice = { runId: DONE, where: 'run', message: 'this run has two rows' };
      expect(await faultOf(DONE)).to.include(twice);
      expect((await client.verify()).fault).to.include(twice);
      const lines: string[] = [];
      for await (const line of client.runs.export(DONE)) lines.push(line);
      const rows = lines.flatMap((line) => (JSON.parse(line) as { run?: { result: string } }).run ?? []);
      expect(rows).to.have.length(1 + copies.length);
      const { result } = await client.runs.get(DONE);
      expect(JSON.parse(rows[0]!.result), 'the row that is shown comes first').to.equal(result);
    });
  }

  it('S11: a run that cannot be read by its id is a fault', async () => {
    const run = db.prepare('SELECT rowid FROM holdpoint_runs WHERE id = ?').pluck().get(DONE);
    const asDone = db.prepare('UPDATE holdpoint_runs SET id = ? WHERE rowid = ?');
    for (const id of ["CAST(x'FF' AS TEXT)", "CAST(x'80' AS TEXT)", "CAST('x' || x'FF' AS TEXT)"]) {
      db.prepare(`UPDATE holdpoint_runs SET id = ${id} WHERE rowid = ?`).run(run);
      expect((await client.verify()).fault, id).to.include({
        where: 'run',
        field: 'id',
        message: 'this run cannot be read by its id',
      });
    }
    asDone.run(Buffer.from(DONE), run);
    expect((await client.verify()).fault).to.include({ where: 'run', field: 'id' });
    asDone.run(DONE, run);
    expect((await client.verify()).ok).to.be.true;
  });

  it('S11: a run whose place in the order of insertion is no number that can be counted to is a fault', async () => {
    for (const seq of [2n ** 62n + 1n, -(2n ** 62n) - 1n]) {
      db.prepare('UPDATE holdpoint_runs SET seq = ? WHERE id = ?').run(seq, DONE);
      expect((await client.verify()).fault).to.include({ runId: DONE, where: 'run', field: 'seq' });
      expect(await faultOf(DONE), 'the rest of it is sound').to.be.null;
    }
  });

  for (const table of ['holdpoint_events', 'holdpoint_steps', 'holdpoint_approvals']) {
    it(`S11: a row of ${table} that belongs to no run is found, though its run's id is no text`, async () => {
      for (const hex of ['FF', '80', '']) {
        copyOf(table, `run_id = '${DONE}'`, {
          run_id: 'nobody',
          ...(table === 'holdpoint_events' ? {} : { id: 'stray' }),
        });
        db.exec(`UPDATE ${table} SET run_id = ${hex ? `CAST(x'${hex}' AS TEXT)` : `x'00'`} WHERE run_id = 'nobody'`);
        const { ok, fault } = await client.verify();
        expect(ok, hex).to.be.false;
        expect(fault?.message).to.equal('this row belongs to no run');
        db.exec(`DELETE FROM ${table} WHERE run_id NOT IN (SELECT id FROM holdpoint_runs)`);
      }
      expect((await client.verify()).ok).to.be.true;
    });
  }

  for (const [table, at, where] of [
    ['holdpoint_events', 2, 'event 3'],
    ['holdpoint_steps', 0, 'step 1'],
    ['holdpoint_approvals', 0, 'approval stray'],
  ] as const) {
    it(`S11: a row of ${table} that belongs to no run is found when all are verified`, async () => {
      const row = (db.prepare(`SELECT * FROM ${table} WHERE run_id = ?`).all(DONE) as Record<string, unknown>[])[at]!;
      const { seq: _seq, ...kept } = row;
      const copy = { ...kept, run_id: 'nobody', ...('id' in row ? { id: 'stray' } : {}) };
      const columns = Object.keys(copy);
      db.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
      ).run(table === 'holdpoint_approvals' ? { ...copy, step_id: 'nothing' } : copy);
      const { ok, fault } = await client.verify();
      expect(ok).to.be.false;
      expect(fault).to.include({ runId: 'nobody', where, message: 'this row belongs to no run' });
      db.prepare(`DELETE FROM ${table} WHERE run_id = 'nobody'`).run();
      expect((await client.verify()).ok).to.be.true;
    });
  }
});
