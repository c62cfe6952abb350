/** The agent as the crash suite of `holdpoint/testkit` runs it: the outside world is one file. */
import { join } from 'node:path';
import type { Approval, Json } from 'holdpoint';
import type { Answer, Scenario } from 'holdpoint/testkit';
import type { Case } from './accounts.js';
import { CaseworkAgent } from './casework-agent.js';
import { caseworkPolicy } from './casework-policy.js';
import { FileAccounts } from './file-accounts.js';
import { provideWith } from './provide.js';

export const MOVED: Case = {
  case: 'C-1',
  account: 'A-1',
  address: '4 Mill Lane, York',
  text: 'I have moved, this is my new address: 12 Harbour Road, Hull',
};

export function applicationIn(dir: string): FileAccounts {
  return new FileAccounts(join(dir, 'application.db'));
}

/** Made once in each process of a scenario, so only the first one finds no case. */
export function scenario(dir: string): Scenario {
  const accounts = applicationIn(dir);
  accounts.with((application) => {
    if (!application.case(MOVED.case)) application.add(MOVED);
  });
  return {
    agents: [CaseworkAgent],
    agent: CaseworkAgent,
    goal: `work on case ${MOVED.case}`,
    provide: provideWith(accounts),
    policy: caseworkPolicy,
    grantTtlMs: 15 * 60_000,
    operator: (approval) => operate(approval, accounts),
  };
}

/** Approves the change. Asked about an outcome, the person looks the operation up, and enters what was found. */
export async function operate({ kind, presentation }: Approval, accounts: FileAccounts): Promise<Answer> {
  if (kind === 'account_change') return 'approve';
  const [found] = await accounts.changesOf(operationOf(presentation.operationId));
  return found ? { settle: found } : 'approve';
}

/** Every question about an outcome names the operation. */
function operationOf(named: Json | undefined): string {
  if (typeof named === 'string') return named;
  throw new Error('the question names no operation');
}
