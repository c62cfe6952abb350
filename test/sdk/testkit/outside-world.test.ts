import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complete } from 'holdpoint';
import { runScenario, scriptedAgent, type MakeScenario } from '../../../sdk/testkit/index.js';

describe('the check of a scenario', () => {
  const agent = scriptedAgent([complete()]);
  const scenario: MakeScenario = (dir) => {
    writeFileSync(join(dir, 'ledger.txt'), 'one charge');
    return { agents: [agent], agent, goal: 'nothing' };
  };

  it('sees what the outside world holds, and only then is the folder removed', async () => {
    const seen: string[] = [];
    let folder = '';
    const { run } = await runScenario(scenario, [], {
      check: (result, dir) => {
        folder = dir;
        seen.push(result.run.status, readFileSync(join(dir, 'ledger.txt'), 'utf8'));
      },
    });
    expect(seen).to.deep.equal([run.status, 'one charge']);
    expect(existsSync(folder)).to.be.false;
  });
});
