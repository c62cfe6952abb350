import { expect } from 'chai';
import fc from 'fast-check';
import { readJsonText } from '../../../core/definition/json-text.js';

const repeated = (text: string): string[] => readJsonText(text, 'args').problems.map(({ path }) => path);

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
  });
});
