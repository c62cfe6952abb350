import { expect } from 'chai';
import { crashSuite } from '../../../sdk/testkit/index.js';
import { approved } from './mailer.scenario.js';

crashSuite('I1–I8, L7, A3: an approved remote call', approved, {
  check: ({ calls, run }) => {
    expect(run.status).to.equal('COMPLETED');
    expect(calls.length).to.be.at.most(1);
  },
});
