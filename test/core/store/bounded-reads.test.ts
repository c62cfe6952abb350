import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { InvalidArgumentError, type Client } from 'holdpoint';
import { everyEntry, readRun, readRuns } from '../../../core/store/bounded-reads.js';
import type { Store } from '../../../core/store/store.js';
import type { Sql } from '../../../core/store/table.js';
import { rejection, World } from '../../support/world.js';
import { waitingRun } from './waiting.js';

const HUGE = 5 * 1024 * 1024;
const MAX = 65_536;
/** What a member holds at most in characters, its mark included. */
const WITH_MARK = MAX + 100;

/** Every text column of the tables, by a read that shows it, and whether it holds JSON. */
const COLUMNS: readonly (readonly [table: string, column: string, kind: 'text' | 'json'])[] = [
  ['runs', 'goal', 'text'],
  ['runs', 'message', 'text'],
  ['runs', 'result', 'json'],
  ['steps', 'decision', 'json'],
  ['steps', 'raw_decision', 'json'],
  ['steps', 'args', 'json'],
  ['steps', 'policy', 'json'],
  ['steps', 'observation', 'json'],
  ['approvals', 'presentation', 'json'],
  ['approvals', 'request', 'json'],
  ['approvals', 'note', 'text'],
  ['approvals', 'capability', 'text'],
  ['events', 'payload', 'json'],
];

describe('the reads of a client', () => {
  let world: World;
  let db: Database.Database;
  let client: Client;
  let approvalId: string;
  beforeEach(async () => {
    world = new World();
    const { approval } = await waitingRun(world);
    approvalId = approval.id;
    client = await world.client();
    db = world.sql();
  });
  afterEach(() => world.close());

  const reads = {
    runs: async () => [await client.runs.get('waiting'), ...(await client.runs.list())],
    steps: () => client.runs.steps('waiting'),
    approvals: async () => [await client.approvals.get(approvalId), ...(await client.approvals.list())],
    events: () => client.runs.events('waiting'),
  };

  const camel = (column: string): string => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

  for (const [table, column, kind] of COLUMNS) {
    it(`F13: cut a ${column} of 5 MB in ${table} at 64 Ki characters, with a mark`, async () => {
      const long = 'x'.repeat(HUGE);
      const value = kind === 'text' ? long : JSON.stringify(column === 'raw_decision' ? long : { long });
      db.prepare(`UPDATE holdpoint_${table} SET ${column} = ?`).run(value);
      for (const record of await reads[table as keyof typeof reads]()) {
        expect(record.cut).to.deep.equal([camel(column)]);
        const hashed = table === 'approvals' && column !== 'note';
        expect(record.decodeError).to.equal(hashed ? 'the request is not the one of its hash' : null);
        const shown = JSON.stringify((record as unknown as Record<string, unknown>)[camel(column)]);
        expect(shown).to.contain('… [cut: 5242880 characters]');
        expect(shown.length).to.be.within(MAX / 2, WITH_MARK);
      }
    });
  }

  it('F13: show whole what is short, beside what is cut', async () => {
    const request = (await client.approvals.get(approvalId)).request;
    const args = { text: 'y'.repeat(HUGE) };
    db.prepare('UPDATE holdpoint_approvals SET request = ?').run(JSON.stringify({ ...request, args }));
    const [listed] = await client.approvals.list();
    expect(listed?.request).to.deep.include({ runId: request.runId, stepId: request.stepId, tool: request.tool });
  });

  it('read more of one record where that is asked for', async () => {
    db.prepare('UPDATE holdpoint_runs SET goal = ?').run('z'.repeat(100_000));
    expect(await client.runs.get('waiting', { maxText: 100_000 })).to.include({ goal: 'z'.repeat(100_000) });
    expect((await client.runs.get('waiting', { maxText: 10 })).goal).to.equal('zzzzzzzzzz… [cut: 100000 characters]');
    for (const maxText of [0, 1.5, '5', 2 ** 24 + 1]) {
      const error = await rejection(client.approvals.get(approvalId, { maxText } as never));
      expect(error).to.be.instanceOf(InvalidArgumentError);
      expect(error.message).to.contain('maxText');
    }
  });

  it('cut at 8 Ki characters in a page of more than 128 entries', async () => {
    db.prepare('UPDATE holdpoint_runs SET goal = ?').run('z'.repeat(100_000));
    const goalOf = async (limit: number): Promise<string> => (await client.runs.list({ limit }))[0]?.goal ?? '';
    expect((await goalOf(128)).length).to.be.within(MAX, WITH_MARK);
    expect((await goalOf(129)).length).to.be.within(8_192, 8_292);
  });

  it('count characters, not bytes: what is not cut carries no mark', async () => {
    const goal = 'Ж'.repeat(MAX);
    db.prepare('UPDATE holdpoint_runs SET goal = ?').run(goal);
    expect(await client.runs.get('waiting'))
      .to.include({ goal })
      .and.not.to.have.property('cut');
  });

  it('show a text past a NUL, which SQLite would take for its end', async () => {
    const goal = `a\0${'b'.repeat(100_000)}`;
    db.prepare('UPDATE holdpoint_runs SET goal = ?').run(goal);
    const run = await client.runs.get('waiting');
    expect(run.cut).to.deep.equal(['goal']);
    expect(run.goal).to.match(/^a\0b+… \[cut: 100002 characters\]$/);
  });

  it('S9: show a short text whole, past a NUL in it', async () => {
    db.prepare('UPDATE holdpoint_runs SET goal = ?, agent = ?').run('a\0b', 'clerk\0');
    db.prepare('UPDATE holdpoint_approvals SET note = ?, decided_by = ?').run('\0', 'ann\0, and bob');
    const run = await client.runs.get('waiting');
    expect(run).to.include({ goal: 'a\0b', agent: 'clerk\0' }).and.not.to.have.property('cut');
    expect(await client.approvals.get(approvalId)).to.include({ note: '\0', decidedBy: 'ann\0, and bob' });
  });

  it('S9: mark a text past a NUL as cut in a row of more than 16 MiB, too', async () => {
    db.prepare('UPDATE holdpoint_runs SET goal = ?, limits = ?').run(
      `a\0${'b'.repeat(100_000)}`,
      `{}\0${' '.repeat(17 * 1024 * 1024)}`,
    );
    for (const run of await reads.runs()) {
      expect(run.goal).to.equal('a… [cut: 100002 bytes]');
      expect(run.cut).to.have.members(['goal', 'limits']);
    }
  });

  it('S9: list and show a row of more than 16 MiB with what of it can be shown, and say that it is too long', async () => {
    db.prepare('UPDATE holdpoint_runs SET goal = ?').run('g'.repeat(17 * 1024 * 1024));
    for (const run of await reads.runs()) {
      expect(run.tooLong).to.be.within(17 * 1024 * 1024, 17 * 1024 * 1024 + 1_000);
      expect(run).to.include({ id: 'waiting', status: 'WAITING', decodeError: null });
      expect(run.goal).to.equal(`${'g'.repeat(MAX)}… [cut: ${17 * 1024 * 1024} bytes]`);
      expect(run.cut).to.deep.equal(['goal']);
    }
    expect((await client.cancel('waiting', { by: 'ann' })).status).to.equal('CANCELLED');
  });

  it('S10: list the newest first where that is asked for, and go on from there', async () => {
    for (const id of ['b', 'c', 'd']) await client.start('clerk', { goal: 'g', id });
    const ids = (runs: readonly { readonly id: string }[]): string[] => runs.map(({ id }) => id);
    const first = await client.runs.list({ newestFirst: true, limit: 2 });
    expect(ids(first)).to.deep.equal(['d', 'c']);
    const after = first.at(-1)?.seq ?? 0;
    expect(ids(await client.runs.list({ newestFirst: true, after }))).to.deep.equal(['b', 'waiting']);
    const steps = await client.runs.steps('waiting', { newestFirst: true });
    expect(steps.map(({ index }) => index)).to.deep.equal([2, 1]);
    expect(await client.runs.steps('waiting', { after: 1 })).to.have.length(1);
    const events = await client.runs.events('waiting', { newestFirst: true, limit: 1 });
    expect(events[0]?.type).to.equal('approval.requested');
    expect(await rejection(client.runs.list({ newestFirst: 'yes' } as never))).to.be.instanceOf(InvalidArgumentError);
  });

  it('compile no statement for each length that is asked for', async () => {
    const { store } = client as unknown as { store: Store };
    const statements = new Set<string>();
    for (const maxText of [1, 2, 3, 500, 70_000]) {
      await store.read((sql) => readRun(store, spying(sql, statements), 'waiting', maxText));
    }
    // The page, and the row that is read again because something of it was cut.
    expect(statements).to.have.length(2);
  });

  it('S9, S10: end where the place of an entry is beyond what a number holds', async () => {
    const columns = (db.pragma('table_info(holdpoint_runs)') as { name: string }[]).map(({ name }) => name);
    const copied: Readonly<Record<string, string>> = { seq: '4611686018427387904 + i', id: `id || '-' || i` };
    db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO holdpoint_runs (${columns.join()})
      SELECT ${columns.map((name) => copied[name] ?? name).join()} FROM holdpoint_runs, n`);
    const { store } = client as unknown as { store: Store };
    const ids: string[] = [];
    for await (const run of everyEntry((page) => store.read((sql) => readRuns(store, sql, {}, page)))) {
      ids.push(run.id);
      if (ids.length > 1201) break;
    }
    expect(ids.slice(0, 2)).to.deep.equal(['waiting', 'waiting-1']);
    expect(new Set(ids)).to.have.length(ids.length);
  });
});

/** The same connection; the texts of what is asked of it are kept. */
function spying(sql: Sql, statements: Set<string>): Sql {
  return {
    query: (text, parameters) => {
      statements.add(text);
      return sql.query(text, parameters);
    },
  };
}
