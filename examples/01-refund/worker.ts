/**
 * An agent process: `node worker.js --store … --run … --payments … --name … [--reconcile]`.
 *
 * It opens a runtime, then starts or resumes one run each time its parent says so, and ends when its parent does.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { RunLeasedError, Runtime, type Provide, type Run } from 'holdpoint';
import type { FromWorker, ToWorker } from './messages.js';
import { Payments } from './payments.js';
import { ReconciledChargeCard, ReconciledRefundAgent } from './reconciled-refund-agent.js';
import { ChargeCard, Orders, RefundAgent } from './refund-agent.js';
import { refundPolicy } from './refund-policy.js';

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: '' },
    run: { type: 'string', default: '' },
    payments: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    reconcile: { type: 'boolean', default: false },
  },
});

/** Short, so that the demo need not wait long for a dead owner; the default of 30 s is better where nobody watches. */
const LEASE_MS = 2_500;

const GOAL = 'correct the refund of order A-8891';
const agent = values.reconcile ? ReconciledRefundAgent : RefundAgent;
const payments = new Payments(values.payments);

/** This program's whole container: the tools get what they need from here. */
const provide: Provide = (cls) => {
  if (cls === Orders) return new Orders(payments);
  if (cls === ChargeCard) return new ChargeCard(payments);
  if (cls === ReconciledChargeCard) return new ReconciledChargeCard(payments);
  return new agent();
};

function tell(message: FromWorker): void {
  process.send?.(message);
}

/** Resumes the run; while another process holds it, waits for its lease to end, or for it to be renewed. */
async function resume(runtime: Runtime): Promise<Run> {
  for (;;) {
    try {
      return await runtime.resume(values.run);
    } catch (error) {
      if (!(error instanceof RunLeasedError)) throw error;
      tell({ kind: 'refused', owner: error.owner, expiresAt: error.expiresAt.toISOString() });
      await delay(error.expiresAt.getTime() - Date.now() + 1);
    }
  }
}

async function obey(runtime: Runtime, order: ToWorker): Promise<void> {
  const run = order === 'start' ? await runtime.start(agent, { id: values.run, goal: GOAL }) : await resume(runtime);
  tell({ kind: 'stopped', status: run.status, reason: run.reason });
}

const runtime = await Runtime.open({
  store: values.store,
  agents: [agent],
  provide,
  policy: refundPolicy,
  lease: { ttlMs: LEASE_MS, owner: values.name },
});

process.on('message', (order: ToWorker) => void obey(runtime, order));
process.on('disconnect', () => void runtime.close().finally(() => process.exit()));
// Ctrl-C reaches every process of the terminal; the parent decides what it means.
process.on('SIGINT', () => undefined);
tell({ kind: 'ready' });
