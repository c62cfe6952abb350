import { expect } from 'chai';
import { CrashPoint, runScenario, type Crash, type Scenario, type WayToDie } from '../../../sdk/testkit/index.js';
import { playScenario } from '../../../sdk/testkit/run-scenario.js';
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
      const played = async (way: WayToDie) => {
        const left: unknown[] = [];
        const result = await playScenario(MODULE, crashes, { way, atDeath: (rows) => left.push(rows) });
        return { left, result };
      };
      const parked = await played('park');
      const killed = await played('kill');
      expect(killed).to.deep.equal(parked);
      expect(killed.result.crashes).to.have.length(crashes.length);
      expect(killed.left).to.have.length(crashes.length);
    });
  }

  it('refuses to kill what another process could not load', async () => {
    expect(await rejection(runScenario(approved, [], { way: 'kill' }))).to.include({ code: 'INVALID_ARGUMENT' });
  });

  it('ends a process that its scenario would keep', async () => {
    const { run } = await runScenario({ ...MODULE, name: 'lingering' }, [], { way: 'kill' });
    expect(run.status).to.equal('COMPLETED');
  });

  it('takes no other death for the one that was asked for', async () => {
    const crash = { step: 2, at: CrashPoint.RunFinished };
    const error = await rejection(runScenario({ ...MODULE, name: 'killedFromOutside' }, [crash], { way: 'kill' }));
    expect(error.message).to.match(/life 2 .* was killed after step 1, step\.tool_started, and not by the crash kit/);
  });

  it('makes the scenario anew for each process, so that nothing it keeps in memory outlives one', async () => {
    let made = 0;
    const counted = (): Scenario => {
      made += 1;
      return approved();
    };
    const { resumes } = await runScenario(counted, CRASHES[3]);
    // One more is the operator's, who lives on.
    expect(made).to.equal(resumes + 1 + 1);
  });

  it('says so if a crash is never reached', async () => {
    const error = await rejection(runScenario(approved, [{ step: 9, at: CrashPoint.ToolEffect }]));
    expect(error.message).to.match(/step 9, tool\.effect was never reached; a scenario must be the same every time/);
    expect(error.message).to.match(/life 1: step 0 run\.created, run\.started; step 1 step\.started, /);
  });
});
