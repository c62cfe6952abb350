/** The second act: the tool itself can say whether the card was charged. */
import { enter, killInTheMiddle, resumeTooEarly, takeOver } from './crash.js';
import { showOutcome } from './outcome.js';
import type { Screen } from './screen.js';
import { Shop } from './shop.js';
import type { Stage } from './stage.js';

export async function reconciledAct(stage: Stage, screen: Screen): Promise<void> {
  const shop = await Shop.open(stage, 'reconciled', true);
  screen.scene('The same kill, with a tool that can look');
  screen.say(
    'Another shop, another ledger, the same crash. This time charge_card has a @Reconcile method, which looks for a ' +
      'charge that carries the operation id of the interrupted call.',
  );
  const agents = await enter(shop);
  await using client = await shop.client();
  await killInTheMiddle(agents, shop, screen);
  await resumeTooEarly(agents, screen);
  await takeOver(agents);
  screen.say('Once that lease had expired, agent-2 took the run over, asked the method, and went on:');
  await showOutcome(
    shop,
    client,
    screen,
    'The card was charged once, and nobody was asked: the method found the charge, and its result was recorded as recovered.',
  );
  await shop.service.stop();
}
