import { expect } from 'chai';
import fc from 'fast-check';
import { bounded, cutJson, cutText } from '../../../core/model/bounded.js';
import type { Json } from '../../../core/model/json.js';

/** What a mark adds to what is kept. */
const MARK = 60;
const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

describe('a record that is read to be shown', () => {
  it('is the same, member by member, where it is short enough', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(cutJson(value, 1_000_000)).to.equal(value);
        expect(bounded({ id: 'a', value }, 1_000_000)).to.deep.equal({ id: 'a', value });
      }),
    );
  });

  it('has no text longer than the bound and a mark, which says how long it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 10, maxLength: 300 }),
        fc.integer({ min: 0, max: 9 }),
        (text, max) => {
          const cut = cutText(text, max);
          expect(cut).to.match(/… \[cut: \d+ characters\]$/u);
          expect(cut).to.contain(`${text.length} characters`);
          expect(text.startsWith(cut.slice(0, cut.lastIndexOf('…')))).to.be.true;
          expect(cut.lastIndexOf('…')).to.be.at.most(max);
        },
      ),
    );
  });

  it('never holds half a character', () => {
    expect(cutText('a😀b', 2)).to.equal('a… [cut: 4 characters]');
  });

  it('has JSON of about the bound at most, whatever it holds', () => {
    const large = fc.oneof(
      json,
      fc.array(fc.integer(), { minLength: 500, maxLength: 2_000 }),
      fc.dictionary(fc.string({ minLength: 1, maxLength: 40 }), fc.string({ maxLength: 500 }), { minKeys: 100 }),
      fc.array(fc.string({ minLength: 400 }), { minLength: 20 }),
    ) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(large, fc.integer({ min: 64, max: 2_000 }), (value, max) => {
        const cut = JSON.stringify(cutJson(value, max));
        // Each of the most members that fit may carry a mark of its own.
        expect(cut.length).to.be.at.most(max + (Math.floor(max / 16) + 1) * (MARK + 20));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps what is small whole beside what is huge', () => {
    const request = { args: { body: 'x'.repeat(100_000), to: 'ann' }, runId: 'r-1', tool: { name: 'send' } };
    const { body, ...small } = (cutJson(request, 1_000) as typeof request).args;
    expect(small).to.deep.equal({ to: 'ann' });
    expect(body).to.match(/^x{500,1000}… \[cut: 100000 characters\]$/);
    expect(cutJson(request, 1_000)).to.deep.include({ runId: 'r-1', tool: { name: 'send' } });
  });

  it('says how many items and members are not shown', () => {
    const items = Array.from({ length: 1_000 }, (_, at) => at);
    expect((cutJson(items, 160) as Json[]).at(-1)).to.equal('… [cut: 990 more of 1000 items]');
    const members = Object.fromEntries(items.map((at) => [`m${at}`, at]));
    expect(cutJson(members, 160)).to.include({ '…': '[cut: 990 more of 1000 members]' });
    expect(cutJson({ ['k'.repeat(5_000)]: 1, a: 1 }, 160)).to.deep.equal({ a: 1, '…': '[cut: 1 more of 2 members]' });
  });

  it('S9: is shown however deep somebody has nested it', () => {
    const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as Json;
    expect(JSON.stringify(cutJson(deep, 1_000))).to.contain('nested too deeply');
  });

  it('F13: is looked at no further than it is shown, however much there is', () => {
    let looks = 0;
    const items = new Proxy(
      Array.from({ length: 500_000 }, () => []),
      {
        get: (target, key, receiver) => {
          looks += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
      },
    );
    expect((cutJson(items, 1_600) as Json[]).at(-1)).to.equal('… [cut: 499900 more of 500000 items]');
    expect(looks).to.be.below(1_000);
  });

  it('S9: names bytes by their number', () => {
    expect(bounded({ goal: new Uint8Array(1_000) as unknown as string }, 100).goal).to.equal(
      '[1000 bytes that are not text]',
    );
  });

  it('names the members of which something was cut', () => {
    const long = 'x'.repeat(200);
    expect(bounded({ id: 'a', goal: long, result: [long], lease: null, seq: 7 }, 100).cut).to.deep.equal([
      'goal',
      'result',
    ]);
  });
});
