import { expect } from 'chai';
import { Type } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import * as cv from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import fc from 'fast-check';
import { compile, defineInput } from './support.js';

/** The schema against what an independent converter makes of the same metadata. */

enum Colour {
  Red = 'red',
  Blue = 'blue',
}

describe('the JSON Schema, beside another converter', () => {
  class OracleLine {
    @cv.IsString() @cv.Length(1, 3) sku!: string;
    @cv.IsInt() @cv.Min(1) @cv.Max(9) amount!: number;
  }

  class OracleInput {
    @cv.IsString() @cv.MinLength(2) name!: string;
    @cv.IsEnum(Colour) colour!: Colour;
    @cv.IsOptional() @cv.IsIn(['a', 'b']) choice?: unknown;
    @cv.IsOptional() @cv.IsBoolean() flag?: boolean;
    @cv.IsOptional() @cv.IsArray() @cv.IsString({ each: true }) @cv.ArrayMinSize(1) @cv.ArrayMaxSize(2) tags?: string[];
    @cv.IsOptional() @cv.ValidateNested() @Type(() => OracleLine) line?: OracleLine;
    @cv.IsOptional() @cv.IsArray() @cv.ValidateNested({ each: true }) @Type(() => OracleLine) lines?: OracleLine[];
  }

  const any = fc.constantFrom<unknown>('', 'a', 'ab', 'abcd', 'red', 0, 1, 9, 10, 0.5, true);
  const mostly = (...values: unknown[]): fc.Arbitrary<unknown> => {
    return fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 12 }, { arbitrary: any, weight: 1 });
  };
  const text = mostly('a', 'ab', 'abc');
  const line = fc.record({ sku: text, amount: mostly(1, 9) }, { requiredKeys: ['sku'] });
  const given = fc.record(
    {
      name: mostly('ab', 'abcd'),
      colour: mostly('red', 'blue'),
      choice: mostly('a', 'b'),
      flag: mostly(true, false),
      tags: fc.oneof(fc.array(text, { maxLength: 3 }), text),
      line: fc.oneof(line, line, any),
      lines: fc.oneof(fc.array(line, { maxLength: 2 }), any),
    },
    { requiredKeys: ['name', 'colour'] },
  );

  it('accepts and refuses the same values', () => {
    const options = { classTransformerMetadataStorage: defaultMetadataStorage, refPointerPrefix: '#/$defs/' };
    const nested = targetConstructorToSchema(OracleLine, options);
    const oracle = compile({ ...targetConstructorToSchema(OracleInput, options), $defs: { OracleLine: nested } });
    const ours = compile(defineInput(OracleInput).schema);
    let met = 0;
    fc.assert(
      fc.property(given, (sample) => {
        met += ours(sample) ? 1 : 0;
        expect(ours(sample), JSON.stringify(sample)).to.equal(oracle(sample));
      }),
      { numRuns: 2_000 },
    );
    expect(met).to.be.above(20);
  });
});
