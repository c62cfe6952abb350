import { expect } from 'chai';
import { IsInt } from 'class-validator';
import fc from 'fast-check';
import { validateArguments } from '../../../core/definition/arguments.js';
import { readJsonText } from '../../../core/definition/json-text.js';
import { accepted, defineInput, problemsWith } from './support.js';

const repeated = (text: string): string[] => readJsonText(text, 'args').problems.map(({ path }) => path);

const digits = (maxLength: number): fc.Arbitrary<string> => {
  return fc.stringMatching(/^(0|9|[0-9])*$/, { maxLength });
};

/** Numbers as a text may write them, near 2^53 and near 0 above all. */
const written = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      digits(25).map((all) => all.replace(/^0+/, '') || '0'),
      fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }).map(String),
    ),
    fraction: digits(5).map((all) => (all === '' ? '' : `.${all}`)),
    exponent: fc.oneof(
      { arbitrary: fc.constant(''), weight: 3 },
      fc.constantFrom('e0', 'E+2', 'e-2', 'e22', 'e-320', 'e-400', 'e400'),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent);

/** A written number as a whole number of 1e-500ths. */
function exactly(number: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(number)!;
  const size = BigInt(whole + fraction) * 10n ** BigInt(500 + Number(exponent) - fraction.length);
  return sign === '-' ? -size : size;
}

/** Whether a number is shown as it was written; of a fraction that is no near miss of 0 nothing is asked. */
function isKept(number: string): boolean {
  const read = Number(number);
  if (!Number.isFinite(read)) return false;
  return exactly(String(read)) === exactly(number) || (read !== 0 && Math.abs(read) < 2 ** 53);
}

describe('a JSON text', () => {
  it('is read as JSON.parse reads it, and no member of a value occurs twice', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readJsonText(text, 'args')).to.deep.equal({ value: JSON.parse(text) as unknown, problems: [] });
      }),
      { numRuns: 500 },
    );
  });

  it('names each member that occurs twice, wherever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.jsonValue(), (names, value) => {
        const members = names.map((name) => `${JSON.stringify(name)} : ${JSON.stringify(value)}`).join(' , ');
        const twice = names.length - new Set(names).size;
        expect(repeated(`[0, {"in": {${members}}}]`)).to.have.length(twice);
      }),
    );
  });

  it('names the path of a repeated member', () => {
    expect(repeated('{"a":1,"a":2}')).to.deep.equal(['args.a']);
    expect(repeated('{"a":[{},{"b":{"c":0,"c":{}}}]}')).to.deep.equal(['args.a[1].b.c']);
    expect(repeated('[[1,[2,{"x":1,"x":2}]]]')).to.deep.equal(['args[0][1][1].x']);
    expect(repeated('{"a b":1,"a b":2}')).to.deep.equal(['args["a b"]']);
    expect(repeated('{"a":1,"a":1,"a":1}')).to.deep.equal(['args.a', 'args.a']);
  });

  it('takes two spellings of one name for the same', () => {
    expect(repeated('{"a":1,"\\u0061":2}')).to.deep.equal(['args.a']);
    expect(repeated('{"__proto__":1,"__proto__":2}')).to.deep.equal(['args.__proto__']);
  });

  it('does not take a value for a name, nor one object for another', () => {
    expect(repeated('{"a":"a","b":["b","b"],"c":{"a":1},"d":{"a":1}}')).to.deep.equal([]);
    expect(repeated('["a","a"]')).to.deep.equal([]);
    expect(repeated('{"a":"\\"a\\":1,","b":"{\\"b\\":1}","c":"\\\\"}')).to.deep.equal([]);
  });

  it('P3: is accepted as JSON.parse reads it where its numbers are kept, and refused where one is not', () => {
    let lost = 0;
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 4 }), (numbers) => {
        const text = `{"ids": [${numbers.join(', ')}], "text": "12345678901234567891 \\" 1e-400"}`;
        const { value, problems } = readJsonText(text, 'args');
        const paths = numbers.flatMap((number, index) => (isKept(number) ? [] : [`args.ids[${index}]`]));
        lost += paths.length;
        expect(problems.map(({ path }) => path)).to.deep.equal(paths);
        expect(value).to.deep.equal(JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
    expect(lost).to.be.above(100);
  });

  it('P3: names the number that would be another, and what to do, and does not quote it', () => {
    const found = (text: string): string[] => {
      return readJsonText(text, 'args').problems.map(({ path, message }) => `${path}: ${message}`);
    };
    const rounded = 'is a whole number beyond 2^53 that would be rounded; write it as a text';
    const zero = 'is so small a number that it would become 0; write it as a text';
    expect(found('{"account":9007199254740993}')).to.deep.equal([`args.account: ${rounded}`]);
    expect(found('{"a":[1,{"b":[[],-12345678901234567891.0]}],"c":1e-400}')).to.deep.equal([
      `args.a[1].b[1]: ${rounded}`,
      `args.c: ${zero}`,
    ]);
    expect(found('1e400')).to.deep.equal([`args: ${rounded}`]);
    expect(found('{"9007199254740993":"9007199254740993","a":9007199254740992}')).to.deep.equal([]);
  });

  it('is refused with what is wrong, not with what it says', () => {
    const reason = (text: string): string | undefined => readJsonText(text, 'args').problems[0]?.message;
    expect(reason('')).to.equal('is not valid JSON: Unexpected end of JSON input');
    expect(reason('{"secret":secret}')).to.equal("is not valid JSON: Unexpected token 's'");
    expect(reason('{"a":1,}')).to.match(/^is not valid JSON: Expected double-quoted property name/);
    expect(reason(`${'x'.repeat(50)}"secret"`)).to.equal("is not valid JSON: Unexpected token 'x'");
    expect(readJsonText('nope', 'args')).not.to.have.property('value');
  });

  it('is read at any depth and length', () => {
    const depth = 100_000;
    expect(repeated('['.repeat(depth) + ']'.repeat(depth))).to.deep.equal([]);
    expect(repeated(`{"a":"${'\\"x'.repeat(1_000_000)}","b":1}`)).to.deep.equal([]);
    const lost = Array.from({ length: 20_000 }, () => '9007199254740993').join();
    expect(repeated(`${'['.repeat(depth)}${lost}${']'.repeat(depth)}`)).to.have.length(20_000);
    expect(repeated(`[${'9'.repeat(1_000_000)}]`)).to.have.length(1);
  });
});

describe('the JSON text of arguments', () => {
  it('P3: is refused if it has a number that would be judged, shown and run as another', async () => {
    class Transfer {
      @IsInt() account!: number;
    }
    const input = defineInput(Transfer);
    const lost = await problemsWith('{"account": 9007199254740993}', input);
    expect(lost).to.deep.equal([
      'args.account: is a whole number beyond 2^53 that would be rounded; write it as a text',
    ]);
    expect(await problemsWith('{"account": 1e400}', input)).to.have.length(1);
    const checked = await validateArguments(input, '{"account":1e-400}');
    expect(checked).to.have.nested.property('problems[0]').with.all.keys('path', 'message');
    expect(accepted(await validateArguments(input, '{"account": 9007199254740992}'))).to.deep.equal({
      account: 2 ** 53,
    });
  });
});
