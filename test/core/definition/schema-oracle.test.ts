import { expect } from 'chai';
import { Type } from 'class-transformer';
import * as cv from 'class-validator';
import fc from 'fast-check';
import { validateArguments } from '../../../core/definition/arguments.js';
import type { InputClass } from '../../../core/definition/shape.js';
import { compile, defineInput } from './support.js';

/** The schema against what validation accepts: never refused by the schema; for exact validators the reverse holds too. */

type Make = (options: cv.ValidationOptions) => PropertyDecorator;

enum Colour {
  Red = 'red',
  Blue = 'blue',
}

enum Level {
  Low,
  High,
}

/** Validators of single values whose schema says all that they say. */
const EXACT: Record<string, Make> = {
  isString: (options) => cv.IsString(options),
  isInt: (options) => cv.IsInt(options),
  isNumber: (options) => cv.IsNumber({}, options),
  isBoolean: (options) => cv.IsBoolean(options),
  min: (options) => cv.Min(-1, options),
  max: (options) => cv.Max(2, options),
  isPositive: (options) => cv.IsPositive(options),
  isNegative: (options) => cv.IsNegative(options),
  isLength: (options) => cv.Length(1, 3, options),
  minLength: (options) => cv.MinLength(2, options),
  maxLength: (options) => cv.MaxLength(2, options),
  isIn: (options) => cv.IsIn(['a', 1, null], options),
  isEnum: (options) => cv.IsEnum(Colour, options),
  isLevel: (options) => cv.IsEnum(Level, options),
  equals: (options) => cv.Equals('a', options),
  matches: (options) => cv.Matches(/^[a-c]+$/, options),
  contains: (options) => cv.Contains('a', options),
};

/** Validators that are looser as a schema. */
const LOOSE: Record<string, Make> = {
  isNotEmpty: (options) => cv.IsNotEmpty(options),
  isEmpty: (options) => cv.IsEmpty(options),
  isDefined: (options) => cv.IsDefined(options),
  notEquals: (options) => cv.NotEquals('a', options),
  isNotIn: (options) => cv.IsNotIn([1, null], options),
  isDivisibleBy: (options) => cv.IsDivisibleBy(2, options),
  decimals: (options) => cv.IsNumber({ maxDecimalPlaces: 1 }, options),
  isEmail: (options) => cv.IsEmail({}, options),
  isUrl: (options) => cv.IsUrl({}, options),
  isUuid: (options) => cv.IsUUID('all', options),
  isIso8601: (options) => cv.IsISO8601({}, options),
  isIp: (options) => cv.IsIP(undefined, options),
  isIp4: (options) => cv.IsIP(4, options),
  isLatitude: (options) => cv.IsLatitude(options),
  isNumberString: (options) => cv.IsNumberString({}, options),
  ignoringCase: (options) => cv.Matches(/^A/i, options),
  anyCharacter: (options) => cv.Matches(/^..$/, options),
  isObject: (options) => cv.IsObject(options),
  isNotEmptyObject: (options) => cv.IsNotEmptyObject({}, options),
};

const OF_LISTS: Record<string, Make> = {
  isArray: () => cv.IsArray(),
  arrayMinSize: () => cv.ArrayMinSize(1),
  arrayMaxSize: () => cv.ArrayMaxSize(2),
  arrayNotEmpty: () => cv.ArrayNotEmpty(),
};

const LOOSE_OF_LISTS: Record<string, Make> = {
  ...OF_LISTS,
  arrayUnique: () => cv.ArrayUnique(),
  arrayContains: () => cv.ArrayContains(['a']),
};

/** Each defines a class, and class-validator asks every class that it knows whether it is a parent: more slow all tests down. */
const RUNS = 100;

interface Use {
  readonly name: string;
  readonly each: boolean;
}

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'a',
    'abc',
    'ab',
    '😀',
    '😀😀',
    'red',
    'Low',
    0,
    1,
    2,
    -1,
    0.5,
    1e-7,
    1e21,
    true,
    false,
    null,
  ),
  fc.constantFrom('2026-01-31T09:30:00Z', '2026-02-01T00:00:00+01:00'),
  fc.constantFrom('a@b.co', 'ü@example.com', 'example.com', 'http://a.b/c', '127.0.0.1', '::1', '2026-01-31', '12'),
  fc.string({ unit: 'grapheme-composite', maxLength: 4 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.uuid(),
);
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('x', 'y'), leaf, { maxKeys: 2 }),
);
const args = fc.array(fc.record({ value }, { requiredKeys: [] }), { minLength: 40, maxLength: 40 });

/** Some validators of one property, for the value or for each of its items; those of lists may come beside. */
const uses = (single: Record<string, Make>, lists: Record<string, Make>): fc.Arbitrary<Use[]> =>
  fc
    .record({
      names: fc.array(fc.constantFrom(...Object.keys(single)), { minLength: 1, maxLength: 2 }),
      each: fc.boolean(),
      list: fc.option(fc.constantFrom(...Object.keys(lists)), { freq: 2 }),
      optional: fc.boolean(),
    })
    .map(({ names, each, list, optional }) => [
      ...names.map((name) => ({ name, each })),
      ...(list !== null && each ? [{ name: list, each: false }] : []),
      ...(optional ? [{ name: 'isOptional', each: false }] : []),
    ]);

function classOf(used: readonly Use[]): InputClass {
  class Generated {
    declare value: unknown;
  }
  const all: Record<string, Make> = {
    ...EXACT,
    ...LOOSE,
    ...LOOSE_OF_LISTS,
    isDate: (options) => cv.IsDate(options),
    isOptional: () => cv.IsOptional(),
  };
  for (const { name, each } of used) all[name]!({ each })(Generated.prototype, 'value');
  return Generated;
}

/** A type that `@Type` may name. */
type Named = new (...args: never[]) => object;

/** A class whose `value` is of the type that `@Type` names. */
function typed(cls: InputClass, type: Named): InputClass {
  Type(() => type)(cls.prototype as object, 'value');
  return cls;
}

/** Whatever validation accepts, the schema does. */
async function neverRefuses(classes: fc.Arbitrary<InputClass>): Promise<void> {
  let met = 0;
  await fc.assert(
    fc.asyncProperty(classes, args, async (cls, values) => {
      const input = defineInput(cls);
      const accepts = compile(input.schema);
      for (const given of values) {
        if (!(await validateArguments(input, given)).ok) continue;
        met += 1;
        expect(accepts(given), `${JSON.stringify(given)} by ${JSON.stringify(input.schema)}`).to.equal(true);
      }
    }),
    { numRuns: RUNS },
  );
  expect(met).to.be.above(RUNS);
}

/** Whatever the schema accepts, validation does. */
async function acceptsNothingElse(classes: fc.Arbitrary<InputClass>): Promise<void> {
  let met = 0;
  await fc.assert(
    fc.asyncProperty(classes, args, async (cls, values) => {
      const input = defineInput(cls);
      for (const given of values.filter(compile(input.schema))) {
        met += 1;
        const checked = await validateArguments(input, given);
        expect(checked.ok, `${JSON.stringify(given)} by ${JSON.stringify(input.schema)}`).to.equal(true);
      }
    }),
    { numRuns: RUNS },
  );
  expect(met).to.be.above(RUNS);
}

describe('the JSON Schema, beside what validation accepts', () => {
  it('never refuses what validation accepts', async () => {
    await neverRefuses(uses({ ...EXACT, ...LOOSE }, LOOSE_OF_LISTS).map(classOf));
  });

  it('accepts nothing else, where the validators are exact', async () => {
    await acceptsNothingElse(uses(EXACT, OF_LISTS).map(classOf));
  });

  it('is a valid schema for every validator that class-validator has, and asks for strings where it does', async () => {
    const given: Record<string, unknown[]> = {
      IsIn: [['a']],
      IsNotIn: [['a']],
      IsEnum: [Colour],
      Equals: ['a'],
      IsDivisibleBy: [1],
      Min: [0],
      Max: [9],
      Matches: [/a/],
    };
    const skipped = new Set([
      'ValidateBy',
      'Validate',
      'ValidateIf',
      'ValidateNested',
      'ValidatePromise',
      'IsDate',
      'MinDate',
      'MaxDate',
    ]);
    const decorators = Object.entries(cv).filter(([name]) => {
      return (
        /^(Is|Min|Max|Length|Array|Contains|Equals|Matches|Not)/.test(name) &&
        /^[A-Z][a-z]/.test(name) &&
        !skipped.has(name)
      );
    });
    expect(decorators).to.have.length.above(90);
    for (const [name, make] of decorators) {
      class Input {
        declare value: unknown;
      }
      const decorate = (make as (...options: unknown[]) => PropertyDecorator)(...(given[name] ?? []));
      decorate(Input.prototype, 'value');
      const input = defineInput(Input);
      const accepts = compile(input.schema, true);
      let onlyStrings = true;
      for (const sample of ['a', 1, 2, -1, true, null, [], ['a'], {}, { a: 1 }]) {
        const { ok } = await validateArguments(input, { value: sample });
        if (ok) expect(accepts({ value: sample }), `${name} ${JSON.stringify(sample)}`).to.equal(true);
        onlyStrings &&= typeof sample === 'string' || !ok;
      }
      if (onlyStrings && name !== 'IsInstance') expect(accepts({ value: 1 }), name).to.equal(false);
    }
  });

  it('never refuses what validation accepts, whatever @Type names', async () => {
    const kinds = { ...EXACT, ...LOOSE, isDate: (options: cv.ValidationOptions) => cv.IsDate(options) };
    const types = fc.constantFrom<Named>(Number, String, Boolean, Date);
    await neverRefuses(
      fc.tuple(uses(kinds, LOOSE_OF_LISTS), types).map(([used, type]) => {
        const dated = type === Date ? used : used.filter(({ name }) => name !== 'isDate');
        return typed(classOf(dated.length > 0 ? dated : [{ name: 'isDefined', each: false }]), type);
      }),
    );
  });

  it('accepts nothing else where @Type names the type, and the validators are exact and name none', async () => {
    const { isIn, isEnum, isLevel, equals } = EXACT;
    const untyped = { isDefined: LOOSE.isDefined!, isIn: isIn!, isEnum: isEnum!, isLevel: isLevel!, equals: equals! };
    const types = fc.constantFrom<Named>(Number, String, Boolean);
    await acceptsNothingElse(
      fc.tuple(uses(untyped, OF_LISTS), types).map(([used, type]) => typed(classOf(used), type)),
    );
  });

  it('refuses no value that validation judges as an instance: dates, and objects with defaults', async () => {
    class Defaulted {
      @cv.IsInt() n = 1;
    }
    class Instances {
      @cv.IsOptional() @cv.ArrayUnique() @cv.IsDate({ each: true }) @Type(() => Date) dates?: Date[];
      @cv.IsOptional() @cv.IsObject() @Type(() => Date) date?: Date;
      @cv.IsOptional() @cv.IsNotEmptyObject() @cv.ValidateNested() @Type(() => Defaulted) object?: Defaulted;
      @cv.IsOptional() @cv.Matches(/^C:\\.{2}$/) path?: string;
    }
    const input = defineInput(Instances);
    const accepts = compile(input.schema, true);
    for (const given of [
      { dates: ['2026-01-31', '2026-01-31'] },
      { date: '2026-01-31' },
      { object: {} },
      { path: 'C:\\😀' },
    ]) {
      expect((await validateArguments(input, given)).ok, JSON.stringify(given)).to.equal(true);
    }
    expect(accepts({ dates: ['2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z'] })).to.equal(true);
    expect(accepts({ date: '2026-01-31T00:00:00Z' })).to.equal(true);
    expect(accepts({ object: {} })).to.equal(true);
    expect(accepts({ path: 'C:\\😀' })).to.equal(true);
  });

  it('hints at a format only where it is the usual one: what has the format is accepted', async () => {
    class Formats {
      @cv.IsOptional() @cv.IsEmail() email?: string;
      @cv.IsOptional() @cv.IsUUID() uuid?: string;
      @cv.IsOptional() @cv.IsUrl() url?: string;
      @cv.IsOptional() @cv.IsISO8601() time?: string;
      @cv.IsOptional() @cv.IsIP(4) ip4?: string;
      @cv.IsOptional() @cv.IsIP(6) ip6?: string;
      @cv.IsOptional() @cv.IsDate() @Type(() => Date) date?: Date;
    }
    const input = defineInput(Formats);
    const samples = fc.record(
      {
        email: fc.constantFrom('a@example.com', 'first.last@sub.example.org'),
        uuid: fc.uuid(),
        url: fc.constantFrom('https://example.com/a?b=c', 'http://example.org'),
        time: fc
          .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
          .map((date) => date.toISOString()),
        ip4: fc.ipV4(),
        ip6: fc.ipV6(),
        date: fc
          .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
          .map((date) => date.toISOString()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(samples, async (given) => {
        expect(compile(input.schema, true)(given)).to.equal(true);
        expect((await validateArguments(input, given)).ok).to.equal(true);
      }),
    );
  });
});
