/**
 * The agent that corrects refunds, and its two tools: what an application of yours would hold.
 *
 * Nothing in here knows of processes, leases or crashes. An agent keeps no state between its decisions: it is shown
 * every recorded step, so that any process can ask a fresh instance what comes next.
 */
import { IsInt, IsPositive, IsString } from 'class-validator';
import {
  Agent,
  callTool,
  complete,
  fail,
  Tool,
  type Decision,
  type Step,
  type StepInput,
  type ToolCall,
} from 'holdpoint';
import { money, type Charge, type Order, type Payments } from './payments.js';

export class OrderInput {
  @IsString()
  order!: string;
}

export class Orders {
  constructor(private readonly payments: Payments) {}

  @Tool(true, { description: 'Look up what was paid for an order, what came back and what was refunded' })
  lookUpOrder({ order }: OrderInput): Promise<Order> {
    return this.payments.order(order);
  }
}

export class ChargeInput {
  @IsString()
  order!: string;

  @IsInt()
  @IsPositive()
  amountCents!: number;
}

@Tool(false, {
  description: 'Charge the card on file for an order',
  input: ChargeInput,
  effect: 'remote',
  timeoutMs: 30_000,
})
export class ChargeCard {
  constructor(protected readonly payments: Payments) {}

  /** The operation id is the same in every process and for every attempt: it is what the charge can be found by. */
  execute({ order, amountCents }: ChargeInput, call: ToolCall): Promise<Charge> {
    return this.payments.charge({ order, amountCents, reference: call.operationId }, call.signal);
  }
}

@Agent({ name: 'refunds', description: 'Corrects refunds that were too high', tools: [Orders, ChargeCard] })
export class RefundAgent {
  decide({ run, steps }: StepInput): Decision {
    const order = /\bA-\d+\b/.exec(run.goal)?.[0];
    if (order === undefined) return fail('the goal names no order');

    const found = resultOf<Order>(steps, 'look_up_order');
    if (!found) return callTool('look_up_order', { order });

    const charged = resultOf<Charge>(steps, 'charge_card');
    if (charged) return complete({ order, charge: charged.charge });

    const seen = steps.at(-1)?.observation;
    if (seen?.kind === 'denied') return fail(`the charge was denied: ${seen.message}`);

    const amountCents = found.refundedCents - found.returnedCents;
    if (amountCents <= 0) return complete({ order, charge: null });
    return callTool(ChargeCard, { order, amountCents }, `the refund was ${money(amountCents)} too high`);
  }
}

/** What a tool has returned in this run; results that were recovered or entered by a person count alike. */
function resultOf<Result>(steps: readonly Step[], tool: string): Result | undefined {
  for (const { tool: called, observation } of steps) {
    if (called === tool && observation?.kind === 'result') return observation.result as Result;
  }
  return undefined;
}
