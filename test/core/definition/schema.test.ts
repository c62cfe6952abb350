import { expect } from 'chai';
import { Transform, Type } from 'class-transformer';
import * as cv from 'class-validator';
import { schemaOf } from '../../../core/definition/schema.js';
import { shapeOf, type InputClass } from '../../../core/definition/shape.js';
import type { Json } from '../../../core/model/json.js';
import { defineInput } from './support.js';

enum Size {
  Small = 'S',
  Large = 'L',
}

enum Level {
  Low,
  High,
}

const COLOURS = { Red: 'red', Blue: 'blue' } as const;

/** The schema of a property that has these decorators. */
function propertySchema(...decorators: PropertyDecorator[]): Json | undefined {
  class Input {
    declare value: unknown;
  }
  for (const decorate of decorators) decorate(Input.prototype, 'value');
  return (schemaOf(shapeOf(Input)).properties as Record<string, Json>).value;
}

function requiredOf(cls: InputClass): Json | undefined {
  return schemaOf(shapeOf(cls)).required;
}

describe('the JSON Schema of an input class', () => {
  it('states the type and the bounds of a property', () => {
    expect(propertySchema(cv.IsString())).to.deep.equal({ type: 'string' });
    expect(propertySchema(cv.IsBoolean())).to.deep.equal({ type: 'boolean' });
    expect(propertySchema(cv.IsInt(), cv.IsPositive())).to.deep.equal({ type: 'integer', exclusiveMinimum: 0 });
    expect(propertySchema(cv.IsPositive(), cv.IsInt())).to.deep.equal({ type: 'integer', exclusiveMinimum: 0 });
    expect(propertySchema(cv.Min(1), cv.Max(9))).to.deep.equal({ type: 'number', minimum: 1, maximum: 9 });
    expect(propertySchema(cv.IsNegative())).to.deep.equal({ type: 'number', exclusiveMaximum: 0 });
    expect(propertySchema(cv.Length(2, 5))).to.deep.equal({ type: 'string', minLength: 2, maxLength: 5 });
    expect(propertySchema(cv.Length(2))).to.deep.equal({ type: 'string', minLength: 2 });
    expect(propertySchema(cv.IsString(), cv.MinLength(2))).to.deep.equal({ type: 'string', minLength: 2 });
    expect(propertySchema(cv.MaxLength(5), cv.IsNotEmpty())).to.deep.equal({
      type: 'string',
      minLength: 1,
      maxLength: 5,
    });
    expect(propertySchema(cv.IsObject())).to.deep.equal({ type: 'object' });
    expect(propertySchema(cv.IsNotEmptyObject())).to.deep.equal({ type: 'object', minProperties: 1 });
    expect(propertySchema(cv.Allow())).to.deep.equal({});
  });

  it('states the items of a list and their number', () => {
    expect(propertySchema(cv.IsArray())).to.deep.equal({ type: 'array' });
    expect(propertySchema(cv.IsInt({ each: true }), cv.ArrayMinSize(1), cv.ArrayMaxSize(3))).to.deep.equal({
      type: 'array',
      items: { type: 'integer' },
      minItems: 1,
      maxItems: 3,
    });
    expect(propertySchema(cv.ArrayNotEmpty())).to.deep.equal({ type: 'array', minItems: 1 });
  });

  it('asks for unique items only where they are no objects, which are unique by identity', () => {
    expect(propertySchema(cv.ArrayUnique(), cv.IsString({ each: true }))).to.deep.include({ uniqueItems: true });
    expect(propertySchema(cv.ArrayUnique())).not.to.have.property('uniqueItems');
    expect(propertySchema(cv.ArrayUnique(), cv.IsObject({ each: true }))).not.to.have.property('uniqueItems');
  });

  it('asks for no unique items of dates, which are unique by identity', () => {
    const dates = propertySchema(
      cv.ArrayUnique(),
      cv.IsDate({ each: true }),
      Type(() => Date),
    );
    expect(dates).to.have.nested.property('items.format', 'date-time');
    expect(dates).not.to.have.property('uniqueItems');
    const counts = propertySchema(
      cv.ArrayUnique(),
      cv.IsDefined({ each: true }),
      Type(() => Number),
    );
    expect(counts).to.have.property('uniqueItems', true);
  });

  it('lists the values of enums, const objects and the like', () => {
    expect(propertySchema(cv.IsEnum(Size))).to.deep.equal({ enum: ['S', 'L'] });
    expect(propertySchema(cv.IsEnum(Level))).to.deep.equal({ enum: [0, 1] });
    expect(propertySchema(cv.IsEnum(COLOURS))).to.deep.equal({ enum: ['red', 'blue'] });
    expect(propertySchema(cv.IsIn([1, 'two', null, 1]))).to.deep.equal({ enum: [1, 'two', null] });
    expect(propertySchema(cv.Equals('yes'))).to.deep.equal({ const: 'yes' });
    expect(propertySchema(cv.IsEmpty())).to.deep.equal({ enum: ['', null] });
    expect(propertySchema(cv.IsEnum(Size, { each: true }))).to.deep.equal({
      type: 'array',
      items: { enum: ['S', 'L'] },
    });
  });

  it('lists no values that JSON does not keep', () => {
    expect(propertySchema(cv.IsIn([{ a: 1 }]))).to.deep.equal({ description: 'Also checked: isIn([{"a":1}])' });
    expect(propertySchema(cv.IsIn(['a', undefined]))).to.deep.equal({ description: 'Also checked: isIn' });
    expect(propertySchema(cv.IsIn([Number.NaN]))).to.deep.equal({ description: 'Also checked: isIn' });
    expect(propertySchema(cv.IsIn([]))).to.deep.equal({ description: 'Also checked: isIn([])' });
    expect(propertySchema(cv.Equals(undefined))).to.deep.equal({ description: 'Also checked: equals' });
    expect(propertySchema(cv.Equals(1n))).to.deep.equal({ description: 'Also checked: equals' });
  });

  it('hints at formats', () => {
    const formatOf = (...decorators: PropertyDecorator[]): Json | undefined => {
      return (propertySchema(...decorators) as Record<string, Json>).format;
    };
    expect(formatOf(cv.IsEmail())).to.equal('email');
    expect(formatOf(cv.IsUUID())).to.equal('uuid');
    expect(formatOf(cv.IsUrl())).to.equal('uri');
    expect(formatOf(cv.IsISO8601())).to.equal('date-time');
    expect(formatOf(cv.IsDateString())).to.equal('date-time');
    expect(formatOf(cv.IsRFC3339())).to.equal('date-time');
    expect(formatOf(cv.IsIP(4))).to.equal('ipv4');
    expect(formatOf(cv.IsIP('6'))).to.equal('ipv6');
    expect(formatOf(cv.IsIP())).to.equal(undefined);
    expect(
      formatOf(
        cv.IsDate(),
        Type(() => Date),
      ),
    ).to.equal('date-time');
  });

  it('gives a pattern only where it means the same with and without the flag u', () => {
    expect(propertySchema(cv.Matches(/^[A-Z]{3}-\d+\.5$/))).to.deep.equal({
      type: 'string',
      pattern: '^[A-Z]{3}-\\d+\\.5$',
    });
    expect(propertySchema(cv.Matches('^a+$'))).to.deep.equal({ type: 'string', pattern: '^a+$' });
    expect(propertySchema(cv.Matches(/^.$/u))).to.deep.equal({ type: 'string', pattern: '^.$' });
    expect(propertySchema(cv.Contains('a.b'))).to.deep.equal({ type: 'string', pattern: 'a\\.b' });
    for (const [pattern, flags] of [
      ['^.$'],
      ['^[^a]$'],
      ['\\S'],
      ['a', 'i'],
      ['a-\\-'],
      ['\\p{L}'],
      ['^C:\\\\.{2}$'],
      ['\\\\\\S'],
      ['é{2}'],
    ] as const) {
      expect(propertySchema(cv.Matches(new RegExp(pattern, flags)))).to.deep.equal({
        type: 'string',
        description: `Also checked: matches /${pattern}/${flags ?? ''}`,
      });
    }
  });

  it('names in words what has no form in it', () => {
    const isEven = cv.ValidateBy({ name: 'isEven', validator: { validate: (value) => Number(value) % 2 === 0 } });
    expect(propertySchema(cv.IsInt(), isEven)).to.deep.equal({ type: 'integer', description: 'Also checked: isEven' });
    const builtIn = cv.ValidateBy({ name: 'constructor', validator: { validate: () => true } });
    expect(propertySchema(builtIn)).to.deep.equal({ description: 'Also checked: constructor' });
    expect(propertySchema(cv.IsMobilePhone('de-DE'), cv.NotEquals('0'))).to.deep.equal({
      type: 'string',
      description: 'Also checked: isMobilePhone("de-DE"), notEquals("0")',
    });
    expect(propertySchema(cv.IsString({ validateIf: () => false }))).to.deep.equal({
      description: 'Also checked: isString in some cases',
    });
  });

  it('says nothing of a custom validator that has the name of one with arguments, and none', () => {
    for (const name of ['isEnum', 'isIn', 'equals', 'matches', 'contains', 'min', 'isLength', 'isUuid']) {
      const custom = cv.ValidateBy({ name, validator: { validate: () => true } });
      expect(propertySchema(custom), name).to.deep.equal({ description: `Also checked: ${name}` });
      const other = cv.ValidateBy({ name, constraints: [null], validator: { validate: () => true } });
      expect(() => propertySchema(other), name).not.to.throw();
    }
  });

  it('names in words the options of a validator that has a form in it', () => {
    expect(propertySchema(cv.IsUUID('4'))).to.deep.equal({
      type: 'string',
      format: 'uuid',
      description: 'Also checked: isUuid("4")',
    });
    expect(propertySchema(cv.IsUrl({ protocols: ['https'] }))).to.deep.equal({
      type: 'string',
      format: 'uri',
      description: 'Also checked: isUrl({"protocols":["https"]})',
    });
    expect(propertySchema(cv.IsEmail({ host_whitelist: ['a.com'] }))).to.have.property(
      'description',
      'Also checked: isEmail({"host_whitelist":["a.com"]})',
    );
    expect(propertySchema(cv.IsNotEmptyObject({ nullable: false }))).to.deep.equal({
      type: 'object',
      minProperties: 1,
      description: 'Also checked: isNotEmptyObject({"nullable":false})',
    });
    expect(propertySchema(cv.IsISO8601({ strict: true }))).to.have.property(
      'description',
      'Also checked: isIso8601({"strict":true})',
    );
    expect(propertySchema(cv.IsEmail({}))).to.deep.equal({ type: 'string', format: 'email' });
    expect(propertySchema(cv.IsIP(4))).to.deep.equal({ type: 'string', format: 'ipv4' });
  });

  it('states the type that @Type names where no validator does, with null where none refuses it', () => {
    const typed = (type: unknown, ...decorators: PropertyDecorator[]): Json | undefined => {
      return propertySchema(
        ...decorators,
        Type(() => type as () => void),
      );
    };
    expect(typed(Number, cv.IsDefined())).to.deep.equal({ type: 'number' });
    expect(typed(Boolean, cv.Allow())).to.deep.equal({ type: ['boolean', 'null'] });
    expect(typed(String, cv.IsNotEmpty())).to.deep.equal({ type: 'string', minLength: 1 });
    expect(typed(Date, cv.IsDefined())).to.deep.equal({ type: 'string', format: 'date-time' });
    expect(typed(Date, cv.IsOptional())).to.deep.equal({ type: ['string', 'null'], format: 'date-time' });
    expect(typed(Number, cv.IsInt())).to.deep.equal({ type: 'integer' });
    expect(typed(Number, cv.IsIn([1, null]))).to.deep.equal({ type: ['number', 'null'], enum: [1, null] });
    expect(typed(Number, cv.IsArray())).to.deep.equal({ type: 'array', items: { type: ['number', 'null'] } });
    expect(typed(Number, cv.IsDefined({ each: true }))).to.deep.equal({ type: 'array', items: { type: 'number' } });
    expect(typed(Number, cv.IsArray({ each: true }))).to.deep.equal({ type: 'array', items: { type: 'array' } });
    expect(typed(Number, cv.IsArray({ validateIf: () => false }))).not.to.have.property('type');
    expect(typed(Object, cv.IsDefined())).to.deep.equal({});
  });

  it('leaves a transformed or conditional property open, and says what is checked of it', () => {
    expect(
      propertySchema(
        cv.Allow(),
        Transform(({ value }) => Number(value)),
      ),
    ).to.deep.equal({});
    expect(
      propertySchema(
        cv.IsInt(),
        Transform(({ value }) => Number(value)),
      ),
    ).to.deep.equal({
      description: 'Converted before it is checked; then: {"type":"integer"}',
    });
    expect(
      propertySchema(
        cv.IsInt(),
        cv.ValidateIf(() => true),
      ),
    ).to.deep.equal({
      description: 'In some cases: {"type":"integer"}',
    });
  });

  it('lets an optional property be missing or null', () => {
    expect(propertySchema(cv.IsOptional(), cv.IsString())).to.deep.equal({ type: ['string', 'null'] });
    expect(propertySchema(cv.IsOptional(), cv.IsIn([1, 2]))).to.deep.equal({
      anyOf: [{ enum: [1, 2] }, { type: 'null' }],
    });
    expect(propertySchema(cv.IsOptional(), cv.Equals(1), cv.IsInt())).to.deep.equal({
      anyOf: [{ type: 'integer', const: 1 }, { type: 'null' }],
    });
    expect(propertySchema(cv.IsOptional())).to.deep.equal({});
  });

  it('requires what some validator refuses to miss and no default stands in for', () => {
    class Input {
      @cv.IsString() b!: string;
      @cv.IsInt() a!: number;
      @cv.IsInt() defaulted = 1;
      @cv.IsOptional() @cv.IsInt() optional?: number;
      @cv.ValidateIf(() => true) @cv.IsInt() conditional?: number;
      @cv.Allow() anything?: unknown;
      @cv.NotEquals(1) other?: unknown;
      @cv.IsEmpty() empty?: unknown;
      @cv.IsDefined() defined: unknown;
    }
    expect(requiredOf(Input)).to.deep.equal(['a', 'b', 'defined']);
  });

  it('is the same whatever the defaults of the class are', () => {
    class Daily {
      @cv.IsString() day = String(Math.random());
    }
    expect(defineInput(Daily).schema).to.deep.equal(defineInput(Daily).schema);
    expect(JSON.stringify(defineInput(Daily).schema)).not.to.include('default');
  });

  it('joins constraints that disagree instead of losing one', () => {
    expect(propertySchema(cv.Min(1), cv.Min(5))).to.deep.equal({
      type: 'number',
      minimum: 1,
      allOf: [{ type: 'number', minimum: 5 }],
    });
    expect(propertySchema(cv.IsString(), cv.IsInt())).to.deep.equal({ type: 'string', allOf: [{ type: 'integer' }] });
  });
});

describe('nested classes in a JSON Schema', () => {
  class Line {
    @cv.IsInt() amount!: number;
  }

  const lineSchema = {
    type: 'object',
    properties: { amount: { type: 'integer' } },
    required: ['amount'],
    additionalProperties: false,
  };

  it('are written in place', () => {
    const single = propertySchema(
      cv.ValidateNested(),
      Type(() => Line),
    );
    const list = propertySchema(
      cv.ValidateNested({ each: true }),
      cv.ArrayMinSize(1),
      Type(() => Line),
    );
    const optional = propertySchema(
      cv.IsOptional(),
      cv.ValidateNested(),
      Type(() => Line),
    );
    expect(single).to.deep.equal(lineSchema);
    expect(list).to.deep.equal({ type: 'array', items: lineSchema, minItems: 1 });
    expect(optional).to.deep.equal({ ...lineSchema, type: ['object', 'null'] });
  });

  it('that contain themselves are referred to', () => {
    class Tree {
      @cv.IsString() name!: string;
      @cv.IsOptional() @cv.ValidateNested({ each: true }) @Type(() => Tree) branches?: Tree[];
    }
    class Forest {
      @cv.ValidateNested({ each: true }) @Type(() => Tree) trees!: Tree[];
      @cv.ValidateNested() @Type(() => Tree) oldest!: Tree;
    }
    const treeWith = ($ref: string): unknown => ({
      type: 'object',
      properties: { name: { type: 'string' }, branches: { type: ['array', 'null'], items: { $ref } } },
      required: ['name'],
      additionalProperties: false,
    });
    expect(schemaOf(shapeOf(Tree))).to.deep.equal(treeWith('#'));
    expect(schemaOf(shapeOf(Forest))).to.deep.equal({
      type: 'object',
      properties: { trees: { type: 'array', items: { $ref: '#/$defs/trees' } }, oldest: { $ref: '#/$defs/trees' } },
      additionalProperties: false,
      $defs: { trees: treeWith('#/$defs/trees') },
    });
  });

  it('are told apart by their constructors, not by their names', () => {
    const [first, second] = [cv.IsString(), cv.IsInt()].map((decorate) => {
      class Same {
        declare value: unknown;
        declare next?: Same;
      }
      decorate(Same.prototype, 'value');
      for (const put of [cv.IsOptional(), cv.ValidateNested(), Type(() => Same)]) put(Same.prototype, 'next');
      return Same;
    }) as [InputClass, InputClass];
    class Holder {
      @cv.ValidateNested() @Type(() => second) in!: object;
    }
    class Outer {
      @cv.ValidateNested() @Type(() => first) in!: object;
      @cv.ValidateNested() @Type(() => Holder) more!: Holder;
    }
    const { $defs } = schemaOf(shapeOf(Outer)) as unknown as {
      $defs: Record<string, { properties: { value: unknown } }>;
    };
    expect(Object.keys($defs)).to.deep.equal(['in', 'in_2']);
    expect($defs.in!.properties.value).to.deep.equal({ type: 'string' });
    expect($defs.in_2!.properties.value).to.deep.equal({ type: 'integer' });
  });
});
