import { expect } from 'chai';
import { diagnose } from '../../../../core/engine/diagnose.js';
import { refusedRuns, unsignedDecisions } from '../../../../core/engine/signatures.js';
import { verifyExport } from '../../../../core/engine/verify-export.js';
import { everyEntry, readRuns } from '../../../../core/store/bounded-reads.js';
import type { Store } from '../../../../core/store/store.js';
import { World } from '../../../support/world.js';
import { waitingOn, waitingRun } from '../../store/waiting.js';

const RUNS = 6;

async function drained(walk: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of walk);
}

describe('the event loop, while a record is walked', () => {
  let world: World;
  let store: Store;
  beforeEach(async () => {
    world = new World();
    const { mortal, sent } = await waitingRun(world, {}, 'r1');
    ({ store } = mortal);
    for (let n = 2; n <= RUNS; n += 1) await waitingOn(mortal, sent, `r${n}`);
  });
  afterEach(() => world.close());

  /** How often the loop came around before `work` was done. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    try {
      await work();
      return turns;
    } finally {
      clearImmediate(next);
    }
  }

  it('S11: has a turn for each run that is verified', async () => {
    const client = await world.client();
    expect(await turnsDuring(() => client.verify())).to.be.at.least(RUNS);
  });

  it('S11: has a turn for each page that is exported, though nobody does anything with it', async () => {
    const client = await world.client();
    // The run, and its events, steps and approvals.
    expect(await turnsDuring(() => drained(client.runs.export('r1')))).to.be.at.least(4);
  });

  it('S11: has turns while a file is verified, though its lines are there already', async () => {
    const exported: string[] = [];
    for await (const line of (await world.client()).runs.export('r1')) exported.push(line);
    async function* lines(): AsyncGenerator<string> {
      yield* exported.slice(0, 2);
      for (let n = 0; n < 5_000; n += 1) yield '';
    }
    expect(await turnsDuring(() => verifyExport(lines(), null))).to.be.at.least(5);
  });

  it('S11: has a turn for each run that doctor looks at', async () => {
    expect(await turnsDuring(() => diagnose(store, null))).to.be.at.least(RUNS);
  });

  it('A7: has a turn for each decision and each run that doctor looks for approvers in', async () => {
    world.sql().exec(`UPDATE holdpoint_approvals SET status = 'approved', decided_at = 1, decided_by = 'ann'`);
    expect(await turnsDuring(() => drained(unsignedDecisions(store, new Map())))).to.be.at.least(RUNS);
    world.sql().exec(`UPDATE holdpoint_approvals SET status = 'pending', decided_at = NULL, decided_by = NULL`);
    expect(await turnsDuring(() => drained(refusedRuns(store, new Map())))).to.be.at.least(RUNS);
  });

  it('S10: has a turn for each page of a list', async () => {
    const db = world.sql();
    const columns = (db.pragma('table_info(holdpoint_runs)') as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name !== 'seq');
    const values = columns.map((name) => (name === 'id' ? `'copy' || value` : name));
    db.exec(`
      WITH RECURSIVE copies(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM copies WHERE value < 1200)
      INSERT INTO holdpoint_runs (${columns.join()})
      SELECT ${values.join()} FROM holdpoint_runs, copies WHERE id = 'r1'`);
    const turns = await turnsDuring(() =>
      drained(everyEntry((page) => store.read((sql) => readRuns(store, sql, {}, page)))),
    );
    expect(turns).to.be.at.least(3);
  });
});
