import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { requireApproval, Tool, Reconcile, Reconciliation, callTool, complete, OutcomeUnknownError } from 'holdpoint';
import { crashSuite, CrashPoint, runScenario, scriptedAgent } from '../../../sdk/testkit/index.js';
import type { Scenario, ScenarioSource } from '../../../sdk/testkit/index.js';
import { NoteInput } from '../../support/agents.js';
import { mailer, outside } from '../../support/crash.js';
import { rejection } from '../../support/world.js';
import { approved } from './mailer.scenario.js';

const MODULE = { module: new URL('./mailer.scenario.js', import.meta.url), name: 'approved' };

describe('what is no scenario', () => {
  const WRONG: Readonly<Record<string, readonly [source: unknown, says: RegExp]>> = {
    nothing: [undefined, /^scenario must be an object with agents, agent, goal/],
    'a function that returns nothing': [() => undefined, /^scenario must be an object with agents, agent, goal/],
    'a misspelt member': [{ ...approved(), operater: 1 }, /^scenario\.operater is not known; scenario takes agents/],
    'no agents': [{ agent: 'mailer', goal: 'g' }, /^scenario\.agents must be a list of agent classes/],
    'no agent': [{ ...approved(), agent: undefined }, /^scenario\.agent must be one of its agent classes/],
    'no goal': [{ ...approved(), goal: ' ' }, /^goal must be a text that is not empty/],
    'an operator that is no function': [
      { ...approved(), operator: 'approve' },
      /^scenario\.operator must be a function/,
    ],
    'a relative module': [{ module: './mailer.scenario.js' }, /module must be a URL.*found \.\/mailer\.scenario\.js/],
    'a module without it': [{ ...MODULE, name: 'denied' }, /exports no denied/],
  };

  for (const [what, [source, says]] of Object.entries(WRONG)) {
    it(`is refused in words: ${what}`, async () => {
      const error = await rejection(runScenario(source as ScenarioSource));
      expect(error).to.include({ code: 'INVALID_ARGUMENT' });
      expect(error.message).to.match(says);
    });
  }

  for (const [given, shown] of [
    ['aprove', '"aprove"'],
    [undefined, 'nothing'],
    [{ settle: undefined }, 'a object'],
    [true, 'a boolean'],
  ] as const) {
    it(`I6: an operator's answer that is none is refused, and decides nothing: ${shown}`, async () => {
      const answering: Scenario = { ...approved(), operator: () => given as never };
      const error = await rejection(runScenario(answering));
      expect(error).to.include({ code: 'INVALID_ARGUMENT' });
      expect(error.message).to.include(`answered ${shown} to tool_call; answer 'approve', 'reject', 'leave' or`);
    });
  }
});

describe('what is no crash', () => {
  const WRONG: Readonly<Record<string, readonly [crashes: unknown, options: unknown, says: RegExp]>> = {
    'one that is not in a list': [{ step: 1, at: 'tool.effect' }, {}, /^crashes must be a list/],
    'a misspelt point': [[{ step: 1, at: 'tool.efect' }], {}, /^a crash must be at one of run\.started, step\.started/],
    'no step': [[{ at: 'tool.effect' }], {}, /^the step of a crash must be a whole number/],
    'a zeroth time': [[{ step: 1, at: 'tool.effect', occurrence: 0 }], {}, /^the occurrence of a crash must be/],
    'an unknown way': [[], { way: 'sigkill' }, /^way must be one of park, kill/],
    'an unknown end': [[], { ends: 'DONE' }, /^ends must be one of PENDING, RUNNING/],
    'an unknown option': [[], { ways: ['kill'] }, /^options\.ways is not known/],
    'a check that is no function': [[], { check: true }, /^check must be a function/],
  };

  for (const [what, [crashes, options, says]] of Object.entries(WRONG)) {
    it(`is refused in words: ${what}`, async () => {
      const error = await rejection(runScenario(approved, crashes as never, options as never));
      expect(error).to.include({ code: 'INVALID_ARGUMENT' });
      expect(error.message).to.match(says);
    });
  }
});

describe('what is no crash suite', () => {
  const WRONG: Readonly<Record<string, readonly [options: unknown, says: RegExp]>> = {
    'no way to die': [{ ways: [] }, /^ways must be a list of park and kill/],
    'an unknown way': [{ ways: ['park', 'sigkill'] }, /^ways must be a list of park and kill/],
    'a kill of what another process could not load': [{ ways: ['kill'] }, /^to die by kill, give the scenario as/],
    'an unknown end': [{ ends: 'DONE' }, /^ends must be one of PENDING, RUNNING/],
    'an unknown option': [{ pair: false }, /^options\.pair is not known/],
  };

  for (const [what, [options, says]] of Object.entries(WRONG)) {
    it(`is refused before it defines a test: ${what}`, () => {
      expect(() => {
        crashSuite('never defined', approved, options as never);
      }).to.throw(says);
    });
  }

  it('is refused where mocha is not', () => {
    const kit = new URL('../../../sdk/testkit/index.js', import.meta.url);
    const program = `import { crashSuite } from '${String(kit)}'; crashSuite('x', {});`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(stderr).to.include('mocha is not running; with another runner use discover and runScenario');
  });
});

describe('a check that fails', () => {
  it('tells what happened before it, life by life', async () => {
    const check = (): never => {
      throw new Error('two mails');
    };
    const error = await rejection(runScenario(approved, [{ step: 1, at: CrashPoint.ToolEffect }], { check }));
    expect(error.message).to.match(/^two mails\n\nlife 1: step 0 run\.created, run\.started; step 1 step\.started, /);
    expect(error.message).to.match(/life 2: .*tool\.effect, and died\n/);
    expect(error.stack).to.include('life 2:').and.to.include('misuse.test');
  });
});

describe('deaths that are hard to reach', () => {
  class Asked {
    readonly #answers: Reconciliation[] = [];

    execute(): never {
      throw new OutcomeUnknownError('no answer');
    }

    look(): Reconciliation {
      this.#answers.push(Reconciliation.complete('found'));
      return this.#answers[0]!;
    }
  }
  Tool(false, { input: NoteInput, name: 'send' })(Asked);
  Reconcile()(Asked.prototype, 'look', Object.getOwnPropertyDescriptor(Asked.prototype, 'look')!);

  it('I8: after a reconciliation has answered, of a tool with private members', async () => {
    const agent = scriptedAgent([callTool('send', { text: 'a' }), complete()], { tools: [Asked] });
    const scenario: Scenario = { agents: [agent], agent, goal: 'g', policy: () => ({ kind: 'allow' }) };
    const { run, points, calls } = await runScenario(scenario, [{ step: 1, at: CrashPoint.ReconciliationAnswered }]);
    expect(run.status).to.equal('COMPLETED');
    expect(calls).to.have.length(1);
    expect(points.filter(({ names }) => names.includes('reconciliation.answered'))).to.have.length(2);
  });

  it('I9: after a call has timed out', async () => {
    const stuck = mailer(outside(), { act: () => new Promise(() => undefined), options: { timeoutMs: 20 } });
    const scenario: Scenario = { ...approved(), agents: [stuck], policy: () => requireApproval() };
    const { run, calls } = await runScenario(scenario, [{ step: 1, at: CrashPoint.ToolTimedOut }]);
    expect(run.status).to.equal('COMPLETED');
    expect(calls).to.have.length(1);
  });
});
