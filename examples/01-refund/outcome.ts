import type { Client } from 'holdpoint';
import { showAuditTrail } from './audit-table.js';
import { count, type Screen } from './screen.js';
import type { Shop } from './shop.js';

/** What the run came to, what the ledger holds, and every event that led there. */
export async function showOutcome(shop: Shop, client: Client, screen: Screen, remark: string): Promise<void> {
  const run = await client.runs.get(shop.runId);
  const { ok, events, fault } = await client.verify({ runId: run.id });
  if (!ok) throw new Error(`the audit trail was changed: ${fault?.message} (${fault?.where})`);
  screen.facts([
    ['the run', `${run.status}, ${run.reason}`],
    ...(run.status === 'COMPLETED' ? [['its result', JSON.stringify(run.result)] as const] : []),
    ['the ledger', count(await shop.payments.count(), 'charge')],
    ['its audit trail', `${events} events, hash chain verified`],
  ]);
  screen.say(remark);
  showAuditTrail(screen, await client.runs.events(run.id));
}
