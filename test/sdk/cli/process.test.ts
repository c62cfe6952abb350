import { expect } from 'chai';
import { holdpoint, holdpointHere } from '../../support/cli.js';
import { stores, type Stores } from './stores.js';

/** Most tests of the command line run it in their own process: these show that the real one does the same. */
describe('the command line as a process', () => {
  let given: Stores;
  before(async () => {
    given = await stores();
  });
  after(() => given.world.close());

  const COMMANDS = [
    'runs',
    'runs --json',
    'runs export done',
    'runs --help',
    'show crashed',
    'show nobody',
    'events done',
    'approvals',
    'verify',
    'doctor',
    'frobnicate',
    'cancel asks',
  ];
  for (const command of COMMANDS) {
    it(`says what it says in this one, and ends with the same code: ${command}`, async () => {
      const args = command.split(' ');
      const store = given.file;
      expect(await holdpoint(args, { store })).to.deep.equal(await holdpointHere(args, { store }));
    });
  }
});
