import { expect } from 'chai';
import { closest, suggestion } from '../../../core/definition/closest.js';

const KNOWN = ['order', 'amountCents', 'note', 'timeoutMs'];

describe('a name that is not known', () => {
  it('is taken for the closest one, whatever its case and punctuation', () => {
    expect(closest('amount_cents', KNOWN)).to.equal('amountCents');
    expect(closest('AmountCent', KNOWN)).to.equal('amountCents');
    expect(closest('oder', KNOWN)).to.equal('order');
    expect(closest('timeout', KNOWN)).to.equal('timeoutMs');
    expect(closest('amount', KNOWN)).to.equal('amountCents');
    expect(closest('orderNumber', KNOWN)).to.equal('order');
    expect(closest('amountCents', ['amount', 'amount_cents'])).to.equal('amount_cents');
  });

  it('may differ in a third of its letters, each added, left out or replaced', () => {
    for (const meant of ['kitchen', 'xkitchen', 'kitchn', 'kitxhen', 'kxtxhen', 'ktchenn']) {
      expect(closest(meant, ['kitchen']), meant).to.equal('kitchen');
    }
    for (const other of ['kxxxhen', 'itche', 'xxkitchenxx']) expect(closest(other, ['kitchen']), other).to.equal(null);
    expect(closest('abd', ['abc'])).to.equal('abc');
    expect(closest('ab', ['abc'])).to.equal(null);
    expect(closest('note', ['nope', 'nose'])).to.equal('nope');
    expect(closest('note', ['nxxe', 'nose'])).to.equal('nose');
  });

  it('is taken for none if none is close', () => {
    for (const name of ['colour', 'x', '', 'no', 'price', '\ud800']) expect(closest(name, KNOWN)).to.equal(null);
    expect(closest('order', [])).to.equal(null);
    expect(closest('order', ['$', '_'])).to.equal(null);
  });

  it('costs no more for being long', () => {
    expect(closest('colour'.repeat(1_000_000), KNOWN)).to.equal(null);
  });

  it('is answered with a question, or with nothing', () => {
    expect(suggestion('oder', KNOWN)).to.equal('; did you mean order?');
    expect(suggestion('colour', KNOWN)).to.equal('');
  });
});
