import { expect } from 'chai';
import { crashSuite, CrashPoint, runScenario, type ScenarioResult } from 'holdpoint/testkit';
import { scenario } from '../../examples/02-publish/publish.scenario.js';
import { World } from '../../examples/02-publish/world.js';

const MODULE = { module: new URL('../../examples/02-publish/publish.scenario.js', import.meta.url) };

/** The outside world after a run: published, and nothing of it twice. */
async function published({ run, calls, approvals }: ScenarioResult, dir: string): Promise<void> {
  const world = await World.at(dir);
  const { branch, commit } = await world.release();
  const { commit: stands, changeRequests } = await world.look();
  expect(run.status).to.equal('COMPLETED');
  expect(run.result).to.deep.equal({ branch, commit, changeRequest: 1 });
  expect(stands).to.equal(commit);
  expect(changeRequests).to.have.length(1);
  const operations = calls.map(({ operationId }) => operationId);
  expect(changeRequests[0]!.body).to.be.oneOf(operations.map((id) => `Holdpoint-Operation: ${id}`));
  expect(approvals).to.deep.equal([]);
  // Nobody has approved a re-run, so each operation was called once.
  expect(new Set(operations)).to.have.property('size', operations.length);
}

crashSuite('I2, I4, I10, L7: publishing to git and a forge', MODULE, { ways: ['park', 'kill'], check: published });

void [CrashPoint, runScenario, scenario];
