import { expect } from 'chai';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  IsArray,
  IsDate,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  MinDate,
  ValidateIf,
  ValidateNested,
  ValidatePromise,
} from 'class-validator';
import { shapeOf, type InputClass } from '../../../core/definition/shape.js';
import { defineInput, problemsWith, refusal } from './support.js';

class Line {
  @IsInt() amount!: number;
}

class Unchecked {
  value?: string;
}

const refusalOf = (cls: InputClass): string => refusal(() => defineInput(cls));

describe('the shape of an input class', () => {
  it('holds each property that class-validator knows, in order, and what @Type says of it', () => {
    class Input {
      @IsString() text = 'x';
      @IsInt({ each: true }) numbers!: number[];
      @IsOptional() @ValidateNested() @Type(() => Line) line?: Line;
      @IsArray() @ValidateNested() @Type(() => Line) lines!: Line[];
      @IsDate() @Type(() => Date) when!: Date;
      @Transform(({ value }) => value as unknown) @Allow() any: unknown;
    }
    const { properties } = shapeOf(Input);
    const shown = [...properties.values()].map(({ name, holds, list, transformed, hasDefault }) => {
      return `${name}: ${holds.kind}${list ? ' list' : ''}${transformed ? ' transformed' : ''}${hasDefault ? ' default' : ''}`;
    });
    expect(shown).to.deep.equal([
      'text: json default',
      'numbers: json list',
      'line: object',
      'lines: object list',
      'when: date',
      'any: json transformed',
    ]);
  });

  it('includes what a class inherits, and a subclass replaces the validators of a property', () => {
    class Base {
      @IsString() kept!: string;
      @IsString() changed!: unknown;
    }
    class Derived extends Base {
      @IsInt() declare changed: number;
      @IsInt() added!: number;
    }
    const validators = [...shapeOf(Derived).properties.values()].map(({ name, validators: applied }) => {
      return `${name}: ${applied.map((validator) => validator.name).join()}`;
    });
    expect(validators).to.have.members(['kept: isString', 'changed: isInt', 'added: isInt']);
  });

  it('has a list where a validator judges each item, whatever its condition, and not where one only permits', () => {
    class Lists {
      @ValidateNested({ each: true, validateIf: () => false }) @Type(() => Line) lines!: Line[];
      @Allow({ each: true }) allowed!: unknown;
      @IsOptional({ each: true }) optional?: unknown;
      @IsString({ each: true, validateIf: () => false }) conditional!: unknown;
    }
    const lists = [...shapeOf(Lists).properties.values()].filter(({ list }) => list).map(({ name }) => name);
    expect(lists).to.deep.equal(['lines']);
  });

  it('includes validators of every group, as validation applies them without one', () => {
    class Grouped {
      @IsString({ groups: ['create'] }) name!: string;
    }
    expect([...shapeOf(Grouped).properties.keys()]).to.deep.equal(['name']);
  });

  it('may contain itself', () => {
    class Tree {
      @IsOptional() @ValidateNested({ each: true }) @Type(() => Tree) branches?: Tree[];
    }
    const shape = shapeOf(Tree);
    const branches = shape.properties.get('branches')!;
    expect(branches.holds).to.deep.equal({ kind: 'object', shape });
  });

  it('P3: knows nothing of a bare property that leaves no trace at run time: each call that gives it is refused', async () => {
    class Bare {
      declare amount: number;
    }
    const input = defineInput(Bare);
    expect(input.shape.properties.size).to.equal(0);
    expect(await problemsWith({ amount: 1 }, input)).to.deep.equal(['args.amount: is not a known property']);
  });

  it('may be empty: a tool without arguments', () => {
    class Nothing {
      isEmpty(): boolean {
        return true;
      }
    }
    expect(shapeOf(Nothing).properties.size).to.equal(0);
  });
});

describe('an input class is refused', () => {
  it('if a property of its instances has no validator, so that no value would ever pass', () => {
    class Half {
      @IsString() checked!: string;
      unchecked?: string;
    }
    expect(refusalOf(Half)).to.equal(
      'Half.unchecked: it has no class-validator decorator, so no value is ever accepted: put one on it, at least @Allow()',
    );
    expect(refusalOf(Unchecked)).to.match(/^Unchecked.value: it has no class-validator decorator/);
  });

  it('if it nests a class that class-validator does not know', () => {
    class Outer {
      @ValidateNested() @Type(() => Unchecked) inner!: Unchecked;
    }
    expect(refusalOf(Outer)).to.equal(
      'Outer.inner: @Type names Unchecked, which has no class-validator decorators and is not Date, Number, String or Boolean',
    );
  });

  it('if the class of a nested property is not known at run time', () => {
    class Untyped {
      @ValidateNested() line!: Line;
    }
    expect(refusalOf(Untyped)).to.equal(
      'Untyped.line: @ValidateNested() does not know the class: add @Type(() => Line)',
    );
    class Circular {
      @ValidateNested() @Type(() => undefined as never) line!: unknown;
    }
    expect(refusalOf(Circular)).to.equal(
      'Circular.line: @Type names undefined, not a class; a circular import can be the reason',
    );
    class Throwing {
      @ValidateNested()
      @Type(() => {
        throw new ReferenceError('Later is not defined yet');
      })
      line!: unknown;
    }
    expect(refusalOf(Throwing)).to.equal(
      'Throwing.line: @Type names no class: its function threw: Later is not defined yet',
    );
    class Varying {
      @ValidateNested() @Type((options) => (options?.object.kind === 'a' ? Line : Untyped)) line!: unknown;
    }
    expect(refusalOf(Varying)).to.equal('Varying.line: @Type must name one class, whatever the value');
    class Discriminated {
      @ValidateNested()
      @Type(() => Line, { discriminator: { property: 'kind', subTypes: [{ name: 'line', value: Line }] } })
      line!: Line;
    }
    expect(refusalOf(Discriminated)).to.match(/^Discriminated.line: @Type with a discriminator is not supported/);
  });

  it('if a nested property would not be validated', () => {
    class Trusting {
      @IsObject() @Type(() => Line) line!: Line;
    }
    expect(refusalOf(Trusting)).to.equal('Trusting.line: @Type of a class alone checks nothing: add @ValidateNested()');
  });

  it('if a property is an array of objects and its validators do not say so', () => {
    class Single {
      @ValidateNested() @Type(() => Line) lines!: Line[];
    }
    expect(refusalOf(Single)).to.equal('Single.lines: it is an array: write @ValidateNested({ each: true })');
    Object.defineProperty(Single, 'name', { value: '' });
    expect(refusalOf(Single)).to.match(/^an anonymous class.lines: it is an array/);
    class Matrix {
      @IsArray({ each: true }) @ValidateNested({ each: true }) @Type(() => Line) rows!: Line[][];
    }
    expect(refusalOf(Matrix)).to.equal(
      'Matrix.rows: a list of lists of objects is not supported; wrap the inner list in a class',
    );
  });

  it('if it asks for what JSON does not have', () => {
    class Dated {
      @IsDate() when!: Date;
    }
    expect(refusalOf(Dated)).to.equal('Dated.when: JSON has no dates: add @Type(() => Date)');
    class Bounded {
      @MinDate(new Date(0)) when!: Date;
    }
    expect(refusalOf(Bounded)).to.match(/^Bounded.when: JSON has no dates/);
    class Mapped {
      @IsString({ each: true }) names!: Map<string, string>;
    }
    expect(refusalOf(Mapped)).to.match(/^Mapped.names: JSON has no Map and no Set/);
    class Grouped {
      @IsString({ each: true }) names!: Set<string>;
    }
    expect(refusalOf(Grouped)).to.match(/^Grouped.names: JSON has no Map and no Set/);
    class Promised {
      @ValidatePromise() later!: Promise<string>;
    }
    expect(refusalOf(Promised)).to.match(/^Promised.later: JSON has no promises/);
  });

  it('if class-transformer would hide or rename what was given', () => {
    class Hiding {
      @Exclude() @IsString() secret!: string;
    }
    expect(refusalOf(Hiding)).to.match(/^Hiding.secret: @Exclude\(\) is not supported/);
    @Exclude()
    class HidingAll {
      @IsString() secret!: string;
    }
    expect(refusalOf(HidingAll)).to.match(/^HidingAll: @Exclude\(\) is not supported/);
    class Renaming {
      @Expose({ name: 'order_id' }) @IsString() orderId!: string;
    }
    expect(refusalOf(Renaming)).to.match(/^Renaming.orderId: @Expose with a name or groups is not supported/);
    class Exposing {
      @Expose() @IsString() plain!: string;
    }
    expect(defineInput(Exposing).shape.properties.size).to.equal(1);
  });

  it('if a property is an accessor or has a built-in name', () => {
    class Computed {
      @IsInt() amount = 1;
      @IsInt() get double(): number {
        return this.amount * 2;
      }
    }
    expect(refusalOf(Computed)).to.match(/^Computed.double: it is a method, an accessor or a built-in name/);
    class BuiltIn {
      declare toString: () => string;
    }
    IsString()(BuiltIn.prototype, 'toString');
    expect(refusalOf(BuiltIn)).to.match(/^BuiltIn.toString: it is a method, an accessor or a built-in name/);
  });

  it('if it cannot be made without arguments', () => {
    class Needy {
      @IsString() name: string;
      constructor(options: { name: string }) {
        this.name = options.name;
      }
    }
    expect(refusalOf(Needy as unknown as InputClass)).to.equal(
      'Needy: an input class is made with new and no arguments, and this one threw',
    );
  });

  it('if a default is no JSON, so that every call without it would fail', () => {
    class WithSet {
      @Allow() tags: unknown = new Set();
    }
    expect(refusalOf(WithSet)).to.equal(
      'WithSet.tags: its default is no JSON: a Set is not plain JSON; use a plain object or a string',
    );
    class WithFunction {
      @Allow() make = (): null => null;
    }
    expect(refusalOf(WithFunction)).to.match(/^WithFunction.make: its default is no JSON: function is not JSON/);
    class WithDate {
      @IsOptional() @Allow() when: unknown = new Date();
    }
    expect(refusalOf(WithDate)).to.match(/^WithDate.when: its default is no JSON: a Date/);
    class Inner {
      @Allow() value = Number.NaN;
    }
    class Outer {
      @IsOptional() @ValidateNested() @Type(() => Inner) inner?: Inner;
    }
    expect(refusalOf(Outer)).to.match(/^Inner.value: its default is no JSON: NaN/);
  });

  it('and no condition is asked for that', () => {
    class Conditional {
      @ValidateIf(() => {
        throw new Error('asked');
      })
      @IsString()
      value!: string;
    }
    expect(defineInput(Conditional).shape.properties.size).to.equal(1);
  });
});
