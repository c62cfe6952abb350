import type Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ChainFault, Client } from 'holdpoint';
import { EVENT_TYPES, eventHash, GENESIS_HASH } from '../../../../core/model/event.js';
import type { World } from '../../../support/world.js';
import { DONE, recordsFile, worldOf } from './records.js';
import { tamperer } from './tampering.js';

interface EventRow {
  readonly seq: number;
  readonly run_id: string;
  readonly idx: number;
  readonly type: string;
  readonly payload: string;
  readonly created_at: number;
  readonly hash: string;
}

type Change = (event: EventRow) => Partial<EventRow>;

describe('a record that somebody changed', () => {
  let file: Buffer;
  let world: World;
  let db: Database.Database;
  let client: Client;
  let events: EventRow[];

  before(async () => {
    file = await recordsFile();
  });
  beforeEach(async () => {
    world = worldOf(file);
    client = await world.client();
    db = tamperer(world);
    events = eventsOf(DONE);
  });
  afterEach(() => world.close());

  function eventsOf(runId: string): EventRow[] {
    return db.prepare('SELECT * FROM holdpoint_events WHERE run_id = ? ORDER BY idx').all(runId) as EventRow[];
  }

  async function faultOf(runId: string, head?: string): Promise<ChainFault | null> {
    return (await client.verify({ runId, ...(head === undefined ? {} : { head }) })).fault;
  }

  function insert(row: Omit<EventRow, 'seq'>): void {
    const { run_id, idx, type, payload, created_at, hash } = row;
    db.prepare(
      'INSERT INTO holdpoint_events (run_id, idx, type, payload, created_at, hash) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(run_id, idx, type, payload, created_at, hash);
  }

  /** Writes the chain anew, with every hash and the run's head as if it had been so from the start. */
  function forge(rows: readonly EventRow[], run = DONE): void {
    db.prepare('DELETE FROM holdpoint_events WHERE run_id = ?').run(run);
    let previous = GENESIS_HASH;
    for (const [place, row] of rows.entries()) {
      const { run_id: runId, type, payload, created_at: at } = row;
      previous = eventHash(previous, { runId, index: place + 1, type, payload, at });
      insert({ ...row, idx: place + 1, hash: previous });
    }
    db.prepare('UPDATE holdpoint_runs SET event_count = ?, head_hash = ? WHERE id = ?').run(
      ...[rows.length, previous, run],
    );
  }

  const forged = (index: number, change: Change): EventRow[] =>
    events.map((event) => (event.idx === index ? { ...event, ...change(event) } : event));

  it('S11: is found by a changed payload', async () => {
    db.prepare(`UPDATE holdpoint_events SET payload = '{"step":1}' WHERE run_id = ? AND idx = 4`).run(DONE);
    expect(await faultOf(DONE)).to.include({ where: 'event 4', index: 4, found: events[3]!.hash });
  });

  it('S11: is found by a deleted event', async () => {
    db.prepare('DELETE FROM holdpoint_events WHERE run_id = ? AND idx = 4').run(DONE);
    expect(await faultOf(DONE)).to.include({ where: 'event 4', index: 4, expected: 'event 4', found: 'event 5' });
  });

  it('S11: is found by two swapped events', async () => {
    const move = db.prepare('UPDATE holdpoint_events SET idx = ? WHERE run_id = ? AND idx = ?');
    for (const [to, from] of [
      [1000, 4],
      [4, 6],
      [6, 1000],
    ]) {
      move.run(to, DONE, from);
    }
    expect(await faultOf(DONE)).to.include({ where: 'event 4', index: 4 });
  });

  it('S11: is found by an inserted event', async () => {
    db.prepare('UPDATE holdpoint_events SET idx = -idx - 1 WHERE run_id = ? AND idx > 4').run(DONE);
    db.prepare('UPDATE holdpoint_events SET idx = -idx WHERE run_id = ? AND idx < 0').run(DONE);
    insert({ ...events[3]!, idx: 5 });
    expect(await faultOf(DONE)).to.include({ where: 'event 5', index: 5 });
  });

  it('S11: cut at its end, rows and all, it is found by the head that was kept, and by nothing else', async () => {
    const { headHash } = await client.runs.get('waiting');
    const before = db.prepare(`SELECT * FROM holdpoint_runs WHERE id = 'waiting'`).get() as Record<string, unknown>;
    const step = db.prepare(`SELECT * FROM holdpoint_steps WHERE run_id = 'waiting' AND idx = 2`).get() as object;
    const [approval] = await client.approvals.list({ runId: 'waiting' });
    await client.approvals.reject(approval!.id, { hash: approval!.hash, by: 'ann' });
    const head = (await client.runs.get('waiting')).headHash;
    db.prepare(`DELETE FROM holdpoint_events WHERE run_id = 'waiting' AND idx > ?`).run(before.event_count);
    restore('holdpoint_runs', before);
    restore('holdpoint_steps', step);
    db.prepare(
      `UPDATE holdpoint_approvals SET status = 'pending', decided_at = NULL, decided_by = NULL, note = NULL WHERE id = ?`,
    ).run(approval!.id);
    expect(await faultOf('waiting')).to.be.null;
    expect(await faultOf('waiting', headHash)).to.be.null;
    expect(await faultOf('waiting', head)).to.include({
      message: 'the chain does not hold the head that was kept',
      expected: head,
    });
  });

  function restore(table: string, row: object): void {
    const sets = Object.keys(row).map((column) => `${column} = @${column}`);
    db.prepare(`UPDATE ${table} SET ${sets.join(', ')} WHERE id = @id`).run(row);
  }

  it('S11: is found by a status that was edited', async () => {
    db.prepare(`UPDATE holdpoint_runs SET status = 'RUNNING' WHERE id = ?`).run(DONE);
    expect(await faultOf(DONE)).to.deep.include({
      runId: DONE,
      where: 'run',
      field: 'status',
      index: null,
      expected: 'COMPLETED',
      found: 'RUNNING',
    });
  });

  it('S11: is found by an approval that was edited', async () => {
    const [approval] = await client.approvals.list({ runId: DONE });
    const request = JSON.stringify(approval!.request).replace('letter', 'bomb');
    db.prepare('UPDATE holdpoint_approvals SET request = ? WHERE run_id = ?').run(request, DONE);
    expect(await faultOf(DONE)).to.include({ where: `approval ${approval!.id}`, field: 'request' });
  });

  it('S11: is found by the decision of a person who did not decide it', async () => {
    const [{ id } = { id: '' }] = await client.approvals.list({ runId: 'waiting' });
    db.prepare(
      `UPDATE holdpoint_approvals SET status = 'approved', decided_at = requested_at, decided_by = 'ann' WHERE id = ?`,
    ).run(id);
    expect(await faultOf('waiting')).to.include({ where: `approval ${id}`, expected: 'pending', found: 'approved' });
  });

  it('S11: is found by a lease of a run that has ended', async () => {
    db.prepare(`UPDATE holdpoint_runs SET lease_owner = 'mallory', lease_expires_at = 1 WHERE id = ?`).run(DONE);
    expect(await faultOf(DONE)).to.include({ where: 'run', field: 'lease_owner', expected: 'null', found: 'mallory' });
  });

  it('S11: with every hash written anew, is found where its rows do not hold what its new events lead to', async () => {
    forge(events);
    expect(await faultOf(DONE)).to.be.null;
    const finished = events.at(-1)!;
    forge(forged(finished.idx, ({ payload }) => ({ payload: payload.replace('"sent"', '"kept"') })));
    expect(await faultOf(DONE)).to.include({ where: 'run', field: 'result' });
    forge(forged(finished.idx, ({ created_at }) => ({ created_at: created_at + 1 })));
    expect(await faultOf(DONE)).to.include({ where: 'run', field: 'updated_at' });
  });

  for (const [what, change, says] of [
    ['an unknown type', () => ({ type: 'step.forgotten' }), 'this version does not know this type of event'],
    ['a payload that is no object', () => ({ payload: '[1]' }), 'the payload of this event is not a JSON object'],
    ['a payload that is no JSON', () => ({ payload: '{' }), 'the payload of this event is not a JSON object'],
    ['a member missing', () => ({ payload: '{}' }), 'this event does not say what it must'],
    ['another step', () => ({ payload: '{"step":7,"decision":null}' }), 'this event is about another step'],
    ['a second beginning', () => ({ type: 'run.created' }), 'a run begins with its creation'],
    ['an end before others', () => ({ type: 'run.finished', payload: FINISHED }), 'the run had ended before'],
  ] as const satisfies [string, Change, string][]) {
    it(`S11: an event with ${what} is named, though its hash fits`, async () => {
      forge(forged(4, change));
      const fault = await faultOf(DONE);
      expect(fault?.message).to.include(says);
      expect(fault?.index).to.equal(what === 'an end before others' ? 5 : 4);
    });
  }

  it('S11: what an event of an older version does not say is not checked, and all else is', async () => {
    const older: Readonly<Record<string, readonly string[]>> = {
      'step.policy': ['tool', 'specHash', 'argsHash'],
      'step.interrupted': ['observation'],
      'step.reconciled': ['observation'],
      'approval.requested': ['expiresAt', 'grantTtlMs'],
    };
    for (const { id } of await client.runs.list()) {
      const stripped = eventsOf(id).map((event) => {
        const members = Object.entries(JSON.parse(event.payload) as object);
        const kept = members.filter(([name]) => !older[event.type]?.includes(name));
        return { ...event, payload: JSON.stringify(Object.fromEntries(kept)) };
      });
      forge(stripped, id);
      expect(await faultOf(id), id).to.be.null;
    }
    db.prepare(`UPDATE holdpoint_approvals SET expires_at = 1, note = 'sure' WHERE run_id = 'rejected'`).run();
    expect(await faultOf('rejected')).to.include({ field: 'note', expected: 'not now', found: 'sure' });
  });

  it('S11: whatever its events say, it is verified to the end and nothing is thrown', async () => {
    const change = fc.record(
      { type: fc.constantFrom(...EVENT_TYPES), payload: fc.json(), created_at: fc.integer() },
      { requiredKeys: [] },
    );
    const place = fc.integer({ min: 1, max: events.length });
    await fc.assert(
      fc.asyncProperty(place, change, fc.string(), async (index, changes, key) => {
        const drop: Change = ({ payload }) => {
          const members = Object.entries(JSON.parse(payload) as object);
          return {
            payload: JSON.stringify(
              Object.fromEntries(members.filter(([name]) => !name.startsWith(key.slice(0, 1) || 's'))),
            ),
          };
        };
        forge(forged(index, Object.keys(changes).length === 0 ? drop : () => changes));
        expect(await client.verify({ runId: DONE })).to.include({ runs: 1 });
      }),
      { numRuns: 150 },
    );
  });
});

const FINISHED = '{"message":null,"reason":"goal_completed","result":null,"status":"COMPLETED"}';
