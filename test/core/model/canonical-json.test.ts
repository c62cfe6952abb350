import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson, MAX_DEPTH, storedJson } from '../../../core/model/canonical-json.js';
import { isPlainArray, isPlainObject } from '../../../core/model/json.js';
import { anyJson, anythingStrange, asJson, nested, Point, refusal, strange, throwing } from './values.js';

/** The same value, with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (isPlainArray(value)) return value.map(reversed);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value.inner = [value];
  return value;
}

class List extends Array<number> {}

const hole = Object.assign([1, 2, 3], { length: 5 });
const symbolItem = Object.assign([1], { [Symbol('key')]: 1 });
const gettingItem = Object.defineProperty([1], 0, { get: () => 1, enumerable: true });

/** What JSON cannot hold: its path under `value`, and what the message says of it. */
const REFUSED: readonly (readonly [title: string, value: unknown, path: string, says: RegExp])[] = [
  ['undefined', undefined, 'value', /undefined/],
  ['undefined in an array', { list: [1, undefined] }, 'value.list[1]', /undefined in an array/],
  ['a hole in an array', [hole], 'value[0][3]', /undefined in an array/],
  ['an array with a name', [Object.assign([1], { name: 2 })], 'value[0]', /properties of its own/],
  ['an array with a symbol key', [symbolItem], 'value[0]', /symbol key/],
  ['an array with an accessor', [gettingItem], 'value[0][0]', /accessor/],
  ['an array of a class of its own', { list: new List(1, 2) }, 'value.list', /a List is not plain/],
  ['NaN', { a: NaN }, 'value.a', /NaN/],
  ['Infinity', [Infinity], 'value[0]', /Infinity/],
  ['-Infinity', [-Infinity], 'value[0]', /-Infinity/],
  ['a BigInt', { a: { b: 1n } }, 'value.a.b', /BigInt/],
  ['a function', { f: () => 1 }, 'value.f', /function/],
  ['a symbol', [Symbol('s')], 'value[0]', /symbol/],
  ['a Date', { at: new Date(0) }, 'value.at', /a Date is not plain/],
  ['a Map', { m: new Map() }, 'value.m', /a Map is not plain/],
  ['a Set', new Set(), 'value', /a Set is not plain/],
  ['a Buffer', { b: Buffer.from('x') }, 'value.b', /a Buffer is not plain/],
  ['a boxed string', [new String('x')], 'value[0]', /a String is not plain/],
  ['an Error', new Error('x'), 'value', /an? Error is not plain/],
  ['an instance of a class', { 'a b': new Point(1, 2) }, 'value["a b"]', /a Point is not plain/],
  ['an object whose class has no name', Object.create({ constructor: null }), 'value', /unknown class/],
  ['an object behind another', Object.create({ a: 1 }), 'value', /is not plain/],
  ['a cycle', cyclic(), 'value.inner[0]', /cycle/],
  ['a lone surrogate', { s: 'a\ud800' }, 'value.s', /lone surrogate/],
  ['a lone low surrogate', ['\udc00b'], 'value[0]', /lone surrogate/],
  ['a lone surrogate in a key', { a: { '\ud83d': 1 } }, 'value.a["\\ud83d"]', /lone surrogate/],
  ['a __proto__ key', JSON.parse('{"a":{"__proto__":{"b":1}}}'), 'value.a.__proto__', /__proto__/],
  [
    'an accessor',
    {
      a: {
        get b() {
          return 1;
        },
      },
    },
    'value.a.b',
    /accessor/,
  ],
  ['an accessor that throws', { a: throwing('b') }, 'value.a.b', /accessor/],
  ['a symbol key', { a: { [Symbol('key')]: 1 } }, 'value.a', /symbol key/],
  ['one level too many', nested(MAX_DEPTH + 1), `value${'[0]'.repeat(MAX_DEPTH)}`, /deeper than 256/],
];

describe('canonical JSON', () => {
  it('A1: is that of RFC 8785, as another implementation of it has it', () => {
    fc.assert(fc.property(anyJson, (value) => assert.equal(canonicalJson(value), canonicalize(value))));
  });

  it('S8: decodes to the value that was encoded', () => {
    fc.assert(fc.property(anyJson, (value) => assert.deepStrictEqual(JSON.parse(canonicalJson(value)), asJson(value))));
  });

  it('S8: encodes what decodes to its equal, and refuses everything else', () => {
    fc.assert(
      fc.property(anythingStrange, (given) => {
        for (const one of [given.value, strange(given)]) {
          const text = encoded(one);
          if (text !== null)
            assert.deepStrictEqual(withoutPrototypes(JSON.parse(text)), withoutPrototypes(asJson(one)));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('A1: does not depend on the order in which keys were written', () => {
    fc.assert(fc.property(anyJson, (value) => assert.equal(canonicalJson(reversed(value)), canonicalJson(value))));
  });

  it('A1: sorts keys by UTF-16 code unit, not by code point', () => {
    expect(canonicalJson({ '\ufb33': 1, '\u{1f600}': 2, é: 3, a: 4 })).to.equal(
      '{"a":4,"é":3,"\u{1f600}":2,"\ufb33":1}',
    );
  });

  it('S8: takes an undefined member for an absent one, and -0 for 0', () => {
    expect(canonicalJson({ a: undefined, b: -0 })).to.equal('{"b":0}');
  });

  it('S8: writes a value that is reached twice out twice', () => {
    const shared = { a: [1] };
    expect(canonicalJson([shared, shared, shared.a])).to.equal('[{"a":[1]},{"a":[1]},[1]]');
  });

  it('S8: takes an object without a prototype for a plain one', () => {
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).to.equal('{"a":1}');
  });

  it('S8: takes 256 levels', () => {
    expect(canonicalJson(nested(MAX_DEPTH))).to.equal(`${'['.repeat(MAX_DEPTH)}null${']'.repeat(MAX_DEPTH)}`);
  });

  it('S8: stores what it took, inside the records that hold it', () => {
    const record = { observation: { result: nested(MAX_DEPTH) } };
    expect(refusal(() => canonicalJson(record))?.found).to.match(/deeper than 256/);
    expect(JSON.parse(storedJson(record))).to.deep.equal(record);
  });

  it('S8: does not run out of stack at 20,000 levels', () => {
    expect(refusal(() => canonicalJson(nested(20_000)))?.found).to.match(/deeper than 256/);
    expect(refusal(() => storedJson(nested(20_000)))?.found).to.match(/deeper than/);
  });

  for (const [title, value, path, says] of REFUSED) {
    it(`S8, F17: refuses ${title}, and says where`, () => {
      const error = refusal(() => canonicalJson(value));
      expect(error?.path).to.equal(path);
      expect(error?.found).to.match(says);
      expect(error?.message).to.equal(`${path}: ${error?.found ?? ''}`);
    });
  }

  it('names the value as its caller does', () => {
    expect(refusal(() => canonicalJson({ price: NaN }, 'result'))?.path).to.equal('result.price');
  });
});

/** The canonical JSON; null if the value cannot be read or is refused. */
function encoded(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}

/** A prototype of null is that of a plain object too, but not to a strict comparison. */
function withoutPrototypes(value: unknown): unknown {
  if (isPlainArray(value)) return value.map(withoutPrototypes);
  if (!isPlainObject(value)) return value;
  return Object.entries(value)
    .map(([key, member]) => [key, withoutPrototypes(member)])
    .sort();
}
