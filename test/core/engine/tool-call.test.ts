import { expect } from 'chai';
import { Transform } from 'class-transformer';
import { IsDefined } from 'class-validator';
import { AbortRunError, callTool, complete, fail, StoreError, type Step, type ToolCall } from 'holdpoint';
import type { Store } from '../../../core/store/store.js';
import { agentClass, NoteInput, scripted, toolClass, type Act } from '../../support/agents.js';
import { crashInTool, mailer, outside, type Build, type Outside } from '../../support/crash.js';
import { rejection, trail, World } from '../../support/world.js';

/** The disk is full for so many writes. */
function failNextWrites(store: Store, times: number): string {
  const { transaction } = store;
  let left = times;
  store.transaction = (work) => {
    left -= 1;
    return left < 0 ? transaction(work) : Promise.reject(new StoreError('the disk is full'));
  };
  return 'sent';
}

describe('a step', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  async function runOnce(build: Build) {
    const { runtime } = await world.open([mailer(seen, build)]);
    const run = await runtime.start('mailer', { goal: 'g' });
    return { run, steps: await runtime.client.runs.steps(run.id), types: await trail(runtime.client, run), runtime };
  }

  it('S2: is four commits, each with the events that explain it', async () => {
    const { runtime, commits, dieAfter } = await world.open([mailer(seen)]);
    const at: string[][] = [];
    for (let n = 1; n <= 8; n += 1) {
      dieAfter(n);
      await runtime.start('mailer', { goal: 'g', id: `r${n}` }).catch(() => null);
      at.push(await trail(runtime.client, `r${n}`));
    }
    const added = at.map((types, n) => types.slice(at[n - 1]?.length ?? 0).join(' '));
    expect(added).to.deep.equal([
      'run.created run.started',
      'step.started',
      'step.decided',
      'step.policy step.tool_started',
      'step.tool_finished',
      'step.started',
      'step.decided',
      'run.finished',
    ]);
    expect(commits()).to.equal(36);
  });

  it('S6: a terminal tool completes its run in the transaction of its result', async () => {
    const { run, types } = await runOnce({ options: { terminal: true }, act: () => ({ id: 1 }) });
    expect(run).to.deep.include({ status: 'COMPLETED', reason: 'goal_completed', result: { id: 1 }, stepCount: 1 });
    expect(types.slice(-2)).to.deep.equal(['step.tool_finished', 'run.finished']);
  });

  it('S6: a terminal tool that throws does not end its run', async () => {
    const act = () => {
      throw new Error('no');
    };
    const { run } = await runOnce({ options: { terminal: true }, act });
    expect(run.result).to.include({ kind: 'error' });
  });

  it('S7: the decision is recorded before it is validated', async () => {
    const decide = () => ({ kind: 'tool', tool: 'nope', args: { any: ['thing'] } });
    const { runtime, dieAfter } = await world.open([mailer(seen, { decide })]);
    dieAfter(3);
    await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }));
    const [step] = await runtime.client.runs.steps('r');
    expect(step).to.deep.include({
      status: 'deciding',
      decision: { kind: 'tool', tool: 'nope', args: { any: ['thing'] } },
    });
    world.expireLeases();
  });

  const unparsed = [
    'not json at all',
    '{"text": "unclosed',
    'lone \ud800 surrogate',
    '{"text":"x","text":"y"',
    '\u0000\u2028',
  ];
  for (const text of unparsed) {
    it(`S7: argument text that does not parse is kept byte for byte: ${JSON.stringify(text)}`, async () => {
      const { steps, run } = await runOnce({ decide: () => callTool('send', text) });
      expect(steps[0]?.rawDecision).to.equal(text);
      expect(steps[0]?.observation?.kind).to.equal('invalid_decision');
      expect(run.reason).to.equal('repeated_tool_failures');
    });
  }

  it('P3: argument text with a duplicate key is refused, and names the key', async () => {
    const { steps } = await runOnce({ decide: () => callTool('send', '{"text":"a","text":"b"}') });
    expect(JSON.stringify(steps[0]?.observation)).to.match(/args\.text.*(twice|again|more than once|duplicate)/i);
    expect(seen.calls).to.have.length(0);
  });

  it('P3: valid argument text is parsed, and the text itself is the record', async () => {
    let asked = 0;
    const decide = () => (asked++ === 0 ? callTool('send', '{ "text" : "hi" }') : complete());
    const { steps } = await runOnce({ decide });
    expect(steps[0]).to.deep.include({ rawDecision: null, args: { text: 'hi', times: 1 } });
    expect(steps[0]?.decision).to.deep.include({ args: '{ "text" : "hi" }' });
  });

  for (const [what, decision, says] of [
    ['a tool that does not exist', callTool('sendd', { text: 'x' }), /no tool .*sendd.*send/],
    ['a misspelt argument', callTool('send', { txt: 'x' }), /txt/],
    ['a string for a number', callTool('send', { text: 'x', times: '2' }), /times/],
    ['text instead of a decision', 'I think I should send it', /callTool/],
    ['nothing', undefined, /callTool/],
    ['an unknown kind', { kind: 'dance' }, /kind/],
    ['a member that no decision has', { ...complete(), extra: 1 }, /extra/],
    ['what JSON cannot hold', { kind: 'complete', result: new Map() }, /result.*Map/],
  ] as const) {
    it(`F20: ${what} is an observation that says so, and three in a row end the run`, async () => {
      const { steps, run } = await runOnce({ decide: () => decision });
      expect(run.reason).to.equal('repeated_tool_failures');
      expect(steps).to.have.length(3);
      expect(steps[0]?.observation?.kind).to.equal('invalid_decision');
      expect(JSON.stringify(steps[0]?.observation)).to.match(says);
      expect(seen.calls).to.have.length(0);
    });
  }

  it('an agent completes or fails its run, and what it throws fails it as agent_error', async () => {
    for (const [decide, expected] of [
      [() => complete({ ok: true }), { status: 'COMPLETED', reason: 'goal_completed', result: { ok: true } }],
      [() => fail('no such order'), { status: 'FAILED', reason: 'goal_failed', message: 'no such order' }],
      [
        () => {
          throw new TypeError('x is undefined');
        },
        { status: 'FAILED', reason: 'agent_error', message: 'TypeError: x is undefined' },
      ],
    ] as const) {
      expect((await runOnce({ decide })).run).to.deep.include(expected);
    }
  });

  it('AbortRunError of a tool ends the run as tool_abort', async () => {
    const act = () => {
      throw new AbortRunError('the account is frozen');
    };
    const { run, steps } = await runOnce({ act });
    expect(run).to.include({ status: 'FAILED', reason: 'tool_abort', message: 'the account is frozen' });
    expect(steps[0]?.status).to.equal('failed');
  });

  describe('what is thrown may be anything', () => {
    /** What cannot even be asked for its class. */
    function revoked(): unknown {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    }

    it('I9: by a tool, it is a known failure', async () => {
      const { run, steps } = await runOnce({
        act: () => {
          throw revoked();
        },
      });
      expect(run.status).to.equal('COMPLETED');
      expect(steps[0]?.observation).to.include({ kind: 'error', message: 'object was thrown: it has no text' });
    });

    it('P1: by a policy, it ends the run as internal_error', async () => {
      const { runtime } = await world.open([mailer(seen)], {
        policy: () => {
          throw revoked();
        },
      });
      expect(await runtime.start('mailer', { goal: 'g' })).to.include({ status: 'FAILED', reason: 'internal_error' });
    });

    it('by an agent, it fails the run as agent_error', async () => {
      const { run } = await runOnce({
        decide: () => {
          throw revoked();
        },
      });
      expect(run).to.include({ status: 'FAILED', reason: 'agent_error' });
    });

    it('F17: by a result that is read, it is no plain failure: the call did return', async () => {
      const hostile = new Proxy(
        {},
        {
          ownKeys: () => {
            throw revoked();
          },
        },
      );
      const { steps } = await runOnce({ act: () => ({ then: undefined, hostile }) });
      expect(steps[0]?.observation).to.include({ kind: 'error', tookEffect: true });
    });

    it('P3: by a validator or a transform, it refuses the arguments', async () => {
      class Strange {
        @Transform(() => revoked())
        @IsDefined()
        text: unknown = 'x';
      }
      const tool = toolClass(false, { name: 'send', input: Strange as never }, () => 'sent');
      const agent = scripted('a', [tool], [callTool('send', { text: 'x' }), complete()]);
      const { runtime } = await world.open([agent]);
      const run = await runtime.start('a', { goal: 'g' });
      expect(run.status).to.equal('COMPLETED');
      const [step] = await runtime.client.runs.steps(run.id);
      expect(step?.observation?.kind).to.equal('invalid_decision');
    });
  });

  it('P4: the tool gets an instance of its input class, fresh for each call', async () => {
    const inputs: NoteInput[] = [];
    const tool = toolClass(true, { name: 'look' }, (input) => {
      inputs.push(input);
      return inputs.length;
    });
    const twice = (step: { steps: readonly Step[] }) =>
      step.steps.length < 2 ? callTool('look', { text: 'x' }) : complete();
    const { runtime } = await world.open([agentClass('a', [tool], twice)]);
    await runtime.start('a', { goal: 'g' });
    expect(inputs).to.have.length(2);
    expect(inputs[0]).to.be.instanceOf(NoteInput).and.not.equal(inputs[1]);
  });

  it('tells the tool its call: ids, attempt, agent, deadline, and a signal that a timeout aborts', async () => {
    let call: ToolCall | undefined;
    const act: Act = (_input, told) => {
      call = told;
      return new Promise((resolve) => {
        told.signal.addEventListener('abort', () => {
          resolve('stopped');
        });
      });
    };
    const { run, steps } = await runOnce({ act, options: { timeoutMs: 15 }, readOnly: true });
    expect(call).to.include({
      runId: run.id,
      stepId: steps[0]?.id,
      operationId: steps[0]?.operationId,
      attempt: 1,
      agent: 'mailer',
    });
    expect(call?.deadline).to.deep.equal(new Date(world.clock.now() + 15));
    expect(call?.signal.reason).to.include({ name: 'TimeoutError' });
  });

  describe('whose tool returns what JSON cannot hold', () => {
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = cycle;
    class Charge {
      id = 1;
    }
    const results: Record<string, [unknown, string]> = {
      'a Date': [{ at: new Date(0) }, 'result.at'],
      'a Map': [{ map: new Map([[1, 2]]) }, 'result.map'],
      'undefined in an array': [[1, undefined], 'result[1]'],
      'a BigInt': [{ n: [10n] }, 'result.n[0]'],
      NaN: [{ n: Number.NaN }, 'result.n'],
      'a cycle': [cycle, 'result.self'],
      'a lone surrogate': [{ s: 'x\ud800' }, 'result.s'],
      'a __proto__ key': [JSON.parse('{"__proto__": 1, "b": 2}'), 'result.__proto__'],
      'an instance': [new Charge(), 'result'],
    };
    for (const [what, [result, path]] of Object.entries(results)) {
      it(`F17, S8: ${what} is a tool error with its path, which keeps what can be kept`, async () => {
        const { steps } = await runOnce({ act: () => result });
        const observation = steps[0]?.observation;
        expect(observation).to.include({ kind: 'error', tookEffect: true });
        expect(observation).to.have.nested.property('omitted[0].path', path);
        expect((observation as { message: string }).message).to.include(path);
        expect((observation as { message: string }).message).to.match(/took effect/);
        expect(steps[0]?.status).to.equal('failed');
      });
    }

    it('F17: a result that throws when it is read is no plain failure either: the call did return', async () => {
      const hostile = new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('not yours to see');
          },
        },
      );
      const { steps } = await runOnce({ act: () => ({ then: undefined, hostile }) });
      expect(steps[0]?.observation).to.include({ kind: 'error', tookEffect: true });
    });

    it('F17: keeps the rest', async () => {
      const { steps } = await runOnce({ act: () => ({ id: 7, at: new Date(0), lines: [1, 2n] }) });
      expect(steps[0]?.observation).to.deep.include({ partial: { id: 7, lines: [1, null] } });
    });

    it('F17: nothing at all is null, and an undefined member is an absent one', async () => {
      expect((await runOnce({ act: () => undefined })).steps[0]?.observation).to.deep.equal({
        kind: 'result',
        result: null,
      });
      const { steps } = await runOnce({ act: () => ({ a: 1, b: undefined }) });
      expect(steps[0]?.observation).to.deep.equal({ kind: 'result', result: { a: 1 } });
    });
  });

  it('F2: if the write of a result fails, only the write is tried again', async () => {
    const { runtime, store } = await world.open([mailer(seen, { act: () => failNextWrites(store, 2) })]);
    const run = await runtime.start('mailer', { goal: 'g' });
    expect(run.result).to.deep.equal({ kind: 'result', result: 'sent' });
    expect(seen.calls).to.have.length(1);
  });

  it('F2, I9: a result that cannot be recorded at all is an unknown outcome, for a person', async () => {
    const { runtime, store } = await world.open([mailer(seen, { act: () => failNextWrites(store, Infinity) })]);
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.include({ code: 'STORE' });
    world.expireLeases();
    const next = await world.open([mailer(seen)]);
    expect((await next.runtime.resume('r')).status).to.equal('WAITING');
    expect(seen.calls).to.have.length(1);
  });

  it('shows the agent every step before, also after a takeover', async () => {
    const { runId } = await crashInTool(world, seen, {
      readOnly: true,
      decide: (step) => callTool('send', { text: `${step.steps.length}` }),
    });
    const next = await world.open([
      mailer(seen, {
        readOnly: true,
        decide: (step) => (step.steps.length < 3 ? callTool('send', { text: `${step.steps.length}` }) : complete()),
      }),
    ]);
    await next.runtime.resume(runId);
    expect(seen.seen.slice(1).map(({ steps }) => steps.length)).to.deep.equal([1, 2, 3]);
  });

  it('a class that cannot be made is an error at the start, and nothing is created', async () => {
    const provide = () => {
      throw new Error('no such service');
    };
    const { runtime } = await world.open([mailer(seen)], { provide });
    expect(await rejection(runtime.start('mailer', { goal: 'g', id: 'r' }))).to.include({ code: 'DEFINITION' });
    expect(await runtime.client.runs.list()).to.deep.equal([]);
  });

  it('a tool that cannot be made fails the run before it is started', async () => {
    const agent = scripted('a', [toolClass(false, { name: 'send' }, () => 1)], [callTool('send', { text: 'x' })]);
    const provide = (cls: new () => object) => {
      if (cls.name === 'TestTool') throw new Error('no such service');
      return new cls();
    };
    const { runtime } = await world.open([agent], { provide: provide as never });
    const run = await runtime.start('a', { goal: 'g' });
    expect(run).to.include({ status: 'FAILED', reason: 'internal_error' });
    expect(await trail(runtime.client, run)).to.not.include('step.tool_started');
  });
});
