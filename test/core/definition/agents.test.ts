import { expect } from 'chai';
import { Agent } from '../../../decorators/agent.js';
import { Reconcile } from '../../../decorators/reconcile.js';
import { Tool } from '../../../decorators/tool.js';
import { defineAgents } from '../../../core/definition/agents.js';
import { ChargeCard, Lookup, RefundAgent } from './examples.js';
import { agentWith, refusal } from './support.js';

const define = (...classes: unknown[]): ReturnType<typeof defineAgents> => defineAgents(classes, { provided: false });

describe('the definition of an agent', () => {
  it('is read from its class, by name', () => {
    const agents = define(RefundAgent);
    expect([...agents.keys()]).to.deep.equal(['refunds']);
    const agent = agents.get('refunds')!;
    expect(agent).to.include({ name: 'refunds', description: 'Refunds orders', cls: RefundAgent, reconcile: 'settle' });
    expect([...agent.tools.keys()]).to.deep.equal(['charge_card', 'look_up_order', 'cancel-order']);
  });

  it('is inherited by a subclass that declares none', () => {
    class Stricter extends RefundAgent {
      override decide(): null {
        return super.decide();
      }
    }
    const agent = define(Stricter).get('refunds')!;
    expect(agent.cls).to.equal(Stricter);
    expect(agent.reconcile).to.equal('settle');
  });

  it('cannot be changed', () => {
    const agent = define(RefundAgent).get('refunds')!;
    const tool = agent.tools.get('charge_card')!;
    for (const value of [agent, tool, tool.spec, tool.spec.inputSchema, tool.spec.inputSchema.properties, tool.input]) {
      expect(value).to.be.frozen;
    }
  });

  it('is refused for what is not a class, and says what to list instead', () => {
    expect(refusal(() => define(new RefundAgent()))).to.equal(
      'agents must be classes, not an object; write RefundAgent, not an instance of it',
    );
    expect(refusal(() => define('refunds'))).to.equal('agents must be classes, not "refunds"');
    expect(refusal(() => define(() => null))).to.match(/^agents must be classes, not a function$/);
    expect(refusal(() => define(undefined))).to.equal('agents must be classes, not undefined');
  });

  it('is refused for a class without @Agent, and says what to write', () => {
    expect(refusal(() => define(ChargeCard))).to.equal(
      "ChargeCard is no agent: write @Agent({ name: '…', tools: […] }) above the class",
    );
  });

  it('is refused for @Agent on a method', () => {
    class Misplaced {
      decide(): null {
        return null;
      }
    }
    const decorator = Agent({ name: 'x', tools: [] }) as unknown as MethodDecorator;
    decorator(Misplaced.prototype, 'decide', { value: Misplaced.prototype.decide });
    expect(refusal(() => define(Misplaced))).to.match(/^Misplaced is no agent: write @Agent/);
  });

  it('is refused without a method decide', () => {
    class Undecided {
      decide = (): null => null;
    }
    Agent({ name: 'undecided', tools: [] })(Undecided);
    expect(refusal(() => define(Undecided))).to.equal(
      'Undecided has @Agent and no method decide(step); a field that holds a function does not count',
    );
  });

  it('is refused for a name that is missing, too long or of other characters', () => {
    const named = (name: unknown): string => {
      class Named extends RefundAgent {}
      Agent({ name, tools: [] } as never)(Named);
      return refusal(() => define(Named));
    };
    expect(named(undefined)).to.equal('Named: it needs a name: give the option name');
    expect(named('')).to.match(/^Named: the name "" must be 1 to 64 of/);
    expect(named('a'.repeat(65))).to.match(/must be 1 to 64 of A-Z a-z 0-9 _ -/);
    expect(named('two words')).to.match(/the name "two words" must be/);
    expect(named('é')).to.match(/must be 1 to 64/);
    expect(named(7)).to.match(/the name 7 must be/);
  });

  it('takes a name of 64 characters', () => {
    class Named extends RefundAgent {}
    const name = `${'aZ0_-'.repeat(12)}abcd`;
    Agent({ name, tools: [] })(Named);
    expect([...define(Named).keys()]).to.deep.equal([name]);
  });

  it('is refused for options that are unknown or of a wrong type', () => {
    const given = (options: unknown): string => {
      class Given extends RefundAgent {}
      Agent(options as never)(Given);
      return refusal(() => define(Given));
    };
    expect(given({ name: 'x', tool: [] })).to.equal('Given: the option tool does not exist; did you mean tools?');
    expect(given({ name: 'x', tools: [], retries: 3 })).to.equal(
      'Given: the option retries does not exist; the known ones are name, description, tools',
    );
    expect(given({ name: 'x', description: 7, tools: [] })).to.match(/the option description must be a string, not 7/);
    expect(given({ name: 'x' })).to.equal('Given: the option tools must be an array of classes, not undefined');
    expect(given({ name: 'x', tools: [new ChargeCard()] })).to.equal(
      'the tools of Given must be classes, not an object; write ChargeCard, not an instance of it',
    );
    expect(given([])).to.equal('Given: its options must be an object, not an array');
    expect(given('refunds')).to.equal('Given: its options must be an object, not "refunds"');
  });

  it('is refused for two agents of one name, and names both classes', () => {
    class Other extends RefundAgent {}
    expect(refusal(() => define(RefundAgent, Other))).to.equal(
      'RefundAgent and Other are both named "refunds"; give each agent its own name',
    );
  });

  it('is refused for a class that is listed twice', () => {
    expect(refusal(() => define(RefundAgent, RefundAgent))).to.equal(
      'RefundAgent stands twice in agents; list it once',
    );
    expect(refusal(() => agentWith([ChargeCard, ChargeCard]))).to.equal(
      'ChargeCard stands twice in the tools of Tester; list it once',
    );
  });

  it('is refused for @Agent that stands twice on one class', () => {
    class Twice extends RefundAgent {}
    Agent({ name: 'one', tools: [] })(Twice);
    Agent({ name: 'two', tools: [] })(Twice);
    expect(refusal(() => define(Twice))).to.equal('@Agent stands twice on Twice; keep one');
  });

  it('is refused for a class that is an agent and a tool at once', () => {
    @Agent({ name: 'both', tools: [] })
    class Both {
      decide(): null {
        return null;
      }
      @Tool(true, { input: Lookup })
      find(input: Lookup): Lookup {
        return input;
      }
    }
    expect(refusal(() => define(Both))).to.equal(
      'Both has both @Agent and @Tool; move its tools to a class of their own',
    );
  });

  it('is refused for constructor parameters, unless the program says how instances are made', () => {
    @Agent({ name: 'needy', tools: [] })
    class Needy {
      constructor(readonly service: object) {}
      decide(): null {
        return null;
      }
    }
    expect(refusal(() => define(Needy))).to.equal(
      'the constructor of Needy has parameters: say how it is made, with provide: (cls) => … when the runtime opens',
    );
    expect(defineAgents([Needy], { provided: true }).size).to.equal(1);
  });

  it('is refused for a second @Reconcile, or one that names a method', () => {
    class TwoAnswers extends RefundAgent {
      @Reconcile()
      again(): null {
        return null;
      }
    }
    expect(refusal(() => define(TwoAnswers))).to.equal(
      'TwoAnswers has more than one @Reconcile; an agent has at most one',
    );
    @Agent({ name: 'named', tools: [] })
    class NamedAnswer {
      decide(): null {
        return null;
      }
      @Reconcile('decide')
      settle(): null {
        return null;
      }
    }
    expect(refusal(() => define(NamedAnswer))).to.equal(
      'NamedAnswer.settle: an agent reconciles what no tool reconciles, so write @Reconcile() without a name',
    );
  });
});
