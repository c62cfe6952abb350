import { expect } from 'chai';
import { join } from 'node:path';
import { crashSuite } from 'holdpoint/testkit';
import { blind } from '../../../examples/01-refund/refund.scenario.js';
import { holdpointHere } from '../../support/cli.js';

/** The stores that a crash suite leaves, at each point at which the process may die, as an operator finds them. */
crashSuite('S11: what the command line says of a run whose process died', blind, {
  pairs: false,
  check: async ({ run, steps, approvals, events }, dir) => {
    const store = join(dir, '..', 'runs.db');
    const said = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await holdpointHere(args, { store });
      expect({ code, err }, args.join(' ')).to.deep.equal({ code: 0, err: '' });
      return out;
    };
    expect(await said('runs')).to.contain(run.status);
    expect(await said('show', run.id)).to.contain(`\n${steps.length} `);
    expect((await said('events', run.id)).trimEnd().split('\n')).to.have.length(events.length);
    expect(JSON.parse(await said('approvals', '--all', '--json'))).to.have.nested.property(
      'approvals.length',
      approvals.length,
    );
    expect(await said('verify')).to.equal(`The record holds: 1 run, ${events.length} events.\n`);
    expect(await said('doctor')).not.to.contain('problem');
  },
});
