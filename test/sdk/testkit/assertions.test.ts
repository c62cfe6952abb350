import Database from 'better-sqlite3';
import { expect } from 'chai';
import { join } from 'node:path';
import { assertScenario, ScenarioViolation, type Evidence } from '../../../sdk/testkit/assertions.js';
import {
  CrashPoint,
  discover,
  runScenario,
  type MakeScenario,
  type ScenarioResult,
} from '../../../sdk/testkit/index.js';
import { mailer, outside } from '../../support/crash.js';
import { rejection } from '../../support/world.js';
import { approved } from './mailer.scenario.js';

const CHAIN = { ok: true, runs: 1, events: 1, fault: null };
const FITS = { chain: CHAIN, readOnly: new Set<string>() };

/** A broken promise, planted into the evidence of a run that kept all of them. */
const PLANTED: readonly (readonly [
  clause: string,
  what: string,
  says: RegExp,
  plant: (kept: ScenarioResult) => Evidence,
])[] = [
  [
    'I2',
    'a second call that nobody approved',
    /step 1 \(send\) was executed 2 times with 0/,
    (kept) => ({ ...kept, calls: [...kept.calls, ...kept.calls] }),
  ],
  [
    'I1',
    'a call whose start is not recorded',
    /called 1 times, but 0 starts/,
    (kept) => ({ ...kept, events: kept.events.filter(({ type }) => type !== 'step.tool_started') }),
  ],
  [
    'I1',
    'a call before its start is committed',
    /step 1 \(send\) was called before its start was recorded/,
    (kept) => ({ ...kept, calls: kept.calls.map((call) => ({ ...call, afterPoints: 2 })) }),
  ],
  [
    'I1',
    'a call by a process that did not record its start',
    /step 1 \(send\) was called before its start was recorded/,
    (kept) => ({ ...kept, calls: kept.calls.map((call) => ({ ...call, life: 7 })) }),
  ],
  [
    'I1',
    'a call for a step that is not there',
    /send was called for step nowhere, which is not recorded/,
    (kept) => ({ ...kept, calls: [...kept.calls, { ...kept.calls[0]!, stepId: 'nowhere' }] }),
  ],
  [
    'I10',
    'a call that carries another operation',
    /step 1 \(send\) was called as operation another, not id-/,
    (kept) => ({ ...kept, calls: kept.calls.map((call) => ({ ...call, operationId: 'another' })) }),
  ],
  [
    'A3',
    'a call with other arguments than were approved',
    /step 1 \(send\) was called with other arguments than it records/,
    (kept) => ({ ...kept, calls: kept.calls.map((call) => ({ ...call, args: { text: 'more', times: 1 } })) }),
  ],
  [
    'I5',
    'an interrupted call that nobody settled',
    /step 1 \(send\): event \d+ goes on after the interrupted call of event \d+, which was neither/,
    (kept) => ({
      ...kept,
      events: kept.events.flatMap((event) => {
        if (event.type !== 'step.tool_finished') return [event];
        const payload = { step: 1, cause: 'crash', during: 'executing' };
        return [{ ...event, type: 'step.interrupted' as const, payload }];
      }),
    }),
  ],
  ...(['none', 'wait'] as const).map(
    (answer) =>
      [
        'I5',
        `an interrupted call that nobody was asked about, though its reconciliation answered ${answer}`,
        /step 1 \(send\): event \d+ goes on after the interrupted call of event \d+, which was neither/,
        (kept: ScenarioResult) => ({
          ...kept,
          events: kept.events.flatMap((event) => {
            if (event.type !== 'step.tool_finished') return [event];
            const interrupted = { ...event, type: 'step.interrupted' as const };
            return [
              { ...interrupted, payload: { step: 1, cause: 'crash', during: 'executing' } },
              { ...event, type: 'step.reconciled' as const, payload: { step: 1, by: 'tool', answer } },
            ];
          }),
        }),
      ] as const,
  ),
  [
    'I2',
    'a second call on the word of an approval that was not about its outcome',
    /step 1 \(send\) was executed 2 times with 0/,
    (kept) => {
      const started = kept.events.filter(({ type }) => type === 'step.tool_started' || type === 'step.tool_finished');
      return { ...kept, calls: [...kept.calls, ...kept.calls], events: [...kept.events, ...started] };
    },
  ],
  [
    'I1',
    'a start without an end',
    /event \d+ starts a call that neither finished nor was interrupted/,
    (kept) => ({ ...kept, events: kept.events.filter(({ type }) => type !== 'step.tool_finished') }),
  ],
  [
    'A3',
    'a grant that is used twice',
    /event \d+ executes approval \S+ a second time/,
    (kept) => {
      const events = kept.events.filter(({ type }) => type === 'step.tool_started' || type === 'step.tool_finished');
      return { ...kept, events: [...kept.events, ...events] };
    },
  ],
  [
    'L1',
    'a lease on a run that has ended',
    /COMPLETED and still leased by dead/,
    (kept) => ({ ...kept, run: { ...kept.run, lease: { owner: 'dead', expiresAt: 0 } } }),
  ],
  [
    'S6',
    'an open step under a run that has ended',
    /step 1 \(send\) is executing/,
    (kept) => ({
      ...kept,
      steps: kept.steps.map((step) => (step.index === 1 ? { ...step, status: 'executing', observation: null } : step)),
    }),
  ],
  [
    'A6',
    'an open approval under a run that has ended',
    /approval \S+ is pending/,
    (kept) => ({ ...kept, approvals: kept.approvals.map((approval) => ({ ...approval, status: 'pending' })) }),
  ],
  [
    'A6',
    'a run that waits for two answers',
    /is left WAITING with 2 open approvals and 1 open steps/,
    (kept) => {
      const [question] = waiting(kept).approvals;
      return { ...waiting(kept), approvals: [question!, { ...question!, id: 'another' }] };
    },
  ],
  [
    'A6',
    'a run that waits with two steps',
    /is left WAITING with 1 open approvals and 2 open steps/,
    (kept) => {
      const [step] = waiting(kept).steps;
      return { ...waiting(kept), steps: [step!, { ...step!, id: 'another', index: 2 }] };
    },
  ],
  [
    'A6',
    'a run that waits for an answer, and executes',
    /is left WAITING with 1 open approvals and 1 open steps/,
    (kept) => ({ ...waiting(kept), steps: waiting(kept).steps.map((step) => ({ ...step, status: 'executing' })) }),
  ],
  [
    'A6',
    'a run that nobody executes and nobody is asked about',
    /is left RUNNING/,
    (kept) => ({ ...kept, run: { ...kept.run, status: 'RUNNING' } }),
  ],
];

/** The same run, as it was while it waited for the approval of its only call so far. */
function waiting(kept: ScenarioResult): Evidence {
  const [step] = kept.steps;
  return {
    ...kept,
    run: { ...kept.run, status: 'WAITING' },
    steps: [{ ...step!, status: 'awaiting_approval', observation: null }],
    approvals: kept.approvals.map((approval) => ({ ...approval, status: 'pending' })),
  };
}

describe('what is asserted of every scenario', () => {
  let kept: ScenarioResult;

  before(async () => {
    kept = await runScenario(approved);
  });

  it('holds for a run that kept the contract', () => {
    expect(() => {
      assertScenario(kept, FITS);
    }).to.not.throw();
  });

  for (const [clause, what, says, plant] of PLANTED) {
    it(`${clause}: finds ${what}, and names the clause`, () => {
      expect(() => {
        assertScenario(plant(kept), FITS);
      })
        .to.throw(ScenarioViolation, says)
        .with.property('clause', clause);
    });
  }

  it('A6: holds for a run that waits', () => {
    expect(() => {
      assertScenario(waiting(kept), FITS);
    }).to.not.throw();
  });

  it('S11: finds a chain that does not fit', () => {
    const where = { where: 'event 3', field: null, index: 3 };
    const fault = { runId: 'scenario', ...where, message: 'changed', expected: 'a', found: 'b' };
    expect(() => {
      assertScenario(kept, { ...FITS, chain: { ...CHAIN, ok: false, fault } });
    }).to.throw(ScenarioViolation, /S11.*changed/);
  });
});

describe('what is asserted while a scenario runs', () => {
  it('L6: finds a resume that was not refused, though the lease of the dead process lives', async () => {
    let made = 0;
    // The operator's, the first life's; the third is that of the process that must be refused.
    const robbed: MakeScenario = (dir) => {
      made += 1;
      if (made === 3) expire(join(dir, '..', 'runs.db'));
      return approved();
    };
    const error = await rejection(runScenario(robbed, [{ step: 1, at: CrashPoint.StepStarted }]));
    expect(error).to.be.instanceOf(ScenarioViolation).with.property('clause', 'L6');
    expect(error.message).to.match(/a resume while the dead process's lease was live was not refused/);
  });

  function expire(file: string): void {
    const db = new Database(file);
    db.exec('UPDATE holdpoint_runs SET lease_expires_at = 0');
    db.close();
  }
});

describe('how a scenario must have ended', () => {
  const throwing = (what: string) => (): never => {
    throw new Error(what);
  };

  for (const [fault, scenario] of [
    ['agent_error', { ...approved(), agents: [mailer(outside(), { decide: throwing('no model') })] }],
    ['internal_error', { ...approved(), policy: throwing('no rules') }],
  ] as const) {
    it(`P1: not by a fault of the program, unless that is what was asked for: ${fault}`, async () => {
      const error = await rejection(runScenario(scenario));
      expect(error).to.be.instanceOf(ScenarioViolation);
      expect(error.message).to.match(new RegExp(`the run ended FAILED \\(${fault}: .*\\)\n\nlife 1: step 0 `));
      expect((await runScenario(scenario, [], { ends: 'FAILED' })).run.reason).to.equal(fault);
      expect(await discover(scenario)).to.not.be.empty;
    });
  }

  it('A6: as was asked for; one that waits says for what', async () => {
    const error = await rejection(runScenario({ ...approved(), operator: () => 'leave' }, [], { ends: 'COMPLETED' }));
    expect(error).to.be.instanceOf(ScenarioViolation);
    expect(error.message).to.include('the run ended WAITING (waits for an answer to tool_call), not COMPLETED');
  });
});
