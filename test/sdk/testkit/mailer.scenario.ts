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

/** Its tool kills the process that calls it, as the system does when memory runs out. */
export const killedFromOutside = (): Scenario => ({
  ...approved(),
  agents: [mailer(outside(), { act: () => process.kill(process.pid, 'SIGKILL') })],
});

/** It leaves a timer behind, which would keep its process. */
export const lingering = (): Scenario => {
  const timer = setInterval(() => undefined, 1_000_000);
  // In the test's own process it must not.
  if (!process.send) timer.unref();
  return approved();
};
