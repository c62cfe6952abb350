/** The same agent, with a `charge_card` that can answer for itself whether a call took effect. */
import { Agent, Reconcile, Reconciliation, type InterruptedCall } from 'holdpoint';
import { ChargeCard, ChargeInput, Orders, RefundAgent } from './refund-agent.js';

export class ReconciledChargeCard extends ChargeCard {
  /** Asked after a crash, before any person is. It only looks; it must not charge. */
  @Reconcile()
  async lookUp(_input: ChargeInput, call: InterruptedCall): Promise<Reconciliation> {
    const [charge, another] = await this.payments.chargesOf(call.operationId);
    if (another) return Reconciliation.conflict('the ledger holds two charges for this one operation');
    if (charge) return Reconciliation.complete(charge);
    // Sound only because this service books before it answers; where a charge can arrive late, let a person decide.
    return Reconciliation.continue('the ledger holds no charge for this operation');
  }
}

@Agent({ name: 'refunds', description: 'Corrects refunds that were too high', tools: [Orders, ReconciledChargeCard] })
export class ReconciledRefundAgent extends RefundAgent {}
