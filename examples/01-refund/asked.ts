/** The first act: nobody but a person can say whether the card was charged. */
import type { Answer } from './args.js';
import { answer } from './answer.js';
import { enter, killInTheMiddle, resumeTooEarly, showBothSides, takeOver } from './crash.js';
import { showOutcome } from './outcome.js';
import { ask, showAnswers, showQuestion } from './person.js';
import type { Screen } from './screen.js';
import { Shop } from './shop.js';
import type { Stage } from './stage.js';

const REMARKS: Readonly<Record<Answer, string>> = {
  approve: 'The card was charged twice. No process did that on its own: a person chose it, and the record says who.',
  settle: 'The card was charged once. The agent was handed the result that the person entered, and finished its work.',
  reject: 'The card was charged once, and the agent will not touch it again.',
};

/** @param given the answer from the command line; null to ask for one */
export async function askedAct(stage: Stage, screen: Screen, given: Answer | null): Promise<void> {
  const shop = await Shop.open(stage, 'asked', false);
  screen.scene('A refund agent gets killed in the middle of charging a card');
  const agents = await enter(shop);
  await using client = await shop.client();
  await killInTheMiddle(agents, shop, screen);
  await showBothSides(shop, client, screen);

  screen.scene('A restart, refused while the lease lives');
  await resumeTooEarly(agents, screen);
  screen.say(
    'A dead process looks like a slow one. Until its lease expires, agent-1 could still be at work, so nobody else ' +
      'may be. agent-2 waits for that moment and resumes again.',
  );
  await takeOver(agents);

  screen.scene('A person is asked');
  const { status } = await client.runs.get(shop.runId);
  const [approval] = await client.approvals.list({ runId: shop.runId, status: 'pending' });
  if (!approval) throw new Error(`the run is ${status} and asks nobody`);
  screen.say(
    'agent-2 took the run over. The card may have been charged or not, and charge_card has no way to tell. So the ' +
      `call is neither repeated nor forgotten: the run is ${status}, agent-2 has ended, and a person is asked:`,
  );
  showQuestion(screen, approval);
  screen.say('There are three answers:');
  showAnswers(screen);
  const chosen = given ?? (await choose(screen));

  screen.scene(`The answer: ${chosen}`);
  await answer(chosen, approval, { shop, client, screen });
  if (chosen !== 'reject') await goOn(shop, screen);
  await showOutcome(shop, client, screen, REMARKS[chosen]);
  await shop.service.stop();
}

/** The end of input is never a yes to running a call again. */
async function choose(screen: Screen): Promise<Answer> {
  const chosen = process.stdin.isTTY ? await ask(process.stdin, process.stdout) : null;
  if (chosen === null) screen.say('Nobody answers here, so the demo takes settle, which repeats nothing.');
  return chosen ?? 'settle';
}

async function goOn(shop: Shop, screen: Screen): Promise<void> {
  const third = shop.agent('agent-3');
  await third.next('ready');
  third.send('resume');
  await third.next('stopped');
  await third.stop();
  screen.say('agent-3, a fresh process, resumed the run:');
}
