/** A process that opens a store when it is told to, together with others, and executes one run in it. */
import { Runtime } from 'holdpoint';
import { scripted } from '../../support/agents.js';

const [, , file = '', id = ''] = process.argv;

process.once('message', () => {
  void openAndRun().then((answer) => process.send?.(answer, () => process.disconnect()));
});
process.send?.('ready');

async function openAndRun(): Promise<string> {
  try {
    await using runtime = await Runtime.open({ store: file, agents: [scripted('opener', [], [{ kind: 'complete' }])] });
    return (await runtime.start('opener', { goal: 'open', id })).status;
  } catch (error) {
    return String(error);
  }
}
