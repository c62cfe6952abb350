import { expect } from 'chai';
import { abort, callTool, deny, type Policy, type PolicyRequest, type Step } from 'holdpoint';
import { agentClass, NoteInput, plain, scripted, toolClass } from '../../support/agents.js';
import { mailer, outside, type Outside } from '../../support/crash.js';
import { trail, World } from '../../support/world.js';

describe('the policy', () => {
  let world: World;
  let seen: Outside;

  beforeEach(() => {
    world = new World();
    seen = outside();
  });

  afterEach(() => world.close());

  it('P1: is asked after validation and before the tool', async () => {
    const order: string[] = [];
    const policy: Policy = ({ args }) => {
      order.push(`policy ${JSON.stringify(args)}`);
      return { kind: 'allow' };
    };
    const { runtime } = await world.open([mailer(seen, { act: () => void order.push('tool') })], { policy });
    await runtime.start('mailer', { goal: 'g' });
    expect(order).to.deep.equal(['policy {"text":"hello","times":1}', 'tool']);
  });

  it('P1: deny: the agent sees the reason, and nothing executes', async () => {
    const { runtime } = await world.open([mailer(seen)], { policy: () => deny('not on Sundays') });
    const run = await runtime.start('mailer', { goal: 'g' });
    expect(run.result).to.deep.equal({ kind: 'denied', message: 'not on Sundays' });
    expect(seen.calls).to.have.length(0);
  });

  it('P1: abort ends the run as policy_abort, and nothing executes', async () => {
    const { runtime } = await world.open([mailer(seen)], { policy: () => abort('fraud') });
    expect(await runtime.start('mailer', { goal: 'g' })).to.include({ reason: 'policy_abort', message: 'fraud' });
    expect(seen.calls).to.have.length(0);
  });

  const broken: Record<string, () => unknown> = {
    throws: () => {
      throw new Error('no connection');
    },
    rejects: () => Promise.reject(new Error('no connection')),
    'answers nothing': () => undefined,
    'answers true': () => true,
    'answers an unknown kind': () => ({ kind: 'maybe' }),
    'denies without a reason': () => ({ kind: 'deny' }),
    'asks for an approval that is none': () => ({ kind: 'require_approval', approval: { kind: 5 } }),
    'asks for a kind that is the runtime’s own': () => ({
      kind: 'require_approval',
      approval: { kind: 'interrupted_side_effect' },
    }),
    'misspells what is to be shown': () => ({ kind: 'require_approval', approval: { presentaton: { to: 'ann' } } }),
    'shows what JSON cannot hold': () => ({
      kind: 'require_approval',
      approval: { presentation: { at: new Date(0) } },
    }),
  };
  for (const [what, policy] of Object.entries(broken)) {
    it(`P1: one that ${what} fails the run, and nothing executes`, async () => {
      const { runtime } = await world.open([mailer(seen)], { policy: policy as Policy });
      const run = await runtime.start('mailer', { goal: 'g' });
      expect(run).to.include({ status: 'FAILED', reason: 'internal_error' });
      expect(run.message).to.match(/policy/);
      expect(seen.calls).to.have.length(0);
      expect(await trail(runtime.client, run)).to.not.include('step.tool_started');
    });
  }

  for (const [readOnly, effect, expected] of [
    [true, undefined, 'COMPLETED'],
    [false, 'local', 'COMPLETED'],
    [false, 'remote', 'WAITING'],
    [false, undefined, 'WAITING'],
    [false, 'destructive', 'denied'],
  ] as const) {
    const kind = readOnly ? 'read-only' : (effect ?? 'unspecified');
    it(`P2: by default a ${kind} tool comes to ${expected}`, async () => {
      const options = effect ? { effect } : {};
      const { defaultPolicy } = await import('holdpoint');
      const { runtime } = await world.open([mailer(seen, { readOnly, options })], { policy: defaultPolicy });
      const run = await runtime.start('mailer', { goal: 'g' });
      const result = (run.result as { kind: string } | null)?.kind;
      expect(result === 'denied' ? result : run.status).to.equal(expected);
    });
  }

  it('P2: an effect that it does not know is denied', async () => {
    const { defaultPolicy } = await import('holdpoint');
    const tool = { readOnly: false, effect: 'psychic' } as unknown as PolicyRequest['tool'];
    expect(await defaultPolicy({ tool } as PolicyRequest, {} as never)).to.include({ kind: 'deny' });
  });

  it('P3: never sees arguments that do not fit the input class', async () => {
    const decide = () => callTool('send', { text: 5 });
    let asked = 0;
    const policy: Policy = () => {
      asked += 1;
      return { kind: 'allow' };
    };
    const { runtime } = await world.open([mailer(seen, { decide })], { policy });
    const run = await runtime.start('mailer', { goal: 'g' });
    expect(run.reason).to.equal('repeated_tool_failures');
    expect([asked, seen.calls.length]).to.deep.equal([0, 0]);
    const [first] = await runtime.client.runs.steps(run.id);
    expect(first?.observation).to.include({ kind: 'invalid_decision' });
  });

  it('P4: agent, policy, tool and observer get copies: what they mutate reaches nobody', async () => {
    const poisoned: unknown[] = [];
    const poison = (value: object): void => {
      for (const member of Object.values(value))
        if (typeof member === 'object' && member !== null) poison(member as object);
      if (!(value instanceof AbortSignal)) Object.assign(value, { text: 'poison', evil: true });
    };
    const tool = toolClass(false, { name: 'send' }, (input) => {
      poisoned.push(plain(input));
      poison(input);
      return { text: 'fine', nested: { text: 'fine' } };
    });
    const agent = agentClass('a', [tool], (step) => {
      const clean = JSON.stringify(step.steps);
      for (const part of [step.run, step.steps, step.approvals, step.tools]) poison(part);
      if (step.run.stepCount < 2) return callTool('send', { text: 'hello' });
      return { kind: 'complete', result: clean };
    });
    const policy: Policy = (request, run) => {
      poison(request);
      poison(run);
      return { kind: 'allow' };
    };
    const { runtime } = await world.open([agent], { policy, observer: (event) => poison(event) });
    const run = await runtime.start('a', { goal: 'g' });
    expect(run.status).to.equal('COMPLETED');
    expect(poisoned).to.deep.equal([{ text: 'hello', times: 1 }]);
    expect(JSON.stringify(run) + JSON.stringify(await runtime.client.runs.steps(run.id))).to.not.match(/poison|evil/);
    expect((await runtime.client.verify()).ok).to.equal(true);
  });

  it('F14: sees, stores and hashes the arguments that will run: defaults and transforms applied', async () => {
    const { Transform } = await import('class-transformer');
    const { IsInt } = await import('class-validator');
    class MoneyInput extends NoteInput {
      @IsInt()
      @Transform(({ value }: { value: number }) => Math.round(value * 100))
      cents!: number;
    }
    const ran: unknown[] = [];
    const tool = toolClass(false, { name: 'pay', input: MoneyInput as never }, (input) => {
      ran.push(plain(input));
    });
    const agent = scripted('payer', [tool], [callTool('pay', { text: 'x', cents: 64 }), { kind: 'complete' }]);
    const { runtime } = await world.open([agent], { policy: () => ({ kind: 'require_approval', approval: {} }) });
    const run = await runtime.start('payer', { goal: 'g' });
    const [approval] = await runtime.client.approvals.list({ runId: run.id });
    expect(approval?.request.args).to.deep.equal({ cents: 6400, text: 'x', times: 1 });
    await runtime.client.approvals.approve(approval?.id ?? '', { hash: approval?.hash ?? '', by: 'ann' });
    await runtime.resume(run.id);
    expect(ran).to.deep.equal([{ cents: 6400, text: 'x', times: 1 }]);
    const [step]: Step[] = await runtime.client.runs.steps(run.id);
    expect(step?.decision).to.deep.include({ args: { cents: 64, text: 'x' } });
  });
});
