import { expect } from 'chai';
import { crashSuite, type CheckScenario } from 'holdpoint/testkit';
import { paymentsIn } from '../../examples/01-refund/refund.scenario.js';

const MODULE = new URL('../../examples/01-refund/refund.scenario.js', import.meta.url);

/** Whatever died, the card was charged once, and the run says with which charge. */
const chargedOnce: CheckScenario = ({ run }, dir) => {
  const charges = paymentsIn(dir).all();
  expect(charges).to.have.length(1);
  expect(run).to.deep.include({ status: 'COMPLETED', result: { order: 'A-8891', charge: charges[0]?.charge } });
};

crashSuite(
  'I2, I6, I8: a refund agent whose tool cannot look',
  { module: MODULE, name: 'blind' },
  {
    ways: ['park', 'kill'],
    check: chargedOnce,
  },
);

crashSuite(
  'I2, I4, I8: a refund agent whose tool can look',
  { module: MODULE, name: 'reconciled' },
  { check: chargedOnce },
);
