import { expect } from 'chai';
import { CrashPoint, runScenario, type Crash } from '../../../sdk/testkit/index.js';
import { rejection } from '../../support/world.js';
import { approved } from './mailer.scenario.js';

const MODULE = { module: new URL('./mailer.scenario.js', import.meta.url), name: 'approved' };

const CRASHES: readonly Crash[][] = [
  [{ step: 1, at: CrashPoint.StepDecided }],
  [{ step: 1, at: CrashPoint.ToolEffect }],
  [{ step: 1, at: CrashPoint.ApprovalRequested }],
  [
    { step: 1, at: CrashPoint.ToolStarted },
    { step: 1, at: CrashPoint.TakenOver },
  ],
];

describe('the two ways to die', () => {
  for (const crashes of CRASHES) {
    const where = crashes.map(({ at }) => at).join(', then at ');
    it(`I8: park and kill leave the same rows, after a death at ${where}`, async () => {
      const parked = await runScenario(MODULE, crashes, { way: 'park' });
      const killed = await runScenario(MODULE, crashes, { way: 'kill' });
      expect(killed).to.deep.equal(parked);
      expect(killed.crashes).to.have.length(crashes.length);
    });
  }

  it('refuses to kill what another process could not load', async () => {
    expect(await rejection(runScenario(approved, [], { way: 'kill' }))).to.include({ code: 'INVALID_ARGUMENT' });
  });

  it('says so if a crash is never reached', async () => {
    const error = await rejection(runScenario(approved, [{ step: 9, at: CrashPoint.ToolEffect }]));
    expect(error.message).to.match(/step 9, tool\.effect.*never reached/);
  });
});
