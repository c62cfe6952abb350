import { expect } from 'chai';
import { Type } from 'class-transformer';
import {
  IsEnum,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  Min,
  registerDecorator,
  ValidateIf,
  ValidateNested,
  NotEquals,
} from 'class-validator';
import { validateArguments } from '../../../core/definition/arguments.js';
import type { Checked } from '../../../core/definition/definition.js';
import type { InputClass } from '../../../core/definition/shape.js';
import { accepted, defineInput, problemsWith, refused } from './support.js';

class Line {
  @IsString() sku!: string;
  @IsInt() @IsPositive() amount!: number;
}

class OrderInput {
  @IsString() order!: string;
  @IsInt() @Min(1) amountCents!: number;
  @IsOptional() @IsString() note?: string;
  @IsOptional() @ValidateNested({ each: true }) @Type(() => Line) lines?: Line[];
  @IsOptional() @ValidateNested() @Type(() => Line) gift?: Line;
  @IsOptional() @IsObject() meta?: Record<string, unknown>;
}

const ORDER = defineInput(OrderInput);
const valid = { order: 'A-1', amountCents: 5 };

const problems = (raw: unknown, input = ORDER): Promise<string[]> => problemsWith(raw, input);

describe('the arguments that an agent asks for', () => {
  it('P3: are accepted as plain JSON, or as the JSON text of it', async () => {
    const lines = [{ sku: 'x', amount: 2 }];
    const raw = { ...valid, lines, gift: lines[0], meta: { any: [1, null, { thing: true }] } };
    expect(accepted(await validateArguments(ORDER, raw))).to.deep.equal(raw);
    expect(accepted(await validateArguments(ORDER, JSON.stringify(raw)))).to.deep.equal(raw);
  });

  it('P4: are a copy of what was given', async () => {
    const raw = { ...valid, meta: { inner: { count: 1 } } };
    const args = accepted(await validateArguments(ORDER, raw)) as typeof raw;
    raw.meta.inner.count = 2;
    expect(args.meta.inner).to.deep.equal({ count: 1 });
  });

  it('P3: are refused with a string for a number, and say where (F20)', async () => {
    expect(await problems({ order: 'A-1', amountCents: '5' })).to.deep.equal([
      'args.amountCents: amountCents must not be less than 1; amountCents must be an integer number',
    ]);
  });

  it('P3: are refused with a misspelt name, and name the one that was meant (F20)', async () => {
    const found = await problems({ order: 'A-1', amount_cent: 5 });
    expect(found[0]).to.equal('args.amount_cent: is not a known property; did you mean amountCents?');
    expect(found[1]).to.match(/^args.amountCents: is missing: /);
    expect(await problems({ ...valid, colour: 'red' })).to.deep.equal(['args.colour: is not a known property']);
  });

  it('P3: are refused with all that is wrong at once, by path', async () => {
    const raw = {
      order: 7,
      amountCents: 0,
      lines: [{ sku: 'x', amount: 1 }, { sku: 1, amount: -1, size: 'L' }, 'line'],
      gift: { sku: 'x' },
    };
    const paths = (await problems(raw)).map((problem) => problem.slice(0, problem.indexOf(':')));
    expect(paths).to.have.members([
      'args.order',
      'args.amountCents',
      'args.lines[1].size',
      'args.lines[1].sku',
      'args.lines[1].amount',
      'args.lines[2]',
      'args.gift.amount',
    ]);
  });

  it('P3: are refused without quoting a value', async () => {
    const raw = {
      order: 'A-1',
      amountCents: 'hunter2',
      note: { secret: 'hunter2' },
      lines: 'hunter2',
      gift: ['hunter2'],
    };
    expect((await problems(raw)).join()).not.to.include('hunter2');
    expect((await problems('{"secret":"hunter2" "b"}')).join()).not.to.include('hunter2');
    expect((await problems('"hunter2"')).join()).not.to.include('hunter2');
    expect((await problems('hunter2')).join()).not.to.include('hunter2');
  });

  it('P3: are refused if they are no object', async () => {
    for (const raw of [null, [], [valid], 7, 'null', '[]', '"text"', true]) {
      expect((await problems(raw)).join()).to.match(/^args: (must be an object|is not valid JSON)/);
    }
    expect((await problems(undefined)).length).to.equal(1);
  });

  it('P3: are refused with an array for a nested object, and with an object for an array', async () => {
    const line = { sku: 'x', amount: 1 };
    expect(await problems({ ...valid, gift: [line] })).to.deep.equal(['args.gift: must be one object, not an array']);
    expect(await problems({ ...valid, lines: line })).to.deep.equal(['args.lines: must be an array']);
    expect(await problems({ ...valid, lines: [[line]] })).to.deep.equal(['args.lines[0]: must be an object (Line)']);
    expect((await problems({ ...valid, lines: [null] })).length).to.equal(1);
  });

  it('are refused if they are no JSON text, and say what is wrong with it', async () => {
    expect(await problems('{"order":')).to.deep.equal(['args: is not valid JSON: Unexpected end of JSON input']);
    expect(await problems('{"order":}')).to.deep.equal(["args: is not valid JSON: Unexpected token '}'"]);
    expect((await problems("{'order': 1}"))[0]).to.match(/^args: is not valid JSON: Expected property name/);
    expect((await problems('```json\n{}\n```'))[0]).to.match(/^args: is not valid JSON: Unexpected token '`'$/);
  });

  it('are refused if a member occurs twice in their text', async () => {
    const text =
      '{"order":"A","amountCents":1,"lines":[{"sku":"a","amount":1},{"sku":"a","amount":1,"amount":2}],"order":"B"}';
    expect(await problems(text)).to.deep.equal([
      'args.lines[1].amount: is given more than once',
      'args.order: is given more than once',
    ]);
  });

  it('are refused beyond 256 levels, and no depth ends the process', async () => {
    const nest = (depth: number): unknown => JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth));
    expect(accepted(await validateArguments(ORDER, { ...valid, meta: nest(255) }))).to.have.property('meta');
    expect((await problems({ ...valid, meta: nest(256) }))[0]).to.match(/: nested deeper than 256 levels$/);
    expect(
      (await problems(`{"order":"A","amountCents":1,"meta":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)).length,
    ).to.equal(1);
    expect((await problems('['.repeat(200_000))).length).to.equal(1);
    const cyclic: Record<string, unknown> = { ...valid };
    cyclic.meta = cyclic;
    expect(await problems(cyclic)).to.deep.equal(['args.meta: a cycle is not JSON']);
  });

  it('are refused with names that class-transformer would drop in silence', async () => {
    class Named {
      @IsInt() value!: number;
      @IsOptional() @IsObject() free?: object;
      total(): number {
        return this.value;
      }
    }
    const input = defineInput(Named);
    expect(await problems('{"value":1,"__proto__":{"admin":true}}', input)).to.deep.equal([
      'args.__proto__: the key __proto__ is refused',
    ]);
    expect(await problems('{"value":1,"constructor":1,"total":5,"toString":1}', input)).to.deep.equal([
      'args.constructor: is not a known property',
      'args.toString: is not a known property',
      'args.total: is not a known property',
    ]);
    expect(
      await problems('{"value":1,"free":{"constructor":{"name":"x"},"in":[{"toString":1}]}}', input),
    ).to.deep.equal([
      'args.free.constructor: is a reserved name; use another',
      'args.free.in[0].toString: is a reserved name; use another',
    ]);
  });

  it('P3: are checked the same way in nested objects', async () => {
    const raw = {
      ...valid,
      gift: { sku: 'x', ammount: 1, constructor: 1 },
      lines: [{ sku: 'x', amount: 1, toString: 1 }],
    };
    expect(await problems(raw)).to.deep.equal([
      'args.gift.ammount: is not a known property; did you mean amount?',
      'args.gift.constructor: is not a known property',
      'args.lines[0].toString: is not a known property',
      'args.gift.amount: is missing: amount must be a positive number; amount must be an integer number',
    ]);
  });

  it('are refused with what is no JSON, by path', async () => {
    expect(await problems({ ...valid, meta: { when: new Date(0) } })).to.deep.equal([
      'args.meta.when: a Date is not plain JSON; use a plain object or a string',
    ]);
    expect((await problems({ ...valid, note: 'a\ud800' }))[0]).to.match(/^args.note: .*surrogate/);
    expect((await problems('{"order":"\\ud800","amountCents":1}'))[0]).to.match(/^args.order: .*surrogate/);
  });

  it('list 50 problems at most, and count the rest', async () => {
    const raw = { ...valid, ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`extra${index}`, 1])) };
    const checked = await validateArguments(ORDER, raw);
    const found = refused(checked);
    expect(found).to.have.length(51);
    expect(found.at(-1)).to.equal('args: and 10 more problems');
    expect(checked)
      .to.have.property('message')
      .that.matches(/^the arguments are not valid: args.extra0: .* \(and 57 more\)$/);
  });

  it('list exactly as many problems as there are, up to that', async () => {
    const withExtras = (length: number): Promise<Checked<unknown>> => {
      const extras = Object.fromEntries(Array.from({ length }, (_, index) => [`extra${index}`, 1]));
      return validateArguments(ORDER, { ...valid, ...extras });
    };
    expect(refused(await withExtras(50))).to.have.length(50);
    expect(await withExtras(3))
      .to.have.property('message')
      .that.matches(/args.extra2: is not a known property$/);
    expect(await withExtras(4))
      .to.have.property('message')
      .that.matches(/args.extra2: is not a known property \(and 1 more\)$/);
  });

  it('are refused if their class invents properties that it does not declare', async () => {
    let inventing = false;
    class Inventing {
      @IsString() text!: string;
      constructor() {
        if (inventing) Object.assign(this, { extra: 1 });
      }
    }
    const input = defineInput(Inventing);
    inventing = true;
    expect(await problems({ text: 'x' }, input)).to.deep.equal(['args.extra: property extra should not exist']);
  });

  it('are judged in a time that grows with their size, and their problems are not as long as they are', async () => {
    const lines = Array.from({ length: 20_000 }, () => ({ sku: 1, amount: 'x', extra: 1 }));
    expect(await problems({ ...valid, lines })).to.have.length(51);
    const long = 'a.b["c'.repeat(200_000);
    const meta = { [long]: Array.from({ length: 2_000 }, () => ({ toString: 1 })) };
    const found = await problems({ ...valid, [long]: 1, meta });
    expect(found).to.have.length(51);
    expect(found[0]).to.match(/^args\["a\.b\[\\"ca\.b.*…"\]: is not a known property$/);
    expect(found.join()).to.have.length.below(20_000);
  });
});

describe('validators', () => {
  enum Level {
    Low,
    High,
  }

  function registered(name: string, validate: (value: unknown) => boolean | Promise<boolean>): PropertyDecorator {
    return (target, property) => {
      registerDecorator({ name, target: target.constructor, propertyName: String(property), validator: { validate } });
    };
  }

  it('may be asynchronous', async () => {
    class Asked {
      @registered('exists', async (value) => value === 'known') id!: string;
    }
    const input = defineInput(Asked);
    expect(accepted(await validateArguments(input, { id: 'known' }))).to.deep.equal({ id: 'known' });
    expect(await problems({ id: 'other' }, input)).to.deep.equal(['args.id: fails exists']);
  });

  it('that throw are a problem, and none of them ends the process', async () => {
    class Broken {
      @registered('rejects', async () => {
        await Promise.resolve();
        throw new Error('database gone');
      })
      one!: string;

      @registered('throws', () => {
        throw new Error('bug');
      })
      two!: string;
    }
    expect(await problems({ one: 'x', two: 'x', three: 1 }, defineInput(Broken))).to.deep.equal([
      'args.three: is not a known property',
      'args: a validator threw: bug',
      'args: a validator threw: database gone',
    ]);
  });

  it('see instances of the declared classes, and cannot change what is recorded', async () => {
    const seen: unknown[] = [];
    class Watched {
      @ValidateNested()
      @Type(() => Line)
      @registered('watches', (value) => {
        seen.push(value);
        (value as Line).amount = 99;
        return true;
      })
      line!: Line;
    }
    const args = accepted(await validateArguments(defineInput(Watched), { line: { sku: 'x', amount: 1 } }));
    expect(seen[0]).to.be.instanceOf(Line);
    expect(args).to.deep.equal({ line: { sku: 'x', amount: 1 } });
  });

  it('of a name that class-validator has too are judged by themselves', async () => {
    class Named {
      @registered('isEnum', (value) => value === 'x') value!: string;
    }
    const input = defineInput(Named);
    expect(accepted(await validateArguments(input, { value: 'x' }))).to.deep.equal({ value: 'x' });
    expect(await problems({ value: 'y' }, input)).to.deep.equal(['args.value: fails isEnum']);
  });

  it('P3: the name of a numeric enum is not its value', async () => {
    class Levelled {
      @IsEnum(Level) level!: Level;
      @IsOptional() @IsEnum(Level, { each: true }) levels?: Level[];
    }
    const input = defineInput(Levelled);
    expect(accepted(await validateArguments(input, { level: 0, levels: [1] }))).to.deep.equal({
      level: 0,
      levels: [1],
    });
    expect(await problems({ level: 'Low', levels: [0, 'High'] }, input)).to.deep.equal([
      'args.level: must be a value of the enum, not its name',
      'args.levels: must be a value of the enum, not its name',
    ]);
  });

  it('P3: a value is one of an object with numbers for names, and of any enum where none is asked for', async () => {
    class Numbered {
      @IsEnum({ 1: 'one', 2: 'two' }) word!: string;
      @ValidateIf(() => false) @IsEnum(Level) level?: unknown;
    }
    const input = defineInput(Numbered);
    const args = { word: 'one', level: 'Low' };
    expect(accepted(await validateArguments(input, args))).to.deep.equal(args);
  });

  it('P3: with each: true null is no array, even where it may be an item; it is where the list is optional', async () => {
    class Nullable {
      @IsIn(['a', null], { each: true }) among!: (string | null)[];
      @NotEquals('a', { each: true }) but!: unknown[];
      @IsOptional() @IsIn(['a'], { each: true }) optional?: string[] | null;
      @ValidateIf((all: Nullable) => all.sometimes !== null) @IsIn(['a'], { each: true }) sometimes!: string[] | null;
    }
    const input = defineInput(Nullable);
    const given = { among: [null], but: [], optional: null, sometimes: null };
    expect(accepted(await validateArguments(input, given))).to.deep.equal(given);
    expect(await problems({ ...given, among: null, but: null, sometimes: [] }, input)).to.deep.equal([
      'args.among: must be an array',
      'args.but: must be an array',
    ]);
  });

  it('P3: with each: true they ask for an array', async () => {
    class Tagged {
      @IsString({ each: true }) tags!: string[];
      @IsOptional() @Matches(/^a/, { each: true }) more?: string[];
    }
    expect(await problems({ tags: 'a', more: ['b'] }, defineInput(Tagged))).to.deep.equal([
      'args.more: each value in more must match /^a/ regular expression',
      'args.tags: must be an array',
    ]);
  });

  it('are not asked of a tool without arguments, which takes none', async () => {
    class Nothing {
      isEmpty(): boolean {
        return true;
      }
    }
    const input = defineInput(Nothing);
    expect(accepted(await validateArguments(input, {}))).to.deep.equal({});
    expect(accepted(await validateArguments(input, '{}'))).to.deep.equal({});
    expect(await problems({ a: 1 }, input)).to.deep.equal(['args.a: is not a known property']);
  });

  it('are those of the class, whatever other class has its name', async () => {
    const first = ((): InputClass => {
      class Same {
        @IsString() value!: string;
      }
      return Same;
    })();
    const second = ((): InputClass => {
      class Same {
        @IsInt() value!: number;
      }
      return Same;
    })();
    expect(first.name).to.equal(second.name);
    expect(accepted(await validateArguments(defineInput(first), { value: 'x' }))).to.deep.equal({ value: 'x' });
    expect(accepted(await validateArguments(defineInput(second), { value: 1 }))).to.deep.equal({ value: 1 });
    expect(await problems({ value: 1 }, defineInput(first))).to.have.length(1);
    expect(await problems({ value: 'x' }, defineInput(second))).to.have.length(1);
  });
});
