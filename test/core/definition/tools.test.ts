import { expect } from 'chai';
import { Tool } from '../../../decorators/tool.js';
import { canonicalJson } from '../../../core/model/canonical-json.js';
import { sha256 } from '../../../core/model/hash.js';
import { ChargeCard, ChargeInput, Lookup, OrderTools } from './examples.js';
import { toolNameOf } from '../../../core/definition/tools.js';
import { agentWith, refusal, toolsOf } from './support.js';

describe('the definition of a tool', () => {
  it('holds the whole spec, with its defaults', () => {
    const tool = toolsOf(OrderTools).get('look_up_order')!;
    expect(tool.spec).to.deep.equal({
      name: 'look_up_order',
      description: '',
      readOnly: true,
      effect: 'none',
      timeoutMs: 60_000,
      terminal: false,
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
    });
    expect(tool).to.include({ owner: OrderTools, method: 'lookUpOrder', reconcile: null });
    expect(tool.input.cls).to.equal(Lookup);
  });

  it('is hashed over its canonical JSON', () => {
    const { spec, specHash } = toolsOf(ChargeCard).get('charge_card')!;
    expect(specHash).to.equal(sha256(canonicalJson(spec)));
  });

  it('is remote unless it says otherwise', () => {
    class Effects {
      @Tool(false, { input: Lookup }) sent(): null {
        return null;
      }
      @Tool(false, { input: Lookup, effect: 'local' }) saved(): null {
        return null;
      }
    }
    expect([...toolsOf(Effects).values()].map(({ spec }) => spec.effect)).to.deep.equal(['remote', 'local']);
  });

  it('is named after its method or its class, in snake_case', () => {
    class Names {
      @Tool(true, { input: Lookup }) lookUpOrder(): null {
        return null;
      }
      @Tool(true, { input: Lookup }) parseURL(): null {
        return null;
      }
      @Tool(true, { input: Lookup }) already_snake(): null {
        return null;
      }
      @Tool(true, { input: Lookup }) sha256Sum(): null {
        return null;
      }
    }
    expect([...toolsOf(Names).keys()]).to.deep.equal(['look_up_order', 'parse_url', 'already_snake', 'sha256_sum']);
    @Tool(true, { input: Lookup })
    class HTTPFetchTool {
      execute(): null {
        return null;
      }
    }
    @Tool(true, { input: Lookup })
    class Tool_ {
      execute(): null {
        return null;
      }
    }
    Object.defineProperty(Tool_, 'name', { value: 'Tool' });
    expect([...agentWith([HTTPFetchTool, Tool_]).tools.keys()]).to.deep.equal(['http_fetch', 'tool']);
  });

  it('is refused for a name that cannot be made of its class or method', () => {
    class Odd {
      @Tool(true, { input: Lookup }) $find(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Odd))).to.equal(
      'Odd.$find: the name "$find" must be 1 to 64 of A-Z a-z 0-9 _ -; give the option name',
    );
  });

  it('takes its input class from the option, then from the method, then from its reconciliation', () => {
    expect(toolsOf(ChargeCard).get('charge_card')!.input.cls).to.equal(ChargeInput);
    expect(toolsOf(OrderTools).get('cancel-order')!.input.cls).to.equal(Lookup);
    class Wider {
      @Tool(true, { input: ChargeInput }) find(input: { order: string }): string {
        return input.order;
      }
    }
    expect(toolsOf(Wider).get('find')!.input.cls).to.equal(ChargeInput);
  });

  it('takes no arguments if its method has no parameters', () => {
    class Lists {
      @Tool(true) all(): null {
        return null;
      }
    }
    expect(toolsOf(Lists).get('all')!.spec.inputSchema).to.deep.equal({
      type: 'object',
      properties: {},
      additionalProperties: false,
    });
  });

  it('is inherited, and an override runs under the declaration of its parent', () => {
    class Stricter extends OrderTools {
      override cancel(input: Lookup): Lookup {
        return super.cancel(input);
      }
      @Tool(true, { name: 'look_up_order', description: 'anew' })
      override lookUpOrder(input: Lookup): Lookup {
        return input;
      }
    }
    const tools = toolsOf(Stricter);
    expect([...tools.keys()].sort()).to.deep.equal(['cancel-order', 'look_up_order']);
    expect(tools.get('cancel-order')).to.include({ owner: Stricter, method: 'cancel', reconcile: 'wasCancelled' });
    expect(tools.get('look_up_order')!.spec.description).to.equal('anew');
    class Charge extends ChargeCard {}
    expect([...toolsOf(Charge).keys()]).to.deep.equal(['charge_card']);
  });

  it('is refused for two tools of one name, and names both methods', () => {
    class Doubled {
      @Tool(true, { name: 'charge_card', input: Lookup }) find(): null {
        return null;
      }
    }
    expect(refusal(() => agentWith([ChargeCard, Doubled]))).to.equal(
      'Tester has two tools named "charge_card": ChargeCard.execute and Doubled.find; give one of them the option name',
    );
  });

  it('is refused for a class without @Tool', () => {
    expect(refusal(() => toolsOf(Lookup))).to.equal(
      'Lookup declares no tool: write @Tool(readOnly) above the class or above its methods, with true for one that changes nothing',
    );
  });

  it('is refused for @Tool on a class without execute', () => {
    class Idle {
      execute = (): null => null;
    }
    Tool(false)(Idle);
    expect(refusal(() => toolsOf(Idle))).to.equal(
      'Idle has @Tool and no method execute(input, call); a field that holds a function does not count',
    );
  });

  it('is refused for @Tool on a class and on a method of it', () => {
    class Extended extends ChargeCard {
      @Tool(true, { input: Lookup }) find(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Extended))).to.equal(
      'Extended has @Tool on the class and on a method; keep one or the other',
    );
  });

  it('is refused for @Tool that stands twice on one method', () => {
    class Twice {
      @Tool(true, { name: 'one', input: Lookup })
      @Tool(true, { name: 'two', input: Lookup })
      find(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Twice))).to.equal('@Tool stands twice on Twice.find; keep one');
  });

  it('is refused for what cannot be called on an instance', () => {
    const symbol = Symbol('find');
    class Members {
      static made(): null {
        return null;
      }
      get value(): string {
        return this.field;
      }
      field = 'text';
      [symbol](): null {
        return null;
      }
    }
    const put = (target: object, key: string | symbol, third?: unknown): string => {
      class Member extends Members {}
      const owner = target === Members ? Member : Member.prototype;
      (Tool(true) as (...decorated: unknown[]) => void)(owner, key, third);
      return refusal(() => toolsOf(Member));
    };
    const descriptorOf = (key: string | symbol): unknown => Object.getOwnPropertyDescriptor(Members.prototype, key);
    expect(put(Members, 'made', { value: Members.made })).to.match(/^@Tool stands on Member.made, which is static/);
    expect(put(Members.prototype, 'value', descriptorOf('value'))).to.match(
      /Member.value, which is not a method but of kind accessor; make it/,
    );
    expect(put(Members.prototype, 'field')).to.match(/Member.field, which is not a method but of kind field; make it/);
    expect(put(Members.prototype, symbol, descriptorOf(symbol))).to.match(/which is named by a symbol/);
    expect(put(Members.prototype, 'gone', { value: () => null })).to.match(
      /Member.gone, which Member no longer has as a method/,
    );
    expect(put(Members.prototype, 'value', { value: () => null })).to.match(/Member.value, which Member no longer has/);
    expect(put(Members.prototype, 'find', 0)).to.match(/Member.find, on a parameter; put it on the method/);
  });

  it('is refused for a private method', () => {
    const metadata = {};
    class Hidden extends Lookup {}
    Object.defineProperty(Hidden, (Symbol as unknown as { metadata: symbol }).metadata, { value: metadata });
    const context = { kind: 'method', name: '#find', static: false, private: true, metadata };
    (Tool(true) as (...decorated: unknown[]) => void)(() => null, context);
    expect(refusal(() => toolsOf(Hidden))).to.match(/^@Tool stands on Hidden.#find, which is private/);
  });

  it('is refused if readOnly is not true or false', () => {
    class Unsure {
      @Tool('yes' as never, { input: Lookup }) find(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Unsure))).to.equal(
      'Unsure.find: write @Tool(true) if it changes nothing, else @Tool(false); not @Tool("yes")',
    );
  });

  it('is refused for options that are unknown, out of range or contradictory', () => {
    const given = (options: unknown, readOnly = false): string => {
      class Given {
        @Tool(readOnly, { input: Lookup, ...(options as object) }) find(): null {
          return null;
        }
      }
      return refusal(() => toolsOf(Given));
    };
    expect(given({ timeout: 5 })).to.equal('Given.find: the option timeout does not exist; did you mean timeoutMs?');
    expect(given({ readOnly: true })).to.match(/the option readOnly does not exist; the known ones are name, /);
    expect(given({ effect: 'none' })).to.match(/effect must be one of local, remote, destructive, not "none"/);
    expect(given({ effect: 'local' }, true)).to.match(
      /read only has no effect; leave out effect, or write @Tool\(false, …\)/,
    );
    for (const timeoutMs of [0, -1, 1.5, 2 ** 31, Number.NaN, '60', Infinity]) {
      expect(given({ timeoutMs })).to.match(/timeoutMs must be a whole number from 1 to 2147483647, not/);
    }
    expect(given({ terminal: 'yes' })).to.match(/terminal must be true or false, not "yes"/);
    expect(given({ name: null })).to.match(/the name null must be/);
    expect(given({ description: null })).to.match(/description must be a string, not null/);
    expect(given({ description: '\ud800' })).to.match(/cannot be recorded, at spec.description: .*surrogate/);
  });

  it('takes a timeout at either end of its range', () => {
    class Ends {
      @Tool(true, { input: Lookup, timeoutMs: 1 }) short(): null {
        return null;
      }
      @Tool(true, { input: Lookup, timeoutMs: 2 ** 31 - 1 }) long(): null {
        return null;
      }
    }
    expect([...toolsOf(Ends).values()].map(({ spec }) => spec.timeoutMs)).to.deep.equal([1, 2_147_483_647]);
  });

  it('is refused under the name of its class where @Tool stands on that', () => {
    @Tool(false, { input: Lookup, timeout: 5 } as never)
    class Hasty {
      execute(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Hasty))).to.equal('Hasty: the option timeout does not exist; did you mean timeoutMs?');
  });

  it('is refused for constructor parameters, unless the program says how instances are made', () => {
    @Tool(true, { input: Lookup })
    class Needy {
      constructor(readonly service: object) {}
      execute(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Needy))).to.match(/^the constructor of Needy has parameters: say how it is made/);
    expect(toolsOf(Needy, true).size).to.equal(1);
  });
});

describe('the name of the one tool of a class', () => {
  it('is the given one, or that of the class', () => {
    expect(toolNameOf(ChargeCard)).to.equal('charge_card');
    class One {
      @Tool(true, { name: 'lookup', input: Lookup }) find(): null {
        return null;
      }
    }
    expect(toolNameOf(One)).to.equal('lookup');
  });

  it('is refused where there is none, or more than one', () => {
    expect(refusal(() => toolNameOf(OrderTools))).to.equal('OrderTools declares 2 tools; say which one by its name');
    expect(refusal(() => toolNameOf(Lookup))).to.match(/^Lookup declares no tool/);
  });
});
