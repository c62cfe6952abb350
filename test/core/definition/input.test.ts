import { expect } from 'chai';
import { Reconcile } from '../../../decorators/reconcile.js';
import { Tool } from '../../../decorators/tool.js';
import { ChargeInput } from './examples.js';
import { refusal, toolsOf } from './support.js';

describe('the input class of a tool', () => {
  it('is refused where none is to be found, with what to write', () => {
    @Tool(false)
    class NoType {
      execute(input: ChargeInput): ChargeInput {
        return input;
      }
    }
    expect(refusal(() => toolsOf(NoType))).to.equal(
      'NoType.execute: no input class to be found, as no parameter types were emitted for it; ' +
        'write @Tool(false, { input: YourInput })',
    );
  });

  it('is refused where the parameter is no class, and says what it is', () => {
    interface Shape {
      readonly id: string;
    }
    class Typed {
      @Tool(true) find(input: Shape): Shape {
        return input;
      }
    }
    expect(refusal(() => toolsOf(Typed))).to.equal(
      "Typed.find: the first parameter's type is an interface, a type alias, a type-only import or a circular one: " +
        'nothing that exists at run time; declare a class with class-validator decorators and write ' +
        '@Tool(true, { input: YourInput })',
    );
    class Text {
      @Tool(true) find(input: string): string {
        return input;
      }
    }
    expect(refusal(() => toolsOf(Text))).to.match(/the first parameter's type is a string; declare a class/);
    @Tool(false)
    class Settled {
      execute(input: ChargeInput): ChargeInput {
        return input;
      }
      @Reconcile() settle(_input: unknown): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Settled))).to.match(
      /^Settled.settle: the first parameter's type is an interface, .* write @Tool\(false, /,
    );
    class Circular {
      @Tool(true) find(input: ChargeInput): ChargeInput {
        return input;
      }
    }
    Reflect.defineMetadata('design:paramtypes', [undefined], Circular.prototype, 'find');
    expect(refusal(() => toolsOf(Circular))).to.match(/the first parameter's type is undefined, as a circular import/);
    class Given {
      @Tool(false, { input: [] as never }) send(): null {
        return null;
      }
    }
    expect(refusal(() => toolsOf(Given))).to.match(/^Given.send: the option input is object, not a class/);
  });
});
