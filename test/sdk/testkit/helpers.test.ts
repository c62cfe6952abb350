import { IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { expect } from 'chai';
import { allow, callTool, complete, defaultPolicy, deny, Tool } from 'holdpoint';
import {
  checkPolicy,
  discover,
  fuzzArguments,
  runScenario,
  scriptedAgent,
  sequentialIds,
  type Answer,
} from '../../../sdk/testkit/index.js';
import { describeCrash } from '../../../sdk/testkit/crash-point.js';
import { toolClass } from '../../support/agents.js';
import { rejection, World } from '../../support/world.js';

class PayInput {
  @IsString()
  to!: string;

  @IsInt()
  @Min(1)
  @Max(100)
  amount!: number;

  @IsOptional()
  @IsString()
  note?: string;
}

@Tool(false, { input: PayInput, name: 'pay' })
class Pay {
  execute(input: PayInput): string {
    return input.to;
  }
}

class LooseInput {
  @IsOptional()
  anything?: unknown;
}

@Tool(false, { input: LooseInput, name: 'loose' })
class Loose {
  execute(): null {
    return null;
  }
}

describe('checkPolicy', () => {
  const rows = [
    { tool: Pay, args: { to: 'ann', amount: 5 }, expect: 'allow' },
    { tool: Pay, args: { to: 'bob', amount: 50 }, expect: 'deny' },
    { tool: Pay, args: { to: 'bob', amount: 50 }, interrupted: 'crash', expect: 'require_approval' },
  ] as const;

  it('P1: reports every row that the policy answers otherwise, at once', async () => {
    expect(await checkPolicy({ policy: defaultPolicy, rows })).to.deep.equal([
      { row: 0, tool: 'pay', expected: 'allow', found: 'require_approval' },
      { row: 1, tool: 'pay', expected: 'deny', found: 'require_approval' },
    ]);
  });

  it('P1: shows the policy the arguments and the interruption', async () => {
    const found = await checkPolicy({
      policy: ({ args, interrupted }) => {
        if (interrupted) return { kind: 'require_approval', approval: {} };
        return (args as { amount: number }).amount > 10 ? deny('too much') : allow();
      },
      rows,
    });
    expect(found).to.deep.equal([]);
  });

  it('P1: a policy that throws, or answers nonsense, disagrees', async () => {
    const throwing = await checkPolicy({
      policy: () => {
        throw new Error('down');
      },
      rows: rows.slice(0, 1),
    });
    const nonsense = await checkPolicy({ policy: (() => 'yes') as never, rows: rows.slice(0, 1) });
    expect([throwing[0]?.found, nonsense[0]?.found]).to.deep.equal([
      'threw down',
      'the policy must answer allow(), deny(), requireApproval() or abort()',
    ]);
  });

  it('P1: refuses a row that expects or tells what there is not', async () => {
    const row = { tool: Pay, args: { to: 'ann', amount: 5 }, expect: 'allow' } as const;
    for (const [wrong, says] of [
      [{ ...row, expect: 'allowed' }, /row 0: expect must be one of allow, deny, require_approval, abort/],
      [{ ...row, interrupted: 'crashed' }, /row 0: interrupted must be one of crash, timeout, unknown/],
    ] as const) {
      const error = await rejection(checkPolicy({ policy: defaultPolicy, rows: [wrong as never] }));
      expect(error).to.include({ code: 'INVALID_ARGUMENT' });
      expect(error.message).to.match(says);
    }
  });

  it('P3: refuses a row whose arguments no policy would ever see', async () => {
    const error = await rejection(
      checkPolicy({ policy: defaultPolicy, rows: [{ tool: Pay, args: { to: 5 }, expect: 'allow' }] }),
    );
    expect(error.message).to.match(/row 0.*args\.to/);
  });
});

describe('fuzzArguments', () => {
  it('P3: finds nothing where the input class is strict', async () => {
    const report = await fuzzArguments(Pay, {
      valid: [
        { to: 'ann', amount: 5 },
        { to: 'bob', amount: 1, note: 'x' },
      ],
    });
    expect(report.leaks).to.deep.equal([]);
    expect(report.accepted).to.equal(2);
    expect(report.refused).to.be.greaterThan(30);
  });

  it('P3: reports valid arguments that would not reach the tool', async () => {
    const { leaks } = await fuzzArguments(Pay, { valid: [{ to: 'ann', amount: 1_000 }] });
    expect(leaks[0]?.what).to.equal('valid arguments 0');
    expect(leaks[0]?.problem).to.match(/args\.amount/);
  });

  it('P3: takes nothing for a near miss that the schema allows', async () => {
    expect((await fuzzArguments(Loose, { valid: [{ anything: { deep: [1] } }] })).leaks).to.deep.equal([]);
  });
});

describe('scriptedAgent', () => {
  it('makes its decisions in order', async () => {
    const world = new World();
    try {
      const said: string[] = [];
      const tool = toolClass(true, { name: 'say' }, ({ text }) => said.push(text));
      const agent = scriptedAgent(
        [
          callTool('say', { text: 'a' }),
          ({ steps }) => callTool('say', { text: `b${steps.length}` }),
          complete('done'),
        ],
        { tools: [tool as new () => object] },
      );
      const { runtime } = await world.open([agent], { ids: sequentialIds() });
      const run = await runtime.start('scripted', { goal: 'g' });
      expect([run.id, run.result, said]).to.deep.equal(['id-1', 'done', ['a', 'b1']]);
    } finally {
      await world.close();
    }
  });

  it('I3: makes a decision again whose step was interrupted, so that a script can be crashed', async () => {
    const tool = toolClass(false, { name: 'say', effect: 'local' }, () => 'said') as new () => object;
    const agent = scriptedAgent([callTool('say', { text: 'a' }), complete('done')], { tools: [tool] });
    const scenario = { agents: [agent], agent, goal: 'g', operator: (): Answer => 'approve' };
    for (const crash of await discover(scenario)) {
      const { run, calls } = await runScenario(scenario, [crash]);
      expect(run.result, describeCrash(crash)).to.equal('done');
      expect(calls.length).to.be.within(1, 2);
    }
  });

  it('fails the run when it is asked for more than it has, and calls nothing again', async () => {
    const tool = toolClass(false, { name: 'say', effect: 'local' }, () => 'said') as new () => object;
    const agent = scriptedAgent([callTool('say', { text: 'a' })], { tools: [tool] });
    const { run, calls } = await runScenario({ agents: [agent], agent, goal: 'g' }, [], { ends: 'FAILED' });
    expect(run).to.include({ reason: 'agent_error' });
    expect(run.message).to.match(/the script of scripted has 1 decisions, and is asked for one more/);
    expect(calls).to.have.length(1);
  });

  it('needs a decision', () => {
    expect(() => scriptedAgent([])).to.throw(/at least one decision/);
  });
});
