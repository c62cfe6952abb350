import { expect } from 'chai';
import { CrashPoint, ScenarioViolation, type Scenario } from '../../../sdk/testkit/index.js';
import { playScenario } from '../../../sdk/testkit/run-scenario.js';
import { within } from '../../../sdk/testkit/within.js';
import { mailer, outside } from '../../support/crash.js';
import { rejection } from '../../support/world.js';
import { approved } from './mailer.scenario.js';

describe('a run that finds the points of a crash suite', () => {
  const LIMIT = { timeoutMs: 1_234_567 };
  const real = globalThis.setTimeout;
  let tooLong: () => void;

  beforeEach(() => {
    const seen = (call: () => void, ms?: number): NodeJS.Timeout => {
      if (ms === LIMIT.timeoutMs) tooLong = call;
      return real(call, ms);
    };
    globalThis.setTimeout = Object.assign(seen, { __promisify__: real.__promisify__ });
  });

  afterEach(() => {
    globalThis.setTimeout = real;
  });

  /** Never answers; and whoever waits for it has waited for too long, at once. */
  const never = (): Promise<never> => {
    tooLong();
    return new Promise(() => undefined);
  };

  const silent = (): Scenario => ({ ...approved(), agents: [mailer(outside(), { decide: never })] });

  it('L12: is not waited for for ever if its agent never answers, and says how far it came', async () => {
    const error = await rejection(playScenario(silent, [], LIMIT));
    expect(error).to.be.instanceOf(ScenarioViolation);
    const points = 'life 1: step 0 run\\.created, run\\.started; step 1 step\\.started';
    expect(error.message).to.match(
      new RegExp(`the run without a crash did not end within 1234567 ms: .*\\n\\n${points}$`),
    );
  });

  it('L12: names its crashes, and who died of them', async () => {
    const error = await rejection(playScenario(silent, [{ step: 0, at: CrashPoint.RunStarted }], LIMIT));
    expect(error.message).to.include('the run with a crash at step 0, run.started did not end within 1234567 ms');
    expect(error.message).to.match(/run\.started, and died\nlife 3: step 0 lease\.taken_over; step 1 step\.started$/);
  });

  for (const [who, scenario, check] of [
    ['operator', { ...approved(), operator: never }, undefined],
    ['maker', never, undefined],
    ['check', approved, never],
  ] as const) {
    it(`is not waited for if its ${who} never answers`, async () => {
      const error = await rejection(playScenario(scenario, [], { ...LIMIT, ...(check ? { check } : {}) }));
      expect(error.message).to.include('did not end within 1234567 ms');
    });
  }
});

describe('within', () => {
  const late = (): Error => new Error('late');

  it('gives what the work comes to, or throws what it throws', async () => {
    expect(await within(60_000, () => Promise.resolve(1), late)).to.equal(1);
    const error = await rejection(within(60_000, () => Promise.reject(new Error('own')), late));
    expect(error.message).to.equal('own');
  });

  it('has no limit where mocha has none', async () => {
    const slow = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 5, 'done'));
    for (const ms of [0, Infinity, 2 ** 31]) expect(await within(ms, slow, late)).to.equal('done');
  });
});
