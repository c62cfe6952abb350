import { IsString, Validate, ValidatorConstraint } from 'class-validator';
import { expect } from 'chai';
import { callTool, LeaseLostError, OutcomeUnknownError, Reconciliation, StoreError, Tool, type Class } from 'holdpoint';
import { systemClock } from '../../../core/clock.js';
import { agentClass } from '../../support/agents.js';
import { mailer, outside, type Outside } from '../../support/crash.js';
import { rejection, trail, TTL_MS, World } from '../../support/world.js';

@ValidatorConstraint({ async: true })
class NeverAnswers {
  /** What it does instead. */
  static steal: () => Promise<never>;

  validate(): Promise<boolean> {
    return NeverAnswers.steal();
  }
}

@ValidatorConstraint({ async: true })
class NeverRefuses {
  validate(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

describe('a loop whose lease has lapsed', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  it('L4: it begins no step and asks no agent', async () => {
    const act = () => {
      world.expireLeases();
      return 'sent';
    };
    const { runtime } = await world.open([mailer(seen, { act })]);
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.be.instanceOf(LeaseLostError);
    expect((await trail(runtime.client, 'r')).at(-1)).to.equal('step.tool_finished');
    expect(seen.seen).to.have.length(1);
  });

  it('L4: it asks no agent whose step it began before, and no policy', async () => {
    for (const last of ['step.started', 'step.decided']) {
      let asked = 0;
      const { runtime } = await world.open([mailer(seen)], {
        policy: () => {
          asked += 1;
          return { kind: 'allow' };
        },
        observer: ({ type }) => {
          if (type === last) world.expireLeases();
        },
      });
      const id = last.replace('.', '-');
      expect(await rejection(runtime.start('mailer', { goal: 'g', id }))).to.be.instanceOf(LeaseLostError);
      expect((await trail(runtime.client, id)).at(-1)).to.equal(last);
      expect(asked).to.equal(0);
    }
    expect(seen.seen).to.have.length(1);
  });

  it('L4: it asks no reconciliation', async () => {
    const act = () => {
      world.expireLeases();
      return Promise.reject(new OutcomeUnknownError('no answer'));
    };
    const reconcile = () => Reconciliation.continue('not sent');
    const { runtime } = await world.open([mailer(seen, { act, reconcile })]);
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.be.instanceOf(LeaseLostError);
    expect(seen.asked).to.deep.equal([]);
    expect((await runtime.resume('r')).status).to.equal('COMPLETED');
    expect(seen.asked).to.have.length(1);
  });

  for (const hanging of ['provide', 'a validator']) {
    it(`L5: it does not wait for ${hanging} that never answers`, async () => {
      const steal = () => {
        world.sql().prepare(`UPDATE holdpoint_runs SET lease_owner = 'thief', lease_expires_at = 9e15`).run();
        return new Promise<never>(() => undefined);
      };
      let called = 0;
      class Slow {
        @IsString()
        @Validate(hanging === 'provide' ? NeverRefuses : NeverAnswers)
        text = 'hello';
      }
      @Tool(false, { name: 'send', input: Slow })
      class Send {
        execute(): void {
          called += 1;
        }
      }
      const agent = agentClass('mailer', [Send], () => callTool('send', {}));
      NeverAnswers.steal = steal;
      const provide = (cls: Class): object | Promise<object> =>
        cls === Send && hanging === 'provide' ? steal() : (Reflect.construct(cls, []) as object);
      const options = { clock: systemClock, lease: { ttlMs: 1_000 }, provide };
      const { runtime } = await world.open([agent], options);
      expect(await rejection(runtime.start('mailer', { goal: 'g' }))).to.be.instanceOf(LeaseLostError);
      expect(called).to.equal(0);
    });
  }

  it('L5: it tells of the loss, though the store cannot say whether the run was cancelled', async () => {
    const act = () => {
      world.expireLeases();
      mortal.store.read = () => Promise.reject(new StoreError('the database is gone'));
      return 'sent';
    };
    const mortal = await world.open([mailer(seen, { act })]);
    expect(await rejection(mortal.runtime.start('mailer', { goal: 'g' }))).to.be.instanceOf(LeaseLostError);
  });

  for (const terminal of [false, true]) {
    const tool = terminal ? 'a terminal tool' : 'a tool';
    it(`L12, L8: what ${tool} brings past its timeout and a lapsed lease is not recorded, though nobody took the run`, async () => {
      const timeoutMs = 5_000;
      const act = () => {
        world.clock.advance(timeoutMs + TTL_MS);
        return 'too late';
      };
      const { runtime } = await world.open([mailer(seen, { act, options: { timeoutMs, terminal } })]);
      expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.be.instanceOf(LeaseLostError);
      expect((await trail(runtime.client, 'r')).at(-1)).to.equal('step.tool_started');
      expect((await runtime.resume('r')).status).to.equal('WAITING');
      const [asked] = await runtime.client.approvals.list();
      expect(asked?.kind).to.equal('interrupted_side_effect');
    });
  }

  it('L12, L8: nor is it if the loop has heard of the loss by then', async () => {
    const [ttlMs, timeoutMs] = [300, 60_000];
    const act = async () => {
      world.clock.advance(timeoutMs + ttlMs);
      await new Promise((lost) => {
        seen.seen[0]?.signal.addEventListener('abort', lost);
      });
      return 'too late';
    };
    const { runtime } = await world.open([mailer(seen, { act, options: { timeoutMs } })], { lease: { ttlMs } });
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.be.instanceOf(LeaseLostError);
    expect((await trail(runtime.client, 'r')).at(-1)).to.equal('step.tool_started');
  });

  it('L12, L8: what a reconciliation answers past its timeout and a lapsed lease is not recorded', async () => {
    const timeoutMs = 5_000;
    const act = () => Promise.reject(new OutcomeUnknownError('no answer'));
    const reconcile = () => {
      world.clock.advance(timeoutMs + TTL_MS);
      return Reconciliation.complete('too late');
    };
    const { runtime } = await world.open([mailer(seen, { act, reconcile, options: { timeoutMs } })]);
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.be.instanceOf(LeaseLostError);
    expect((await trail(runtime.client, 'r')).at(-1)).to.equal('step.interrupted');
  });

  it('L12: a reconciliation that blocks is not renewed past its timeout plus one lease length', async () => {
    const ttlMs = 2_000;
    let lapsed = false;
    const reconcile = () => {
      const sql = world.sql();
      const read = sql.prepare('SELECT lease_expires_at FROM holdpoint_runs').pluck();
      const giveUp = Date.now() + 15 * ttlMs;
      while (!lapsed && Date.now() < giveUp) lapsed = (read.get() as number) <= Date.now();
      return Reconciliation.continue('too late');
    };
    const act = () => Promise.reject(new OutcomeUnknownError('no answer'));
    const build = { act, reconcile, options: { timeoutMs: 200 } };
    const { runtime } = await world.open([mailer(seen, build)], { clock: systemClock, lease: { ttlMs } });
    // Whether the loop hears of it before it has come to its end is a matter of luck, and of no account here.
    await runtime.start('mailer', { goal: 'g' }).catch(() => undefined);
    expect(lapsed).to.equal(true);
  });
});
