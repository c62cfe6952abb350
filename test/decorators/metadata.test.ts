import { expect } from 'chai';
import fc from 'fast-check';
import { Agent } from '../../decorators/agent.js';
import { declarationsOf, parameterTypesOf, propertyTypeOf, type Declaration } from '../../decorators/metadata.js';
import { Reconcile } from '../../decorators/reconcile.js';
import { Tool } from '../../decorators/tool.js';

class Input {
  id = '';
}

class Base {
  @Tool(true, { input: Input, name: 'base' })
  find(input: Input): string {
    return input.id;
  }

  @Tool(false, { input: Input })
  send(input: Input): string {
    return input.id;
  }

  @Reconcile('send')
  wasSent(): void {}
}

type Decorate = (...decorated: unknown[]) => void;

/** A decorator as a runtime calls it, whatever its types say. */
const tool = (name: string): Decorate => Tool(true, { name }) as Decorate;

const shown = (declarations: readonly Declaration[]): string[] =>
  declarations.map(({ place: { kind, key, isStatic, isPrivate }, declaredBy }) => {
    return `${declaredBy.name}.${String(key)} ${isStatic ? 'static ' : ''}${isPrivate ? 'private ' : ''}${kind}`;
  });

describe('what a decorator records', () => {
  it('is what it was given, and where it stands', () => {
    const [find, send] = declarationsOf(Base, 'tool');
    expect(find).to.deep.equal({
      decorator: 'tool',
      place: { kind: 'method', key: 'find', isStatic: false, isPrivate: false },
      given: { readOnly: true, options: { input: Input, name: 'base' } },
      declaredBy: Base,
    });
    expect(send?.given).to.deep.equal({ readOnly: false, options: { input: Input } });
    expect(declarationsOf(Base, 'reconcile').map(({ given }) => given)).to.deep.equal([{ method: 'send' }]);
    expect(declarationsOf(Base, 'agent')).to.deep.equal([]);
  });

  it('is seen by a subclass, and not by the parent of the class that declares it', () => {
    class Derived extends Base {
      @Tool(true, { input: Input })
      extra(input: Input): string {
        return input.id;
      }
    }
    class Undecorated extends Derived {}
    expect(shown(declarationsOf(Undecorated, 'tool'))).to.deep.equal([
      'Base.find method',
      'Base.send method',
      'Derived.extra method',
    ]);
    expect(declarationsOf(Base, 'tool')).to.have.length(2);
  });

  it('replaces what an ancestor declares of the same place', () => {
    class Derived extends Base {
      @Tool(true, { input: Input, name: 'derived' })
      override find(input: Input): string {
        return input.id;
      }
    }
    const [send, find] = declarationsOf(Derived, 'tool');
    expect(shown([send!, find!])).to.deep.equal(['Base.send method', 'Derived.find method']);
    expect(find?.given.options).to.include({ name: 'derived' });
  });

  it('is kept twice if it stands twice, in the order in which the decorators ran', () => {
    class Twice extends Input {}
    tool('one')(Twice);
    tool('two')(Twice);
    expect(declarationsOf(Twice, 'tool').map(({ given }) => given.options)).to.deep.equal([
      { name: 'one' },
      { name: 'two' },
    ]);
  });

  it('tells a legacy class, method, accessor, field, static member and parameter apart', () => {
    class Legacy extends Input {}
    tool('')(Legacy);
    tool('')(Legacy.prototype, 'method', { value: () => null });
    tool('')(Legacy.prototype, 'accessor', { get: () => null });
    tool('')(Legacy.prototype, 'field');
    tool('')(Legacy.prototype, 'field_of_typescript', undefined);
    tool('')(Legacy, 'fixed', { value: () => null });
    tool('')(Legacy.prototype, 'of', 1);
    tool('')(Legacy, undefined, 0);
    expect(shown(declarationsOf(Legacy, 'tool'))).to.deep.equal([
      'Legacy.null class',
      'Legacy.method method',
      'Legacy.accessor accessor',
      'Legacy.field field',
      'Legacy.field_of_typescript field',
      'Legacy.fixed static method',
      'Legacy.of parameter',
      'Legacy.null static parameter',
    ]);
  });

  it('tells the kinds of a standard decorator apart', () => {
    const metadata = {};
    class Standard extends Input {}
    Object.defineProperty(Standard, (Symbol as unknown as { metadata: symbol }).metadata, { value: metadata });
    const symbol = Symbol('s');
    const context = { metadata, static: false, private: false };
    tool('')(Standard, { kind: 'class', name: 'Standard', metadata });
    tool('')(() => null, { ...context, kind: 'method', name: 'method' });
    tool('')(() => null, { ...context, kind: 'getter', name: 'getter' });
    tool('')(undefined, { ...context, kind: 'field', name: symbol });
    tool('')(() => null, { ...context, kind: 'method', name: 'fixed', static: true });
    tool('')(() => null, { ...context, kind: 'method', name: '#hidden', private: true });
    expect(shown(declarationsOf(Standard, 'tool'))).to.have.members([
      'Standard.null class',
      'Standard.method method',
      'Standard.getter getter',
      'Standard.Symbol(s) field',
      'Standard.fixed static method',
      'Standard.#hidden private method',
    ]);
  });

  it('hangs on the method where a standard compiler hands over no metadata', () => {
    class Old {
      find(): null {
        return null;
      }
    }
    tool('found')(Old.prototype.find, { kind: 'method', name: 'find', static: false, private: false });
    class Derived extends Old {
      override find(): null {
        return super.find();
      }
    }
    expect(shown(declarationsOf(Derived, 'tool'))).to.deep.equal(['Old.find method']);
  });

  it('leaves the class as it is', () => {
    class Plain {
      execute(): null {
        return null;
      }
      decide(): null {
        return null;
      }
    }
    const describeClass = (): unknown => [
      Reflect.ownKeys(Plain),
      Reflect.ownKeys(Plain.prototype),
      Object.getOwnPropertyDescriptors(Plain.prototype),
    ];
    const before = describeClass();
    const returnedBy = (decorate: unknown, ...decorated: unknown[]): unknown => {
      return (decorate as (...decorated: unknown[]) => unknown)(...decorated);
    };
    expect(returnedBy(Tool(true), Plain)).to.equal(undefined);
    expect(returnedBy(Agent({ name: 'x', tools: [] }), Plain)).to.equal(undefined);
    expect(returnedBy(Reconcile(), Plain.prototype, 'execute', { value: Plain.prototype.execute })).to.equal(undefined);
    expect(describeClass()).to.deep.equal(before);
  });

  it('is recorded without a throw, whatever the runtime passes', () => {
    const anything = fc.anything({ withNullPrototype: true, withObjectString: true });
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 4 }), anything, (decorated, given) => {
        (Tool(given as never, given as never) as Decorate)(...decorated);
        (Agent(given as never) as Decorate)(...decorated);
        (Reconcile(given as never) as Decorate)(...decorated);
      }),
    );
  });
});

describe('the types that TypeScript emits', () => {
  it('are those of a method that is decorated, and of its override', () => {
    class Derived extends Base {
      override find(input: Input): string {
        return input.id;
      }
    }
    expect(parameterTypesOf(Derived, 'find')).to.deep.equal([Input]);
    expect(parameterTypesOf(Derived, 'missing')).to.equal(undefined);
  });

  it('are those of a property that is decorated', () => {
    class Typed {
      @((_target: object, _name: string): void => undefined) when!: Date;
    }
    expect(propertyTypeOf(Typed, 'when')).to.equal(Date);
    expect(propertyTypeOf(Typed, 'missing')).to.equal(undefined);
  });
});
