import type { Approval, Client, Json } from 'holdpoint';
import type { Answer } from './args.js';
import { money } from './payments.js';
import type { Screen } from './screen.js';
import type { Shop } from './shop.js';

/** Who decides, as the record names them. */
const BY = 'dana';

/** What the person has at hand. */
export interface Desk {
  readonly shop: Shop;
  readonly client: Client;
  readonly screen: Screen;
}

/** Records the person's answer. None of the three calls the tool: that is for the next resume, if it was approved. */
export async function answer(given: Answer, approval: Approval, desk: Desk): Promise<void> {
  const { client, screen } = desk;
  const { id, hash } = approval;
  switch (given) {
    case 'approve':
      screen.say(
        'The person approves: the same call is to run once more, knowing that the first may have taken effect.',
      );
      await client.approvals.approve(id, { hash, by: BY, note: 'I accept a second charge' });
      return;
    case 'settle':
      screen.say(
        'The person looks into the ledger for a charge with this operation as its reference, and enters what it says:',
      );
      await client.approvals.settle(id, {
        hash,
        by: BY,
        note: 'as the ledger says',
        result: await found(approval, desk),
      });
      return;
    case 'reject':
      screen.say('The person rejects: the run ends here. What the ledger holds is for people to sort out.');
      await client.approvals.reject(id, { hash, by: BY, note: 'I take it from here' });
  }
}

/** What the person finds in the ledger. A settled call has a result of the shape that the tool returns. */
async function found(approval: Approval, { shop, client, screen }: Desk): Promise<Json> {
  const step = (await client.runs.steps(approval.runId)).find(({ id }) => id === approval.stepId);
  const [charge] = await shop.payments.chargesOf(step?.operationId ?? '');
  if (!charge) throw new Error('the ledger holds no such charge, so there is nothing to settle');
  screen.facts([
    ['charge', charge.charge],
    ['amount', money(charge.amountCents)],
    ['reference', charge.reference],
  ]);
  return charge;
}
