import { expect } from 'chai';
import { Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsDate,
  IsDefined,
  IsInt,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  ValidateNested,
} from 'class-validator';
import { validateArguments } from '../../../core/definition/arguments.js';
import { accepted, defineInput, problemsWith } from './support.js';

class Line {
  @IsString() sku!: string;
  @IsInt() @IsPositive() amount!: number;
}

describe('defaults and transforms', () => {
  class Defaults {
    @IsString() currency = 'EUR';
    @IsArray() @IsString({ each: true }) tags: string[] = ['new'];
    @IsOptional() @IsDate() @Type(() => Date) since?: Date = new Date(0);
    @IsOptional() @IsString() none?: string;
  }

  class Dollars {
    @Transform(({ value }) => Math.round((value as number) * 100))
    @IsInt()
    amount!: number;
  }

  it('F14: the defaults of the class are part of the arguments', async () => {
    expect(accepted(await validateArguments(defineInput(Defaults), {}))).to.deep.equal({
      currency: 'EUR',
      tags: ['new'],
      since: '1970-01-01T00:00:00.000Z',
    });
    const given = { currency: 'USD', tags: [], since: null };
    expect(accepted(await validateArguments(defineInput(Defaults), given))).to.deep.equal(given);
  });

  it('F14: the default of an exposed property is not lost', async () => {
    class Exposed {
      @Expose() @IsString() currency = 'EUR';
    }
    expect(accepted(await validateArguments(defineInput(Exposed), {}))).to.deep.equal({ currency: 'EUR' });
  });

  it('F14: what a transform makes is what is shown and hashed', async () => {
    expect(accepted(await validateArguments(defineInput(Dollars), { amount: 12.34 }))).to.deep.equal({ amount: 1234 });
  });

  it('P3: what a transform makes is what is validated', async () => {
    expect(await problemsWith({ amount: 'much' }, defineInput(Dollars))).to.deep.equal([
      'args.amount: amount must be an integer number',
    ]);
  });

  it('a transform that throws is a problem, with its message', async () => {
    class Throwing {
      @Transform(() => {
        throw new Error('no such currency');
      })
      @IsString()
      currency!: string;
    }
    expect(await problemsWith({ currency: 'EUR', extra: 1 }, defineInput(Throwing))).to.deep.equal([
      'args.extra: is not a known property',
      'args: could not be converted: no such currency',
    ]);
  });

  it('a transform whose result cannot be rebuilt from JSON is a problem', async () => {
    const made = async (make: () => unknown): Promise<string> => {
      class Made {
        @Transform(make) @Allow() value!: unknown;
      }
      return (await problemsWith({ value: 1 }, defineInput(Made))).join();
    };
    expect(await made(() => new Date(0))).to.match(/^args.value: a Date is not plain JSON/);
    expect(await made(() => new Map())).to.match(/^args.value: a Map is not plain JSON/);
    expect(await made(() => new Line())).to.match(/^args.value: a Line is not plain JSON/);
    expect(await made(() => Number.NaN)).to.equal('args.value: NaN is not JSON; use null or a string');
    expect(await made(() => () => 1)).to.equal('args.value: function is not JSON');
    expect(await made(async () => 1)).to.equal(
      'args.value: became a promise; a @Transform must return its value at once',
    );
    expect(await made(() => Promise.reject(new Error('late')))).to.match(/^args.value: became a promise/);
  });

  it('a transform must make what @Type declares', async () => {
    class Typed {
      @Transform(() => ({ sku: 'x', amount: 1 })) @ValidateNested() @Type(() => Line) @IsOptional() line?: Line;
      @Transform(() => '1970-01-01') @Type(() => Date) @IsOptional() @IsString() day?: string;
    }
    expect(await problemsWith({ line: {} }, defineInput(Typed))).to.deep.equal([
      'args.line: is not an object of the declared class',
    ]);
    expect(await problemsWith({ day: '1970-01-01' }, defineInput(Typed))).to.deep.equal(['args.day: must be a date']);
  });

  it('a transform may take anything for a nested object', async () => {
    class Parsed {
      @Transform(
        ({ value }) =>
          (typeof value === 'string' ? Object.assign(new Line(), { sku: value, amount: 1 }) : value) as Line,
      )
      @ValidateNested()
      @Type(() => Line)
      line!: Line;
    }
    const input = defineInput(Parsed);
    expect(accepted(await validateArguments(input, { line: 'x' }))).to.deep.equal({ line: { sku: 'x', amount: 1 } });
    expect(await problemsWith({ line: { sku: 'x' } }, input)).to.have.length(1);
  });
});

describe('types that @Type declares', () => {
  class Typed {
    @IsOptional() @IsDate() @Type(() => Date) when?: Date;
    @IsOptional() @IsDate({ each: true }) @Type(() => Date) all?: Date[];
    @IsOptional() @IsNumber() @Type(() => Number) count?: number;
    @IsOptional() @Type(() => Boolean) @Allow() flag?: boolean;
  }
  const input = defineInput(Typed);

  it('a date is given as ISO 8601 text with its zone, and kept as UTC', async () => {
    const args = accepted(await validateArguments(input, { when: '2026-01-31T10:00:00+01:00', all: ['2026-02-01'] }));
    expect(args).to.deep.equal({ when: '2026-01-31T09:00:00.000Z', all: ['2026-02-01T00:00:00.000Z'] });
  });

  it('P3: a date that would be guessed or moved is refused', async () => {
    for (const when of [
      '2026-02-30',
      '31.1.2026',
      '2026',
      '2026-01-31T10:00',
      'soon',
      0,
      true,
      {},
      '2026-W05',
      '24:00',
    ]) {
      expect((await problemsWith({ when }, input))[0]).to.match(
        /^args.when: must be a date, or a date and time with its zone/,
      );
    }
    expect(await problemsWith({ when: ['2026-01-31'] }, input)).to.have.length(1);
    expect((await problemsWith({ all: ['2026-01-31', 'x'] }, input))[0]).to.match(/^args.all\[1\]: must be a date/);
    expect((await problemsWith({ all: '2026-01-31' }, input))[0]).to.match(/^args.all: must be an array/);
  });

  it('P3: a list of dates is no date', async () => {
    class One {
      @Allow() @Type(() => Date) when!: Date;
    }
    expect(await problemsWith({ when: ['2026-01-31'] }, defineInput(One))).to.deep.equal([
      'args.when: must be one date, not an array',
    ]);
  });

  it('P3: nothing is converted: "false" is no boolean and "" no number', async () => {
    expect(await problemsWith({ flag: 'false' }, input)).to.deep.equal(['args.flag: must be a boolean']);
    expect(await problemsWith({ count: '' }, input)).to.deep.equal(['args.count: must be a number']);
    expect(accepted(await validateArguments(input, { count: 0, flag: false }))).to.deep.equal({
      count: 0,
      flag: false,
    });
  });

  it('P3: an array is refused for the one value that @Type names', async () => {
    class Typed {
      @Type(() => Number) @IsDefined() n!: unknown;
      @Type(() => String) @IsDefined() s!: unknown;
      @Type(() => Boolean) @IsDefined() b!: unknown;
      @Type(() => Number) @IsDefined({ each: true }) list!: unknown;
      @Type(() => Number) @ArrayMaxSize(2, { each: true }) rows!: unknown;
      @Type(() => String) @IsArray({ validateIf: () => false }) either!: unknown;
      @Type(() => String) @Transform(({ value }) => (value as string).split(',')) @Allow() split!: unknown;
    }
    const input = defineInput(Typed);
    const given = { n: 1, s: 'a', b: false, list: [1], rows: [[1, 2]], either: ['a'], split: 'a,b' };
    expect(accepted(await validateArguments(input, given))).to.deep.equal({ ...given, split: ['a', 'b'] });
    const lists = { n: [100], s: ['a'], b: [true], list: [[1]] };
    expect(await problemsWith({ ...given, ...lists }, input)).to.have.members([
      'args.n: must be one number, not an array',
      'args.s: must be one string, not an array',
      'args.b: must be one boolean, not an array',
      'args.list[0]: must be one number, not an array',
    ]);
  });
});
