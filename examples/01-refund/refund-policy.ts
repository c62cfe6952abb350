import { allow, defaultPolicy, requireApproval, type Policy } from 'holdpoint';
import { money } from './payments.js';
import type { ChargeInput } from './refund-agent.js';

export const UNASKED_UP_TO_CENTS = 10_000;

/**
 * Charges up to 100.00 run unasked; a person allows larger ones.
 *
 * The default policy would ask before every charge. That is the safer start; here the agent is to be in the middle of
 * a charge that needed no permission, so that what stops it later is the crash alone.
 */
export const refundPolicy: Policy = (request, run) => {
  if (request.tool.name !== 'charge_card') return defaultPolicy(request, run);
  // Arguments reach a policy only after the tool's input class has accepted them.
  const { order, amountCents } = request.args as unknown as ChargeInput;
  if (amountCents <= UNASKED_UP_TO_CENTS) return allow();
  return requireApproval({ capability: 'payments.charge', presentation: { order, amount: money(amountCents) } });
};
