import assert from 'node:assert/strict';
import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson, MAX_DEPTH, storedJson } from '../../../core/model/canonical-json.js';
import { partialJson } from '../../../core/model/partial-json.js';
import { anyJson, anythingStrange, asJson, nested, Point, refusal, strange, throwing, unreadable } from './values.js';

const MEMBER = /^(?:\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/;

/** The keys that a path under `value` names. */
function keysOf(path: string): string[] {
  const keys: string[] = [];
  let rest = path.slice('value'.length);
  while (rest !== '') {
    const [text = '', name, index, quoted] = MEMBER.exec(rest) ?? expect.fail(`${path} is no path at ${rest}`);
    keys.push(name ?? index ?? (JSON.parse(quoted ?? '""') as string));
    rest = rest.slice(text.length);
  }
  return keys;
}

/** Whether JSON cannot hold what a path leads to: the value there, or the key that it is under. */
function isRefusedAt(value: unknown, path: string): boolean {
  const keys = keysOf(path);
  const last = keys.pop();
  let holder: unknown = value;
  for (const key of keys) holder = (holder as Record<string, unknown>)[key];
  if (last === undefined) return isRefused(value);
  const property = Object.getOwnPropertyDescriptor(holder, last);
  if (Array.isArray(holder)) return isRefused(property && 'value' in property ? [property.value] : [undefined]);
  return isRefused(Object.defineProperty({}, last, property ?? {}));
}

function isRefused(value: unknown): boolean {
  try {
    canonicalJson(value);
    return false;
  } catch {
    return true;
  }
}

describe('the part of a value that is JSON', () => {
  it('F17: is the whole value if all of it is JSON', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        assert.deepStrictEqual(partialJson(value, 'value'), { partial: asJson(value), omitted: [] });
      }),
    );
  });

  it('F17: is JSON whatever the value is, and never throws', () => {
    fc.assert(
      fc.property(anythingStrange, (given) => {
        for (const one of [given.value, strange(given)]) storedJson({ observation: partialJson(one, 'value') });
      }),
      { numRuns: 1000 },
    );
  });

  it('F17: lists what it leaves out, and nothing else', () => {
    fc.assert(
      fc.property(anythingStrange, (given) => {
        const list = strange(given);
        const { omitted } = partialJson(list, 'value');
        expect(omitted.length > 0).to.equal(isRefused(list));
        for (const { path } of omitted) expect(isRefusedAt(list, path), path).to.be.true;
      }),
      { numRuns: 1000 },
    );
  });

  it('F17: lists the place for which the whole was refused', () => {
    fc.assert(
      fc.property(anythingStrange, ({ value }) => {
        const refused = refusal(() => canonicalJson(value, 'value'));
        if (refused) expect(partialJson(value, 'value').omitted.map(({ path }) => path)).to.include(refused.path);
      }),
      { numRuns: 1000 },
    );
  });

  it('F17: leaves out a member, writes null for an item, and says why', () => {
    const value = { id: 'ch_1', at: new Date(0), lines: [1, NaN, { point: new Point(1, 2) }], note: undefined };
    expect(partialJson(value, 'result')).to.deep.equal({
      partial: { id: 'ch_1', lines: [1, null, {}] },
      omitted: [
        { path: 'result.at', message: 'a Date is not plain JSON; use a plain object or a string' },
        { path: 'result.lines[1]', message: 'NaN is not JSON; use null or a string' },
        { path: 'result.lines[2].point', message: 'a Point is not plain JSON; use a plain object or a string' },
      ],
    });
  });

  it('F17: keeps what is around a cycle, an accessor, a __proto__ key, a symbol key and an unreadable object', () => {
    const value: Record<string, unknown> = { kept: 1, getter: throwing('x'), proxy: unreadable() };
    value.self = value;
    value.symbol = { [Symbol('key')]: 1, kept: 2 };
    value.proto = JSON.parse('{"__proto__":1,"kept":3}');
    value.named = Object.assign([4], { name: 5 });
    expect(partialJson(value, 'result')).to.deep.equal({
      partial: { kept: 1, getter: {}, symbol: { kept: 2 }, proto: { kept: 3 }, named: [4] },
      omitted: [
        { path: 'result.getter.x', message: 'an accessor is not JSON' },
        { path: 'result.proxy', message: 'it cannot be read' },
        { path: 'result.self', message: 'a cycle is not JSON' },
        { path: 'result.symbol', message: 'a symbol key is not JSON' },
        { path: 'result.proto.__proto__', message: 'the key __proto__ is refused' },
        { path: 'result.named', message: 'an array with properties of its own is not JSON' },
      ],
    });
  });

  it('F17: is null if nothing can be kept', () => {
    expect(partialJson(new Map(), 'result').partial).to.be.null;
    expect(partialJson(undefined, 'result').omitted).to.deep.equal([
      { path: 'result', message: 'undefined is not JSON' },
    ]);
  });

  it('F17: ends where a value would be nested too deeply to be stored', () => {
    for (const depth of [MAX_DEPTH + 1, 20_000]) {
      const { partial, omitted } = partialJson(nested(depth), 'value');
      expect(refusal(() => canonicalJson(partial))).to.be.null;
      expect(omitted).to.deep.equal([
        { path: `value${'[0]'.repeat(MAX_DEPTH)}`, message: 'nested deeper than 256 levels' },
      ]);
    }
  });

  it('F17: does not write out the holes of a huge array', () => {
    expect(partialJson({ list: new Array(4_000_000_000), kept: 1 }, 'result')).to.deep.equal({
      partial: { kept: 1 },
      omitted: [{ path: 'result.list', message: 'an array with holes is not JSON' }],
    });
  });

  it('F17: lists a hundred places at most', () => {
    expect(partialJson(new Array(500).fill(NaN), 'result').omitted).to.have.length(100);
  });
});
