import { requireApproval, type Approval } from 'holdpoint';
import type { Answer, Scenario } from '../../../sdk/testkit/index.js';
import { mailer, outside } from '../../support/crash.js';

/** A remote call that the policy wants approved; the operator approves it, and settles what is unknown. */
export const approved = (): Scenario => ({
  agents: [mailer(outside())],
  agent: 'mailer',
  goal: 'send a note',
  policy: () => requireApproval(),
  operator: ({ kind }: Approval): Answer => (kind === 'tool_call' ? 'approve' : { settle: 'sent, says the outbox' }),
});
