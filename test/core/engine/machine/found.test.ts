import { expect } from 'chai';
import * as acts from './acts.js';
import type { Command } from './acts.js';
import type { Config } from './model/record.js';
import { emptyStore, play } from './play.js';
import type { Call, ToolName } from './vocabulary.js';

/** What random commands have found, kept: the shortest commands that showed it. */

const config: Config = {
  created: false,
  agentReconciles: false,
  approvalTtlMs: null,
  grantTtlMs: null,
  limits: { maxSteps: 50, maxFailures: 3, maxRepeats: 3, maxActiveMs: null, maxElapsedMs: null },
};

const newest = false;

function call(tool: ToolName): Command {
  return acts.say('agent', { tool, x: 1, as: 'object' } satisfies Call, newest, null);
}

function policy(verdict: 'allow' | 'ask'): Command {
  return acts.say('policy', verdict, newest, null);
}

const resume = acts.resume(false, 'same', null);

describe('the step machine, where random commands once failed', () => {
  it('A3: shows an agent that the grant of an earlier step was spent', async () => {
    await playAll([
      call('charge'),
      policy('ask'),
      acts.decide('approve', 'right'),
      resume,
      policy('allow'),
      acts.say('tool', 'error', newest, null),
    ]);
  });

  it('I9: records a late outcome on the step that was called, whichever step the loop is at', async () => {
    await playAll([call('stare'), policy('allow'), acts.unstick('one')]);
  });

  it('I9: records the late outcome of a first call although a second was made', async () => {
    await playAll([
      call('wait_long'),
      policy('allow'),
      policy('allow'),
      acts.decide('approve', 'right'),
      resume,
      policy('allow'),
      acts.unstick('one'),
    ]);
  });
});

/** Every command must apply: one that is skipped proves nothing. */
async function playAll(commands: readonly Command[]): Promise<void> {
  const { done } = await play(config, commands, await emptyStore());
  expect(done).to.deep.equal(commands.map(String));
}
