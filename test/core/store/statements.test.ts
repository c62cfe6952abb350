import { expect } from 'chai';
import { scripted, toolClass } from '../../support/agents.js';
import { World } from '../../support/world.js';
import { verbs, wired } from './driver.js';

const COMMIT_OF_A_STEP = ['BEGIN', 'SELECT', 'UPDATE', 'step', 'INSERT', 'COMMIT'];

describe('what a run costs the database', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  /** The statements of a run of so many tool steps, and those of its last step before it completes. */
  async function ran(steps: number) {
    const look = toolClass(true, { name: 'look' }, ({ text }) => text);
    const calls = Array.from({ length: steps }, (_, n) => ({ kind: 'tool', tool: 'look', args: { text: `${n}` } }));
    const { store, wire } = wired(world.file);
    const { runtime } = await world.open([scripted('looker', [look], [...calls, { kind: 'complete' }])], { store });
    wire.statements.length = 0;
    await runtime.start('looker', { goal: 'look' });
    return { all: verbs(wire.statements, 'writer'), read: verbs(wire.statements, 'reader'), wire };
  }

  for (const steps of [2, 20, 40]) {
    it(`S2: ${steps} tool steps are four transactions each, and nothing else is written or read`, async () => {
      const { all, read } = await ran(steps);
      const ends = all.flatMap((verb, at) => (verb === 'COMMIT' ? [at + 1] : []));
      const transactions = ends.map((end, at) => all.slice(at === 0 ? 0 : ends[at - 1], end));
      expect(transactions).to.have.length(1 + 4 * steps + 3);
      expect(transactions.flat()).to.have.length(all.length);
      const of = (step: string): string[] => COMMIT_OF_A_STEP.map((verb) => (verb === 'step' ? step : verb));
      const step = [of('INSERT'), of('UPDATE'), of('UPDATE'), of('UPDATE')];
      const last = step.slice(0, 3);
      expect(transactions.slice(1)).to.deep.equal([...Array.from({ length: steps }, () => step).flat(), ...last]);
      expect(read).to.deep.equal([]);
    });
  }

  it('S2: the run is created and leased in one transaction, whatever it is to do', async () => {
    const { all } = await ran(2);
    expect(all.slice(0, all.indexOf('COMMIT') + 1)).to.deep.equal([
      ...['BEGIN', 'SELECT', 'INSERT'],
      ...['SELECT', 'SELECT', 'UPDATE', 'INSERT'],
      ...['UPDATE', 'INSERT', 'COMMIT'],
    ]);
  });

  it('the statements of a step are prepared once: only their values differ', async () => {
    const look = toolClass(true, { name: 'look' }, ({ text }) => text);
    const calls = Array.from({ length: 30 }, (_, n) => ({ kind: 'tool', tool: 'look', args: { text: `${n}` } }));
    const prepared: string[] = [];
    const { store } = wired(world.file, {
      opened: (db) => {
        const prepare = db.prepare.bind(db);
        db.prepare = (sql: string) => {
          prepared.push(sql);
          return prepare(sql);
        };
      },
    });
    const { runtime } = await world.open([scripted('looker', [look], [...calls, { kind: 'complete' }])], { store });
    await runtime.start('looker', { goal: 'look' });
    expect(prepared).to.have.length(new Set(prepared).size);
    expect(prepared.filter((sql) => /holdpoint_(steps|events)/.test(sql)).length).to.be.lessThan(12);
  });
});
