import { expect } from 'chai';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  IsArray,
  IsDate,
  IsInt,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import fc from 'fast-check';
import { reviveArguments, validateArguments } from '../../../core/definition/arguments.js';
import { plainOf } from '../../../core/definition/instance.js';
import { canonicalJson } from '../../../core/model/canonical-json.js';
import type { Json } from '../../../core/model/json.js';
import { accepted, defineInput, refused } from './support.js';

class Money {
  /** Dollars in, cents out: twice would be a hundred times too much. */
  @Transform(({ value }) => Math.round((value as number) * 100))
  @IsInt()
  amount!: number;

  @IsString() currency = 'EUR';

  format(): string {
    return `${this.amount} ${this.currency}`;
  }
}

class Node {
  @Transform(({ value }) => `${String(value)}!`) @IsString() label!: string;
  @IsOptional() @ValidateNested({ each: true }) @Type(() => Node) children?: Node[];
}

class Everything {
  @ValidateNested() @Type(() => Money) price: Money = new Money();
  @IsOptional() @ValidateNested({ each: true }) @Type(() => Money) fees?: Money[];
  @IsOptional() @IsDate() @Type(() => Date) due?: Date;
  @IsOptional() @IsArray() @IsDate({ each: true }) @Type(() => Date) dates?: Date[];
  @IsOptional() @IsObject() free?: Record<string, unknown>;
  @IsOptional() @ValidateNested() @Type(() => Node) tree?: Node;
  @Transform(() => undefined) @IsOptional() @IsString() gone?: string = 'default';
  @Allow() any: unknown = { nested: [1] };
}

const EVERYTHING = defineInput(Everything);

const money = fc.record(
  { amount: fc.integer({ min: 0, max: 10_000 }).map((cents) => cents / 100), currency: fc.string() },
  { requiredKeys: ['amount'] },
);
const day = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const { node } = fc.letrec<{ node: object }>((tie) => ({
  node: fc.record(
    { label: fc.string(), children: fc.array(tie('node'), { maxLength: 2 }) },
    { requiredKeys: ['label'] },
  ),
}));
const everything = fc.record(
  {
    price: money,
    fees: fc.array(money, { maxLength: 3 }),
    due: fc.option(day),
    dates: fc.array(day, { maxLength: 3 }),
    free: fc.dictionary(fc.string(), json),
    tree: node,
    gone: fc.string(),
    any: json,
  },
  { requiredKeys: ['price'] },
);

describe('arguments made ready to run', () => {
  it('F14: have the JSON that was approved, however their class transforms', async () => {
    let reached = 0;
    await fc.assert(
      fc.asyncProperty(everything, async (raw) => {
        const checked = await validateArguments(EVERYTHING, raw);
        if (!checked.ok) return;
        reached += 1;
        const instance = accepted(await reviveArguments(EVERYTHING, checked.value));
        expect(instance).to.be.instanceOf(Everything);
        const plain = plainOf(instance, EVERYTHING.shape, 'args', []);
        expect(canonicalJson(plain)).to.equal(canonicalJson(checked.value));
      }),
      { numRuns: 300 },
    );
    expect(reached).to.be.above(150);
  });

  it('F14: are not transformed a second time', async () => {
    const args = accepted(await validateArguments(EVERYTHING, { price: { amount: 12.34 } }));
    expect(args).to.deep.include({ price: { amount: 1234, currency: 'EUR' } });
    const instance = accepted(await reviveArguments(EVERYTHING, args)) as Everything;
    expect(instance.price.amount).to.equal(1234);
  });

  it('F14: are given no default that was not approved', async () => {
    const raw = { price: { amount: 1 }, gone: 'x' };
    const args = accepted(await validateArguments(EVERYTHING, raw));
    expect(args).not.to.have.property('gone');
    expect(accepted(await reviveArguments(EVERYTHING, args))).not.to.have.property('gone');
  });

  it('are instances of the declared classes, all the way down', async () => {
    const raw = {
      price: { amount: 1 },
      fees: [{ amount: 2 }],
      due: '2026-01-31',
      dates: ['2026-02-01'],
      tree: { label: 'a', children: [{ label: 'b' }] },
    };
    const args = accepted(await validateArguments(EVERYTHING, raw));
    const instance = accepted(await reviveArguments(EVERYTHING, args)) as Everything;
    expect(instance.price.format()).to.equal('100 EUR');
    expect(instance.fees?.[0]).to.be.instanceOf(Money);
    expect(instance.due).to.deep.equal(new Date('2026-01-31'));
    expect(instance.dates).to.deep.equal([new Date('2026-02-01')]);
    expect(instance.tree?.children?.[0]).to.be.instanceOf(Node);
    expect(instance.tree?.children?.[0]?.label).to.equal('b!');
  });

  it('P4: are a fresh instance at every call, which shares nothing with what is stored', async () => {
    const args = { price: { amount: 1, currency: 'EUR' }, any: { nested: [1] } };
    const one = accepted(await reviveArguments(EVERYTHING, args)) as Everything;
    (one.any as { nested: number[] }).nested.push(2);
    one.price.amount = 99;
    const two = accepted(await reviveArguments(EVERYTHING, args)) as Everything;
    expect(two).not.to.equal(one);
    expect(two.price.amount).to.equal(1);
    expect(two.any).to.deep.equal({ nested: [1] });
    expect(args.any.nested).to.deep.equal([1]);
  });

  it('P4: are not what a validator made of them', async () => {
    class Meddled {
      @ValidateBy({
        name: 'meddles',
        validator: {
          validate: (_value, call) => {
            (call?.object as Meddled).amount += 1;
            return true;
          },
        },
      })
      amount!: number;
    }
    const input = defineInput(Meddled);
    const args = accepted(await validateArguments(input, { amount: 1 }));
    expect(args).to.deep.equal({ amount: 1 });
    expect(accepted(await reviveArguments(input, args))).to.deep.equal(Object.assign(new Meddled(), { amount: 1 }));
  });

  describe('of a class that has changed since', () => {
    class Before {
      @IsInt() amount!: number;
      @IsString() when = '2026-01-31';
    }
    const stored: Json = { amount: -1, when: '2026-01-31' };
    const refusedBy = async (cls: new () => object): Promise<string[]> =>
      refused(await reviveArguments(defineInput(cls), stored));

    it('run if they mean the same', async () => {
      expect(accepted(await reviveArguments(defineInput(Before), stored))).to.deep.equal(
        Object.assign(new Before(), stored),
      );
    });

    it('I7: are refused by a stricter validator, and say where', async () => {
      class Stricter extends Before {
        @IsPositive() declare amount: number;
      }
      expect(await refusedBy(Stricter)).to.deep.equal(['args.amount: amount must be a positive number']);
    });

    it('I7: are refused if a property is gone, or a new one is required', async () => {
      class Renamed {
        @IsInt() amountCents!: number;
        @IsString() when!: string;
      }
      expect(await refusedBy(Renamed)).to.deep.equal([
        'args.amount: is not a known property; did you mean amountCents?',
        'args.amountCents: is missing: amountCents must be an integer number',
      ]);
    });

    it('I7: are refused rather than completed by a new default', async () => {
      class Extended extends Before {
        @IsString() currency = 'EUR';
      }
      expect(await refusedBy(Extended)).to.deep.equal(['args.currency: is missing: currency must be a string']);
    });

    it('I7: are refused if they would be read as something else', async () => {
      class Dated {
        @IsInt() amount!: number;
        @IsDate() @Type(() => Date) when!: Date;
      }
      expect(await refusedBy(Dated)).to.deep.equal([
        'args: no longer mean what was recorded: the input class has changed',
      ]);
    });

    it('I7: are refused if an instance can no longer be made', async () => {
      let broken = false;
      class Fragile extends Before {
        constructor() {
          super();
          if (broken) throw new Error('no configuration');
        }
      }
      const input = defineInput(Fragile);
      broken = true;
      expect(refused(await reviveArguments(input, stored))).to.deep.equal([
        'args: could not be rebuilt: no configuration',
      ]);
    });

    it('I7: are refused if they are no object', async () => {
      for (const args of [[1], null, 'text']) {
        expect(refused(await reviveArguments(defineInput(Before), args))).to.deep.equal([
          'args: must be an object that holds the arguments by name',
        ]);
      }
    });
  });
});
