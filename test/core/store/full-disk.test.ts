import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { StoreError, type RunEvent } from 'holdpoint';
import { scripted, toolClass } from '../../support/agents.js';
import { rejection, World } from '../../support/world.js';
import { dump, wired } from './driver.js';
import { waitingRun } from './waiting.js';

const LARGE = 'x'.repeat(200_000);
const LONG = { by: 'b'.repeat(1000), reason: 'r'.repeat(1000) };
const NO_LIMIT = 1_073_741_823;

/** The file may not grow any further, as if the disk were full. */
function fill(db: Database.Database): void {
  db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`);
}

function makeRoom(db: Database.Database): void {
  db.pragma(`max_page_count = ${NO_LIMIT}`);
}

/** What is written to the console meanwhile. */
async function printed(work: () => Promise<Error>): Promise<{ error: Error; lines: unknown[] }> {
  const lines: unknown[] = [];
  const { log, warn, error: say } = console;
  console.log = console.warn = console.error = (...line: unknown[]): void => void lines.push(line);
  try {
    return { error: await work(), lines };
  } finally {
    Object.assign(console, { log, warn, error: say });
  }
}

describe('a full disk', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  it('S2: in the middle of a run: nothing is half written, others go on, and so does the run once there is room', async () => {
    const { store, wire } = wired(world.file);
    const large = { kind: 'tool', tool: 'look', args: { text: LARGE } };
    const look = toolClass(true, { name: 'look' }, ({ text }) => text.length);
    const looker = scripted('looker', [look], [large, { kind: 'complete', result: 'done' }]);
    const small = scripted('small', [], [{ kind: 'complete' }]);
    let before: unknown;
    const observer = ({ runId, type }: RunEvent): void => {
      if (runId !== 'full' || type !== 'step.started') return;
      before = dump(world.sql());
      fill(wire.writers[0]!);
    };
    const { runtime } = await world.open([looker, small], { store, observer });
    const disk = wire.writers[0]!;

    const error = await rejection(runtime.start('looker', { goal: 'look', id: 'full' }));
    expect(error).to.be.instanceOf(StoreError);
    expect(error.message).to.match(
      /cannot write to .*runs\.db: .*full; make room and try again \(SQLITE_FULL\)\. Nothing was changed/,
    );
    expect(dump(world.sql())).to.deep.equal(before);
    expect((await runtime.client.verify()).ok).to.be.true;
    expect((await runtime.client.runs.steps('full')).map(({ status }) => status)).to.deep.equal(['deciding']);

    makeRoom(disk);
    expect((await runtime.start('small', { goal: 'another' })).status).to.equal('COMPLETED');
    world.expireLeases();
    const resumed = await runtime.resume('full');
    expect([resumed.status, resumed.stepCount]).to.deep.equal(['COMPLETED', 2]);
  });

  it('S2: while the file is migrated: it stays empty, and is migrated once there is room', async () => {
    const { store } = wired(world.file, { opened: (db) => db.pragma('max_page_count = 5') });
    const { error, lines } = await printed(() => rejection(world.open([], { store })));
    expect(lines).to.deep.equal([]);
    expect(error).to.be.instanceOf(StoreError);
    expect(error.message).to.match(/cannot open .*runs\.db: .*full; make room and try again \(SQLITE_FULL\)/);
    expect(world.sql().prepare('SELECT count(*) FROM sqlite_master').pluck().get()).to.equal(0);
    await world.open([]);
    expect((await (await world.client()).verify()).ok).to.be.true;
  });

  it('S2: while a person decides: nothing is decided, and can be once there is room', async () => {
    const { store, wire } = wired(world.file);
    const { mortal, approval, run } = await waitingRun(world, { store });
    const { client } = mortal.runtime;
    const before = dump(world.sql());
    fill(wire.writers[0]!);
    const { id, hash } = approval;
    const rejected = rejection(client.approvals.reject(id, { hash, by: 'ann', note: 'n'.repeat(1000) }));
    const settled = await Promise.all([rejected, ...[1, 2, 3].map(() => rejection(client.cancel(run.id, LONG)))]);
    for (const error of settled) expect(error.message).to.match(/SQLITE_FULL/);
    expect(dump(world.sql())).to.deep.equal(before);
    makeRoom(wire.writers[0]!);
    expect((await client.approvals.approve(id, { hash, by: 'ann' })).status).to.equal('approved');
  });
});
