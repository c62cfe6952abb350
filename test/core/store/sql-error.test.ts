import { expect } from 'chai';
import { StoreError } from '../../../core/errors.js';
import { storeError } from '../../../core/store/sql-error.js';

describe('a database error', () => {
  for (const message of [
    'Could not locate the bindings file. Tried: …',
    'The module was compiled against a different Node.js version using NODE_MODULE_VERSION 115',
  ]) {
    it(`says what to run where the native module is missing: ${message.slice(0, 24)}`, () => {
      const error = storeError(new Error(message), 'open runs.db');
      expect(error).to.be.instanceOf(StoreError);
      expect(error.message).to.match(/cannot open runs\.db.*npm rebuild better-sqlite3/s);
    });
  }

  it('leaves an error that is not the database’s as it is', () => {
    const error = new RangeError('mine');
    expect(storeError(error, 'write')).to.equal(error);
  });
});
