import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { HoldpointError } from 'holdpoint';
import { scripted, toolClass } from '../../support/agents.js';
import { rejection, World, type Mortal } from '../../support/world.js';
import { waitingRun } from './waiting.js';

const SECRET = 'hunter2';

/** Every text that can be reached from a value: by any property, shown or hidden, of it and of what it inherits. */
function* textsOf(value: unknown, seen = new Set<unknown>()): Generator<string> {
  if (typeof value === 'string') yield value;
  if (Buffer.isBuffer(value)) yield value.toString('latin1');
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) {
    yield String(key);
    yield* textsOf(Object.getOwnPropertyDescriptor(value, key)?.value, seen);
  }
}

/** Where one kind of statement is to fail, and how. */
const FAILURES: readonly (readonly [title: string, make: (db: Database.Database) => void])[] = [
  ['a decision', (db) => failing(db, 'UPDATE ON holdpoint_steps WHEN NEW.decision IS NOT NULL')],
  ['a tool’s start', (db) => failing(db, `INSERT ON holdpoint_events WHEN NEW.type = 'step.tool_started'`)],
  ['a tool’s result', (db) => failing(db, `UPDATE ON holdpoint_steps WHEN NEW.status = 'done'`)],
  ['an event', (db) => failing(db, `INSERT ON holdpoint_events WHEN NEW.payload LIKE '%${SECRET}%'`)],
  ['a run', (db) => failing(db, 'INSERT ON holdpoint_runs')],
];

function failing(db: Database.Database, on: string): void {
  db.exec(`CREATE TRIGGER failing BEFORE ${on} BEGIN SELECT RAISE(ABORT, 'it failed'); END`);
}

describe('the errors of a store', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  function assertHoldsNoSecret(error: Error): void {
    expect(error).to.be.instanceOf(HoldpointError);
    expect([...textsOf(error)].filter((text) => text.includes(SECRET))).to.deep.equal([]);
  }

  async function teller(): Promise<Mortal> {
    const tell = toolClass(true, { name: 'tell' }, ({ text }) => ({ told: text }));
    return world.open([
      scripted('teller', [tell], [{ kind: 'tool', tool: 'tell', args: { text: SECRET } }, { kind: 'complete' }]),
    ]);
  }

  it('look through the whole of an error for a secret', () => {
    const hidden = Object.defineProperty(new Error('x'), 'parameters', { value: [{ text: `a ${SECRET}` }] });
    expect([...textsOf(new Error('y', { cause: hidden }))]).to.include(`a ${SECRET}`);
  });

  for (const [title, make] of FAILURES) {
    it(`carry nothing of what was written, if ${title} cannot be`, async () => {
      const { runtime } = await teller();
      make(world.sql());
      const error = await rejection(runtime.start('teller', { goal: SECRET }));
      expect(error.message).to.match(/SQLITE_CONSTRAINT/);
      assertHoldsNoSecret(error);
    });
  }

  it('carry nothing of what was written, if a check of the schema refuses it', async () => {
    const { store } = await teller();
    const insert = `INSERT INTO holdpoint_runs (id, agent, goal, status, limits) VALUES (?, ?, ?, ?, ?)`;
    const error = await rejection(
      store.transaction((sql) => sql.query(insert, [SECRET, SECRET, SECRET, SECRET, SECRET])),
    );
    expect(error.message).to.match(/a row breaks a rule of the schema.*SQLITE_CONSTRAINT/);
    assertHoldsNoSecret(error);
  });

  it('carry nothing of what was decided', async () => {
    const { mortal, approval } = await waitingRun(world);
    failing(world.sql(), 'UPDATE ON holdpoint_approvals');
    const decision = { hash: approval.hash, by: SECRET, note: SECRET };
    const error = await rejection(mortal.runtime.client.approvals.approve(approval.id, decision));
    expect(error.message).to.match(/SQLITE_CONSTRAINT/);
    assertHoldsNoSecret(error);
  });

  it('carry nothing of what was looked for', async () => {
    const { runtime } = await teller();
    world.sql().exec('ALTER TABLE holdpoint_runs RENAME TO away');
    const error = await rejection(runtime.client.runs.list({ agent: SECRET }));
    expect(error.message).to.match(/cannot read .*runs\.db: no such table: holdpoint_runs \(SQLITE_ERROR\)/);
    assertHoldsNoSecret(error);
  });
});
