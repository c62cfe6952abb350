import { expect } from 'chai';
import { callTool, verifyExport, type Client } from 'holdpoint';
import { PAGE } from '../../../../core/store/record.js';
import type { Store } from '../../../../core/store/store.js';
import { scripted, toolClass } from '../../../support/agents.js';
import { World } from '../../../support/world.js';
import { approve, waitingRun, type Waiting } from '../../store/waiting.js';

async function consumed(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function* again(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

describe('the record of a run that goes on', () => {
  let world: World;
  let waiting: Waiting;
  let client: Client;
  beforeEach(async () => {
    world = new World();
    waiting = await waitingRun(world);
    ({ client } = waiting.mortal.runtime);
  });
  afterEach(() => world.close());

  /** What the run does meanwhile: each changes rows that were there, adds some, or both. */
  const acts: (() => Promise<unknown>)[] = [
    () => approve(waiting),
    () => waiting.mortal.runtime.resume(waiting.run.id),
  ];

  /** Does the acts, each right after one of the store's reads. Returns how many reads there were. */
  function actingAfter(store: Store, places: readonly number[]): () => number {
    const read = store.read.bind(store);
    let reads = 0;
    store.read = async (work) => {
      const result = await read(work);
      reads += 1;
      const act = acts[places.indexOf(reads)];
      if (act) {
        store.read = read;
        await act();
        store.read = counting;
      }
      return result;
    };
    const counting = store.read;
    return () => reads;
  }

  const READS = 17;

  for (const [what, check] of [
    ['verified', (): Promise<unknown> => client.verify({ runId: 'waiting' })],
    ['exported', async (): Promise<unknown> => verifyExport(again(await consumed(client.runs.export('waiting'))))],
  ] as const) {
    it(`S11: is ${what} as of one moment, whenever a person and a process go on with it`, async () => {
      const other = new Map<number, unknown>();
      for (let first = 1; first <= READS; first += 1) {
        for (const second of [first + 1, first + 8]) {
          await world.close();
          world = new World();
          waiting = await waitingRun(world);
          ({ client } = waiting.mortal.runtime);
          const store = (client as unknown as { store: Store }).store;
          const reads = actingAfter(store, [first, second]);
          const verified = (await check()) as { events: number };
          expect(verified, `after reads ${first} and ${second} of ${reads()}`).to.include({ ok: true, fault: null });
          other.set(verified.events, first);
        }
      }
      expect(other.size, 'moments that were seen').to.be.greaterThan(2);
    }).timeout(120_000);
  }
});

describe('a page of a record', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  /** What the store's pages held, in rows and in bytes of text. */
  function measured({ tables }: Store): { table: string; rows: number; bytes: number }[] {
    const pages: { table: string; rows: number; bytes: number }[] = [];
    for (const name of ['events', 'steps', 'approvals'] as const) {
      const table = tables[name] as { page: (...asked: never[]) => Promise<object[]> };
      const page = table.page.bind(table);
      table.page = async (...asked) => {
        const rows = await page(...asked);
        const texts = rows
          .flatMap((row) => Object.values(row) as unknown[])
          .filter((value) => typeof value === 'string');
        pages.push({ table: name, rows: rows.length, bytes: texts.join('').length });
        return rows;
      };
    }
    return pages;
  }

  it('S11: holds no more text than its bound and one row, and a row at least', async () => {
    const text = 'x'.repeat(2 ** 19);
    const look = toolClass(true, { name: 'look' }, () => `${text}!`);
    const decisions = Array.from({ length: 9 }, (_, n) => callTool('look', { text, times: n }));
    const agent = scripted('reader', [look], [...decisions, { kind: 'complete' }]);
    const { runtime, store } = await world.open([agent]);
    const { id, eventCount } = await runtime.start('reader', { goal: 'read' });
    const pages = measured(store);
    const lines: number[] = [];
    for await (const line of runtime.client.runs.export(id)) lines.push(line.length);
    expect(await runtime.client.verify({ runId: id })).to.include({ ok: true, events: eventCount });
    const row = 4 * 2 ** 19;
    for (const { table, bytes } of pages) expect(bytes, table).to.be.below(PAGE.bytes + row);
    const most = (table: string): number =>
      Math.max(...pages.filter((page) => page.table === table).map(({ rows }) => rows));
    expect(most('events')).to.be.within(8, 30);
    expect(most('steps')).to.be.within(2, 4);
    const total = lines.reduce((sum, length) => sum + length, 0);
    expect(total).to.be.greaterThan(5 * PAGE.bytes);
    expect(pages.length).to.be.greaterThan(12);
  }).timeout(60_000);

  it('S11: holds no more rows than its bound', async () => {
    const { mortal, run } = await waitingRun(world);
    const { store } = mortal;
    const sizes = await store.read(async (sql) => {
      const all: number[] = [];
      for (const rows of [1, 2, 5]) {
        const bounded = { by: 'index' as const, rows, bytes: 2 ** 20 };
        all.push((await store.tables.events.page(sql, { runId: run.id }, bounded)).length);
      }
      const long = { by: 'index' as const, after: 2, rows: 500, bytes: 1 };
      const [only, ...others] = await store.tables.events.page(sql, { runId: run.id }, long);
      return [...all, only?.index, others.length];
    });
    expect(sizes).to.deep.equal([1, 2, 5, 3, 0]);
  });
});
