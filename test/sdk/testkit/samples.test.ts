import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect } from 'chai';
import { Type } from 'class-transformer';
import * as cv from 'class-validator';
import { Tool, type Class } from 'holdpoint';
import { fuzzArguments } from '../../../sdk/testkit/index.js';
import { hostileTexts, nearMisses } from '../../../sdk/testkit/near-misses.js';
import { samplesOf } from '../../../sdk/testkit/samples.js';
import { toolsOf } from '../../../core/definition/tools.js';
import type { JsonObject } from '../../../core/model/json.js';
import { rejection } from '../../support/world.js';

class Line {
  @cv.Matches(/^[A-Z]{2}-[0-9]+$/)
  sku!: string;

  @cv.IsInt()
  @cv.IsPositive()
  @cv.Max(20)
  quantity!: number;
}

class Tree {
  @cv.IsOptional()
  @cv.ValidateNested({ each: true })
  @Type(() => Tree)
  children?: Tree[];

  @cv.IsString()
  name!: string;
}

class Everything {
  @cv.IsArray()
  @cv.ArrayMinSize(2)
  @cv.ArrayMaxSize(3)
  @cv.ValidateNested({ each: true })
  @Type(() => Line)
  lines!: Line[];

  @cv.ValidateNested()
  @Type(() => Tree)
  tree!: Tree;

  @cv.IsEmail()
  email!: string;

  @cv.IsUUID()
  id!: string;

  @cv.IsISO8601()
  at!: string;

  @cv.IsUrl()
  link!: string;

  @cv.IsIP(6)
  address!: string;

  @cv.IsIn(['card', 'cash'])
  by!: string;

  @cv.Length(3, 5)
  code!: string;

  @cv.Min(-0.5)
  @cv.Max(0.25)
  share!: number;

  @cv.IsBoolean()
  really!: boolean;

  @cv.IsArray()
  @cv.IsString({ each: true })
  @cv.ArrayUnique()
  tags!: string[];

  @cv.IsOptional()
  @cv.IsString()
  note?: string;

  @cv.IsDefined()
  anything!: unknown;
}

class Odd {
  @cv.Matches(/^never {2}guessed$/)
  text!: string;
}

class Particular {
  @cv.IsInt()
  @cv.IsDivisibleBy(7)
  @cv.Min(1)
  @cv.Max(20)
  n!: number;
}

/** Whatever of these is not looked out for throws, hangs, or makes nothing valid. */
class Tricky {
  @cv.Matches(/^([a-z]+[-_]?)+\.[a-z]{2,}$/)
  @cv.IsOptional()
  slow?: string;

  @cv.MaxLength(1e9)
  long!: string;

  @cv.MinLength(3_000)
  longer!: string;

  @cv.Length(10, 20)
  @cv.IsNotEmpty()
  both!: string;

  @cv.IsUUID('4')
  random!: string;

  @cv.IsInt()
  @cv.Min(10.5)
  above!: number;

  @cv.IsInt()
  @cv.Max(-1.5)
  below!: number;

  @cv.IsPositive()
  @cv.Max(0.25)
  tiny!: number;

  @cv.Max(1e16)
  huge!: number;

  @cv.Min(1e17)
  hugest!: number;

  @cv.IsNotEmptyObject()
  some!: object;
}

class Bare {
  @cv.IsOptional()
  @cv.IsBoolean()
  loud?: boolean;
}

/** A validator that repairs what it is shown, after the JSON of it was taken: what it repairs is wrong, and comes through. */
function Repaired(): PropertyDecorator {
  return cv.ValidateBy({
    name: 'repaired',
    validator: {
      validate: (lines: Line[]) => {
        for (const line of lines) line.quantity = Math.round(line.quantity);
        return true;
      },
    },
  });
}

class Lax {
  @Repaired()
  @cv.IsArray()
  @cv.ValidateNested({ each: true })
  @Type(() => Line)
  lines!: Line[];
}

function toolFor(input: new () => object): Class {
  @Tool(false, { input, name: 'fuzzed' })
  class Fuzzed {
    execute(): null {
      return null;
    }
  }
  return Fuzzed;
}

function schemaFor(input: new () => object): JsonObject {
  return toolsOf(toolFor(input))[0]!.spec.inputSchema;
}

describe('arguments made from a schema', () => {
  for (const input of [Everything, Tree, Line, Bare, Tricky]) {
    it(`fit it, and come through: ${input.name}`, async () => {
      const schema = schemaFor(input);
      const ajv = new Ajv2020({ allowUnionTypes: true, strict: false });
      ajvFormats.default(ajv);
      const fits = ajv.compile(schema);
      for (const sample of input === Tricky ? [] : samplesOf(schema)) {
        expect(fits(sample), JSON.stringify([sample, fits.errors])).to.equal(true);
      }
      const { accepted, leaks } = await fuzzArguments(toolFor(input));
      expect(leaks).to.deep.equal([]);
      expect(accepted).to.be.above(0);
    });
  }

  it('hold every member, the required ones only, and each at its bounds', () => {
    const quantities = samplesOf(schemaFor(Line)).map(({ quantity }) => quantity);
    expect(quantities[0]).to.equal(1);
    expect(quantities).to.include.members([2, 20, 19]);
    const notes = samplesOf(schemaFor(Everything));
    expect(notes[0]).to.have.property('note', 'text');
    expect(notes[1]).to.not.have.property('note');
    const seen = (name: string): unknown[] => [...new Set(notes.map((sample) => sample[name]))];
    expect(seen('by')).to.deep.equal(['card', 'cash']);
    expect(seen('share')).to.include.members([0, -0.5, 0.25]);
    expect(seen('code')).to.deep.equal(['text', 'xxx', 'xxxxx']);
    expect(seen('lines').map((lines) => (lines as unknown[]).length)).to.deep.equal([2, 3]);
  });

  it('are the same every time', () => {
    expect(samplesOf(schemaFor(Everything))).to.deep.equal(samplesOf(schemaFor(Everything)));
  });

  it('P3: are asked for where none can be made, or validation refuses them all', async () => {
    for (const input of [Odd, Particular]) {
      const error = await rejection(fuzzArguments(toolFor(input)));
      expect(error.message).to.match(/no valid arguments of fuzzed could be made.*give some as { valid: \[\.\.\.\] }/);
    }
    expect((await fuzzArguments(toolFor(Odd), { valid: [{ text: 'never  guessed' }] })).leaks).to.deep.equal([]);
    expect((await fuzzArguments(toolFor(Particular), { valid: [{ n: 7 }] })).leaks).to.deep.equal([]);
  });
});

describe('near misses of a schema', () => {
  const schema = schemaFor(Everything);
  const [sample] = samplesOf(schema);
  const probes = nearMisses(sample!, schema);

  it('P3: are within nested objects and lists, too', () => {
    const whats = probes.map(({ what }) => what);
    expect(whats).to.include.members([
      'an unknown member',
      'tree: null instead',
      'tree: an unknown member',
      'tree.name: missing',
      'tree.children[0].name: a number instead',
      'lines[0]: an unknown member',
      'lines[0].quantity: above its maximum',
      'lines[0].sku: against its pattern',
      'tags[0]: a boolean instead',
    ]);
    expect(whats.filter((what) => what.startsWith('anything'))).to.deep.equal(['anything: missing']);
  });

  it('P3: are outside of an enum, a format, a pattern and the length of a list', () => {
    const args = (what: string): JsonObject => probes.find((probe) => probe.what === what)?.args as JsonObject;
    expect(args('by: a value outside its enum').by).to.equal('card_');
    expect(args('email: no email').email).to.equal('two words');
    expect(args('address: no ipv6').address).to.equal('two words');
    expect(args('lines: fewer items than its minimum').lines).to.have.length(1);
    expect(args('lines: more items than its maximum').lines).to.have.length(4);
    expect(args('tags: an item twice').tags).to.deep.equal(['text', 'text']);
    expect(args('lines[0].sku: against its pattern').lines).to.have.nested.property('[0].sku', 'two words');
  });

  it('P3: are refused by the schema, every one', () => {
    const ajv = new Ajv2020({ allowUnionTypes: true, strict: false });
    ajvFormats.default(ajv);
    const fits = ajv.compile(schema);
    for (const { what, args } of probes) expect(fits(args), what).to.equal(false);
  });

  it('P3: that come through are reported, and not counted as refused', async () => {
    const valid = [{ lines: [{ sku: 'AB-12', quantity: 1 }] }, { lines: [{ sku: 'AB-12', quantity: 'one' }] }];
    const { accepted, refused, leaks } = await fuzzArguments(toolFor(Lax), { valid });
    const [invalid, ...missed] = leaks;
    expect(invalid).to.deep.include({ what: 'valid arguments 1' });
    expect(missed.slice(0, 3)).to.deep.equal(
      ['a boolean instead', 'a list of it instead', 'a fraction'].map((what) => ({
        what: `lines[0].quantity: ${what}`,
        problem: 'was accepted',
      })),
    );
    const probed = valid.flatMap((args) => [...nearMisses(args, schemaFor(Lax)), ...hostileTexts(args)]);
    expect([accepted, refused]).to.deep.equal([1, probed.length - missed.length]);
  });
});
