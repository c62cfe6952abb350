import { defaultPolicy, requireApproval, type Policy } from 'holdpoint';
import type { AddressInput } from './casework-agent.js';

/** A person decides on every change, and sees what it replaces. */
export const caseworkPolicy: Policy = (request, run) => {
  if (request.tool.name !== 'change_address') return defaultPolicy(request, run);
  // Arguments reach a policy only after the tool's input class has accepted them.
  const { account, before, after } = request.args as unknown as AddressInput;
  return requireApproval({
    kind: 'account_change',
    capability: 'accounts.change_address',
    presentation: { account, before, after },
  });
};
