import { expect } from 'chai';
import { mailer, outside } from '../support/crash.js';
import { World } from '../support/world.js';
import { chaos } from './chaos.js';
import { judge } from './judge.js';

describe('chaos', () => {
  it('I2, L4, L7, A4, S11: workers killed at random over one file break no clause', async () => {
    const report = await chaos({ seconds: 20, processes: 3, seed: 20_261_129 });
    expect(report.violations, JSON.stringify(report)).to.deep.equal([]);
    expect(report.kills).to.be.greaterThan(0);
    expect(report.effects).to.be.greaterThan(0);
  }).timeout(120_000);

  describe('is judged by the outside world', () => {
    let world: World;

    beforeEach(() => {
      world = new World();
    });

    afterEach(() => world.close());

    async function oneRun() {
      const { runtime } = await world.open([mailer(outside())]);
      const run = await runtime.start('mailer', { goal: 'g' });
      const [step] = await runtime.client.runs.steps(run.id);
      return { client: runtime.client, effect: { operationId: step?.operationId ?? '', runId: run.id, attempt: 1 } };
    }

    it('I2: a second effect that nobody approved is a violation', async () => {
      const { client, effect } = await oneRun();
      expect((await judge(client, [effect])).violations).to.deep.equal([]);
      expect((await judge(client, [effect, effect])).violations[0]).to.match(/2 effects, 0 approved/);
    });

    it('S11: a changed event is a violation', async () => {
      const { client } = await oneRun();
      world.sql().prepare(`UPDATE holdpoint_events SET payload = '{}' WHERE idx = 3`).run();
      expect((await judge(client, [])).violations[0]).to.match(/chain/);
    });

    it('I1: an effect of a step that is not recorded as started is a violation', async () => {
      const { client, effect } = await oneRun();
      world.sql().prepare(`UPDATE holdpoint_steps SET attempt = 0`).run();
      expect((await judge(client, [effect])).violations[0]).to.match(/not recorded as started/);
    });

    it('I10: an effect of an operation that no step records is a violation', async () => {
      const { client, effect } = await oneRun();
      const [violation] = (await judge(client, [{ ...effect, operationId: 'another' }])).violations;
      expect(violation).to.equal('operation another: an effect of no step');
    });

    for (const reason of ['agent_error', 'internal_error']) {
      it(`P1: a run that a fault of the program ended is a violation: ${reason}`, async () => {
        const throwing = (): never => {
          throw new Error('broken');
        };
        const agent = mailer(outside(), reason === 'agent_error' ? { decide: throwing } : {});
        const { runtime } = await world.open([agent], { policy: throwing });
        await runtime.start('mailer', { goal: 'g' });
        const { violations } = await judge(runtime.client, []);
        expect(violations).to.have.length(1);
        expect(violations[0]).to.match(new RegExp(`ended in ${reason}: .*broken`));
      });
    }

    it('L7: a run that is left behind is a violation', async () => {
      const { client } = await oneRun();
      await client.start('mailer', { goal: 'nobody comes' });
      expect((await judge(client, [])).violations[0]).to.match(/left PENDING/);
    });
  });
});
