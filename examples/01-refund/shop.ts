import { Client } from 'holdpoint';
import type { Child } from './child.js';
import type { FromService, FromWorker, ToWorker } from './messages.js';
import { Payments } from './payments.js';
import type { Stage } from './stage.js';

export type AgentProcess = Child<FromWorker, ToWorker>;

/** One payment service, one store, and the agent processes that work on them. */
export class Shop {
  readonly runId = 'refund-A-8891';
  readonly payments: Payments;

  private constructor(
    readonly service: Child<FromService>,
    private readonly url: string,
    private readonly store: string,
    private readonly stage: Stage,
    private readonly flags: readonly string[],
  ) {
    this.payments = new Payments(url);
  }

  /** @param reconciles whether `charge_card` has a `@Reconcile` method */
  static async open(stage: Stage, name: string, reconciles: boolean): Promise<Shop> {
    const service = stage.start<FromService>('the payment service', './payment-service.js', [
      stage.path(`${name}-ledger.db`),
    ]);
    const { url } = await service.next('listening');
    return new Shop(service, url, stage.path(`${name}-runs.db`), stage, reconciles ? ['--reconcile'] : []);
  }

  /** Starts an agent process; it works once it is `ready` and told to. */
  agent(name: string): AgentProcess {
    const { store, runId, url, flags } = this;
    const args = ['--name', name, '--store', store, '--run', runId, '--payments', url, ...flags];
    return this.stage.start<FromWorker, ToWorker>(name, './worker.js', args);
  }

  /** What an operator's desk has: the store, and none of the agent's code. */
  client(): Promise<Client> {
    return Client.open({ store: this.store });
  }
}
