/** The agents as the crash suite of `holdpoint/testkit` runs them: the payment service is one file. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval, Provide } from 'holdpoint';
import type { Answer, Scenario } from 'holdpoint/testkit';
import { Payments, type Charge, type ChargeRequest, type Order } from './payments.js';
import { ReconciledChargeCard, ReconciledRefundAgent } from './reconciled-refund-agent.js';
import { ChargeCard, Orders, RefundAgent } from './refund-agent.js';
import { refundPolicy } from './refund-policy.js';

/** A payment service without a process of its own: what it booked outlives the process that asked. */
export class FilePayments extends Payments {
  constructor(private readonly file: string) {
    super('');
  }

  override order(order: string): Promise<Order> {
    return Promise.resolve({ order, paidCents: 12_800, returnedCents: 6_400, refundedCents: 12_800 });
  }

  override chargesOf(reference: string): Promise<Charge[]> {
    return Promise.resolve(this.all().filter((charge) => charge.reference === reference));
  }

  override charge(request: ChargeRequest): Promise<Charge> {
    const charge = { ...request, charge: `ch_${this.all().length + 1}` };
    appendFileSync(this.file, `${JSON.stringify(charge)}\n`);
    return Promise.resolve(charge);
  }

  all(): Charge[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Charge);
  }
}

export function paymentsIn(dir: string): FilePayments {
  return new FilePayments(join(dir, 'charges.jsonl'));
}

/** The agent whose tool cannot look: a person is asked, looks into the ledger, and settles or lets it run again. */
export function blind(dir: string): Scenario {
  const payments = paymentsIn(dir);
  return { ...surroundings(payments), agents: [RefundAgent], agent: RefundAgent, operator: lookAndDecide(payments) };
}

/** The agent whose tool can look: nobody is asked. */
export function reconciled(dir: string): Scenario {
  return { ...surroundings(paymentsIn(dir)), agents: [ReconciledRefundAgent], agent: ReconciledRefundAgent };
}

function surroundings(payments: Payments): Pick<Scenario, 'goal' | 'policy' | 'provide'> {
  const provide: Provide = (cls) => {
    if (cls === Orders) return new Orders(payments);
    if (cls === ChargeCard) return new ChargeCard(payments);
    if (cls === ReconciledChargeCard) return new ReconciledChargeCard(payments);
    return cls === ReconciledRefundAgent ? new ReconciledRefundAgent() : new RefundAgent();
  };
  return { goal: 'correct the refund of order A-8891', policy: refundPolicy, provide };
}

function lookAndDecide(payments: Payments): (approval: Approval) => Promise<Answer> {
  return async ({ presentation }) => {
    const { operationId } = presentation;
    const [charge] = typeof operationId === 'string' ? await payments.chargesOf(operationId) : [];
    return charge ? { settle: charge } : 'approve';
  };
}
